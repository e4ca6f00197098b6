// SPDX-License-Identifier: Apache-2.0
#pragma once

// When and by which signals a job is ended.
//
// Layer: enforce. Main types: EndPolicy, WarningSignal, SignalTarget. A value of the plan;
// EndSequence (end_sequence.hpp) says what is due when, and a driver (os/time_keeper.hpp) sends it.
// A reader would get wrong: grace holds for every end that somebody else decides, not only for that
// by the time limit; and over_time moves the end of the job but not its warning.

#include <array>
#include <optional>
#include <string>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/process/signal_names.hpp"

namespace trestle {

/// Who gets a signal.
enum class SignalTarget {
    every_process,  ///< of the group and those below
    leader,         ///< the command that was started, and nothing that it started
};

constexpr auto enum_names(SignalTarget) {
    using enum SignalTarget;
    return std::array{named(every_process, "every_process"), named(leader, "leader")};
}

/// A signal ahead of the time limit.
struct WarningSignal {
    int signal_number = detail::sigusr1;
    Seconds before{60};  ///< the time limit; longer than that: sent at once
    SignalTarget target = SignalTarget::every_process;

    static constexpr auto fields(auto list) {
        return list(field("signal_number", &WarningSignal::signal_number),
                    field("before", &WarningSignal::before),
                    field("target", &WarningSignal::target));
    }
    friend bool operator==(const WarningSignal&, const WarningSignal&) = default;
};

/// When and by which signals a job is ended: a warning ahead of its time limit, the end signal, and
/// after the grace SIGKILL for everything. A grace of 0 leaves the end signal out.
struct EndPolicy {
    std::optional<Seconds> time_limit = {};     ///< since its start; 0: at once; absent: none
    Seconds over_time = {};                     ///< let pass beyond it; Seconds::max(): any
    std::optional<WarningSignal> warning = {};  ///< nothing without a time limit
    int end_signal = detail::sigterm;
    SignalTarget end_target = SignalTarget::every_process;
    Seconds grace{30};  ///< from the end signal to SIGKILL; Seconds::max(): for ever

    static constexpr auto fields(auto list) {
        return list(
            field("time_limit", &EndPolicy::time_limit), field("over_time", &EndPolicy::over_time),
            field("warning", &EndPolicy::warning), field("end_signal", &EndPolicy::end_signal),
            field("end_target", &EndPolicy::end_target), field("grace", &EndPolicy::grace));
    }
    friend bool operator==(const EndPolicy&, const EndPolicy&) = default;
};

/// Ok when the signals exist. Errors: InvalidArgument that names the one that does not.
[[nodiscard]] inline Status check(const EndPolicy& policy) {
    const auto exists = [](int number) { return number >= 1 && number <= signals_max; };
    if (policy.warning && !exists(policy.warning->signal_number)) {
        return invalid_argument("end: the warning is signal {}, expected 1 to {}",
                                policy.warning->signal_number, signals_max);
    }
    if (exists(policy.end_signal)) return {};
    return invalid_argument("end: it is signal {}, expected 1 to {}", policy.end_signal,
                            signals_max);
}

/// `time 3600 s, SIGUSR1 to the leader 300 s before; end by SIGTERM to every process, after 30 s
/// SIGKILL`, one line.
[[nodiscard]] inline std::string to_text(const EndPolicy& policy) {
    const auto target = [](SignalTarget to) {
        return to == SignalTarget::leader ? "the leader" : "every process";
    };
    std::string text = "time without limit";
    if (policy.time_limit) {
        text = fmt::format("time {} s", *policy.time_limit);
        if (policy.over_time == Seconds::max()) {
            text += ", not ended by it";
        } else if (!policy.over_time.is_zero()) {
            text += fmt::format(" and {} s over", policy.over_time);
        }
        if (policy.warning) {
            text +=
                fmt::format(", {} to {} {} s before", signal_text(policy.warning->signal_number),
                            target(policy.warning->target), policy.warning->before);
        }
    }
    if (policy.grace.is_zero()) return text + "; end by SIGKILL";
    text +=
        fmt::format("; end by {} to {}", signal_text(policy.end_signal), target(policy.end_target));
    if (policy.grace == Seconds::max()) return text;
    return text + fmt::format(", after {} s SIGKILL", policy.grace);
}

}  // namespace trestle
