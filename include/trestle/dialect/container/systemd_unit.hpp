// SPDX-License-Identifier: Apache-2.0
#pragma once

// systemd's document: the properties of a transient service that enforce a plan. They are printed
// as a list for D-Bus, as a `systemd-run` command line and as the text of a unit.
//
// Layer: dialect/container. Main types: SystemdUnit, UnitOptions; systemd_unit() makes one,
// systemd_run_words, systemd_run_line and unit_text print it. Names are those of systemd 252, man
// pages systemd.resource-control(5), systemd.exec(5), systemd.service(5), systemd.kill(5).
// Pitfall: systemd ignores a missing controller or device file, and only logs it. What the plan
// requires is then not enforced. Secrets: every user can read command lines and the property
// Environment, so no printed form contains secrets. They go into a file of their own, by
// secret_text(), the only result here that holds them in clear; JSON has their digests.

#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/container/document.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/environment.hpp"

namespace trestle::container {

/// One setting, as `systemd-run --property=NAME=VALUE` takes it. Values hold no blank that a quote
/// would have to keep together, and no line end.
struct UnitProperty {
    std::string name;   ///< `MemoryMax`
    std::string value;  ///< `17179869184`

    static constexpr auto fields(auto list) {
        return list(field("name", &UnitProperty::name), field("value", &UnitProperty::value));
    }
    friend bool operator==(const UnitProperty&, const UnitProperty&) = default;
};

/// A transient service.
struct SystemdUnit {
    std::string name;  ///< `job_42.service`
    std::string slice;
    std::vector<UnitProperty> properties;
    std::vector<EnvironmentVariable> environment;  ///< secrets stand in the EnvironmentFile only
    std::string directory;                         ///< empty: the root
    std::vector<std::string> arguments;            ///< the program first

    static constexpr auto fields(auto list) {
        return list(field("name", &SystemdUnit::name), field("slice", &SystemdUnit::slice),
                    field("properties", &SystemdUnit::properties),
                    field("environment", &SystemdUnit::environment),
                    field("directory", &SystemdUnit::directory),
                    field("arguments", &SystemdUnit::arguments));
    }
    friend bool operator==(const SystemdUnit&, const SystemdUnit&) = default;
};

/// What a service needs beside the plan.
struct UnitOptions {
    Command command;    ///< its environment is overridden by the plan's
    std::string slice;  ///< `batch.slice`; empty: systemd's choice
    /// The EnvironmentFile of the service, an absolute path. The caller puts secret_text() there,
    /// readable for root alone, before the service starts, and removes it afterwards. Without the
    /// file systemd does not start the service. Empty: none, and variables that are secrets are
    /// losses.
    std::string secret_file = {};

    static constexpr auto fields(auto list) {
        return list(field("command", &UnitOptions::command), field("slice", &UnitOptions::slice),
                    field("secret_file", &UnitOptions::secret_file));
    }
    friend bool operator==(const UnitOptions&, const UnitOptions&) = default;
};

/// A service for systemd, and the keeper of each limit.
using SystemdDocument = Document<SystemdUnit>;

/// The name of a service for a group, as systemd-escape(1) would have it for a path. Letters,
/// digits, `:`, `_` and `.` stay, `/` becomes `-`, all else `\x2d` and its like.
[[nodiscard]] std::string unit_name(const std::string& group);

/// The plan for systemd: every value of the plan for which systemd has a property. All others are
/// losses. So are variables that systemd refuses (names that are no identifiers, values that are no
/// text), and secrets without options.secret_file. CPU time is rounded down to hundredths of a
/// percent, systemd's unit. Errors: InvalidArgument for an empty command, a word with a NUL byte,
/// and a folder that is not absolute. The same for a slice or a group with a malformed name, and a
/// secret_file that is no plain absolute path. The same for a step that no plan makes.
/// FailedPrecondition for a variable of which only the digest is known.
[[nodiscard]] StatusOr<SystemdDocument> systemd_unit(const Plan& plan, const UnitOptions& options);

/// `systemd-run --unit=job_42.service ...`, a word each: it runs the command, waits for it and ends
/// with its status. What systemd would expand in the command (`$`) is kept from it.
[[nodiscard]] std::vector<std::string> systemd_run_words(const SystemdUnit& unit);
/// The same as one line for a POSIX shell.
[[nodiscard]] std::string systemd_run_line(const SystemdUnit& unit);
/// The same as a unit file, for /run/systemd/system.
[[nodiscard]] std::string unit_text(const SystemdUnit& unit);
/// SECRET. The content of UnitOptions::secret_file: the variables that are secrets, a
/// `NAME="value"` each, in clear, as systemd.exec(5) reads an EnvironmentFile. Empty: there is
/// none, and no property names the file. Requires: every value of unit.environment is_known().
[[nodiscard]] std::string secret_text(const SystemdUnit& unit);

}  // namespace trestle::container
