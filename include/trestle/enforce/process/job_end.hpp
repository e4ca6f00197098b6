// SPDX-License-Identifier: Apache-2.0
#pragma once

// JobEnd: how a job ended, and what caused the end.
//
// Layer: enforce. Main types: JobEnd, JobEnd::Cause, JobEnd::Reason; reason_of() joins the two
// halves.
// Pitfall: a job that its time limit ended may well have exited with 0, because it handled the
// signal. The outcome is what its command did, the cause why.

#include <array>
#include <optional>
#include <string>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/enforce/process/outcome.hpp"

namespace trestle {

/// How a job ended, and what caused the end.
struct JobEnd {
    /// Why a job is stopped from outside.
    enum class Cause {
        time_limit,
        user_stop,  ///< its owner, or an operator
        preempted,  ///< for another job
        shutdown,   ///< the machine or its manager goes away
    };

    /// Outcome and cause in one word.
    enum class Reason {
        exited,
        signaled,
        out_of_memory,
        time_limit,
        user_stop,
        preempted,
        shutdown,
    };

    Outcome outcome;             ///< of the command that was started
    std::optional<Cause> cause;  ///< the first one; absent: it ended by itself
    bool is_killed = false;      ///< SIGKILL was sent: the grace was over, or there was none

    static constexpr auto fields(auto list) {
        return list(field("outcome", &JobEnd::outcome), field("cause", &JobEnd::cause),
                    field("is_killed", &JobEnd::is_killed));
    }
    friend bool operator==(const JobEnd&, const JobEnd&) = default;
};

constexpr auto enum_names(JobEnd::Cause) {
    using enum JobEnd::Cause;
    return std::array{named(time_limit, "time_limit"), named(user_stop, "user_stop"),
                      named(preempted, "preempted"), named(shutdown, "shutdown")};
}

constexpr auto enum_names(JobEnd::Reason) {
    using enum JobEnd::Reason;
    return std::array{named(exited, "exited"),
                      named(signaled, "signaled"),
                      named(out_of_memory, "out_of_memory"),
                      named(time_limit, "time_limit"),
                      named(user_stop, "user_stop"),
                      named(preempted, "preempted"),
                      named(shutdown, "shutdown")};
}

/// The reason of the end: out of memory comes first, then the cause, then the outcome.
[[nodiscard]] constexpr JobEnd::Reason reason_of(const JobEnd& end) {
    if (end.outcome.ending == Outcome::Ending::out_of_memory) return JobEnd::Reason::out_of_memory;
    if (end.cause) {
        switch (*end.cause) {
            case JobEnd::Cause::time_limit:
                return JobEnd::Reason::time_limit;
            case JobEnd::Cause::user_stop:
                return JobEnd::Reason::user_stop;
            case JobEnd::Cause::preempted:
                return JobEnd::Reason::preempted;
            case JobEnd::Cause::shutdown:
                return JobEnd::Reason::shutdown;
        }
    }
    return end.outcome.ending == Outcome::Ending::exited ? JobEnd::Reason::exited
                                                         : JobEnd::Reason::signaled;
}

/// For a shell: 124 at the time limit, as timeout(1) has it, whatever the command made of it; else
/// that of the outcome.
[[nodiscard]] constexpr int exit_status(const JobEnd& end) {
    return reason_of(end) == JobEnd::Reason::time_limit ? 124 : exit_status(end.outcome);
}

/// `exited, status 3`; `time_limit, SIGTERM`; `user_stop, SIGKILL after the grace`; one line.
/// Behind the reason stands what the command made of it.
[[nodiscard]] std::string to_text(const JobEnd& end);

}  // namespace trestle
