// SPDX-License-Identifier: Apache-2.0
#pragma once

// When and by which signals a job is ended.
//
// Layer: enforce. Main types: EndPolicy, EndPolicy::Warning, EndPolicy::Target. A value of the
// plan; EndSequence (end_sequence.hpp) says what is due when, and a driver (os/supervisor.hpp)
// sends it.
// Pitfall: grace holds for every end that is decided from outside, not only for that by the time
// limit. And over_time moves the end of the job but not its warning.

#include <array>
#include <optional>
#include <string>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// When and by which signals a job is ended. There is a warning ahead of its time limit, the end
/// signal, and after the grace SIGKILL for everything. A grace of 0 leaves the end signal out.
struct EndPolicy {
    /// Which processes get a signal.
    enum class Target {
        every_process,  ///< of the group and those below
        leader,         ///< the command that was started, and nothing that it started
    };

    /// A signal ahead of the time limit.
    struct Warning {
        int signal_number = 10;  ///< SIGUSR1
        Seconds before{60};      ///< the time limit; longer than that: sent at once
        Target target = Target::every_process;

        static constexpr auto fields(auto list) {
            return list(field("signal_number", &Warning::signal_number),
                        field("before", &Warning::before), field("target", &Warning::target));
        }
        friend bool operator==(const Warning&, const Warning&) = default;
    };

    std::optional<Seconds> time_limit = {};  ///< since its start; 0: at once; absent: none
    Seconds over_time = {};                  ///< let pass beyond it; Seconds::max(): any
    std::optional<Warning> warning = {};     ///< nothing without a time limit
    int end_signal = 15;                     ///< SIGTERM
    Target end_target = Target::every_process;
    Seconds grace{30};  ///< from the end signal to SIGKILL; Seconds::max(): for ever

    static constexpr auto fields(auto list) {
        return list(
            field("time_limit", &EndPolicy::time_limit), field("over_time", &EndPolicy::over_time),
            field("warning", &EndPolicy::warning), field("end_signal", &EndPolicy::end_signal),
            field("end_target", &EndPolicy::end_target), field("grace", &EndPolicy::grace));
    }
    friend bool operator==(const EndPolicy&, const EndPolicy&) = default;
};

constexpr auto enum_names(EndPolicy::Target) {
    using enum EndPolicy::Target;
    return std::array{named(every_process, "every_process"), named(leader, "leader")};
}

/// Ok when the signals exist. Errors: InvalidArgument that names the one that does not.
[[nodiscard]] Status check(const EndPolicy& policy);

/// `time 3600 s, SIGUSR1 to the leader 300 s before; end by SIGTERM to every process, after 30 s
/// SIGKILL`, one line.
[[nodiscard]] std::string to_text(const EndPolicy& policy);

}  // namespace trestle
