// SPDX-License-Identifier: Apache-2.0
#pragma once

// The shell's document: the plan as scripts for a POSIX shell, for prologs and to read what
// enforcement does.
//
// Layer: dialect/container. Main types: ShellScripts, ScriptOptions; shell_scripts() makes them.
// Needed besides the shell: cat, sed, find, rmdir. Of util-linux prlimit, taskset, renice and
// setpriv are needed where the plan limits single processes, binds them, or has another user.
// Pitfall: a shell cannot load a device filter. Every device stays open, also where the plan
// requires the filter: it is in the losses.
// Secrets: ShellScripts::start has the value of every variable in clear, and so has its JSON. Write
// it for its own user alone (0700), and hand it over as a file, not as words of `sh -c`.

#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/container/document.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/command.hpp"

namespace trestle::container {

/// What is handed to the shell.
struct ShellScripts {
    /// SECRET: holds the values of variables in clear.
    /// Makes the group, writes and checks its limits, goes into it and becomes the command. When
    /// something required fails, it says what on stderr, takes the group away again and ends with
    /// 1; what is best effort is a warning. Controllers that it handed down stay so, since another
    /// group may rely on them by now.
    std::string start;
    /// Kills what is in the group and below, and removes it; ends with 1 when that takes more than
    /// 30 s. Without the group there is nothing to do.
    std::string remove;

    static constexpr auto fields(auto list) {
        return list(field("start", &ShellScripts::start), field("remove", &ShellScripts::remove));
    }
    friend bool operator==(const ShellScripts&, const ShellScripts&) = default;
};

/// What the scripts need beside the plan.
struct ScriptOptions {
    /// Its environment is overridden by the plan's, and added to that of the script's caller.
    /// Empty: the script makes the group and is done, as a prolog is.
    Command command;
    std::string directory = "/sys/fs/cgroup";  ///< absolute; the plan's group lies below it

    static constexpr auto fields(auto list) {
        return list(field("command", &ScriptOptions::command),
                    field("directory", &ScriptOptions::directory));
    }
    friend bool operator==(const ScriptOptions&, const ScriptOptions&) = default;
};

/// Scripts for a POSIX shell, and the keeper of each limit.
using ShellDocument = Document<ShellScripts>;

/// The plan for a shell. Variables whose names are no identifiers are losses.
/// Errors: InvalidArgument for a word with a NUL byte, a directory that is not absolute, and a
/// group with a malformed name. The same for a step that no plan makes. FailedPrecondition for a
/// variable of which only the digest is known.
[[nodiscard]] StatusOr<ShellDocument> shell_scripts(const Plan& plan,
                                                    const ScriptOptions& options = {});

}  // namespace trestle::container
