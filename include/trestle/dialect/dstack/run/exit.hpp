// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a job ended: by itself, for lack of memory, by a signal, or because it was stopped.
//
// Layer: dialect/dstack. Main names: JobEnding, JobExit, classify, end_policy.
// Pitfall: dstack runs commands in a shell. A shell whose command died by a signal exits with 128
// and the number of the signal. That is taken for the signal here.

#include <array>
#include <optional>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/profile.hpp"
#include "trestle/dialect/dstack/run/termination.hpp"
#include "trestle/enforce/process/end_policy.hpp"
#include "trestle/enforce/process/job_end.hpp"
#include "trestle/enforce/process/outcome.hpp"

namespace trestle::dstack {

/// How a job ended. The last one: for any other reason that its `reason` says.
enum class JobEnding { done, failed, out_of_memory, signaled, by_user, time_limit, stopped };

constexpr auto enum_names(JobEnding) {
    using enum JobEnding;
    return std::array{named(done, "done"),
                      named(failed, "failed"),
                      named(out_of_memory, "out_of_memory"),
                      named(signaled, "signaled"),
                      named(by_user, "by_user"),
                      named(time_limit, "time_limit"),
                      named(stopped, "stopped")};
}

/// How a job ended, in dstack's words too.
struct JobExit {
    JobEnding ending = JobEnding::done;
    JobStatus status = JobStatus::done;
    TerminationReason reason = TerminationReason::done_by_runner;
    std::optional<int> exit_code;      ///< absent: a signal ended the shell itself
    std::optional<int> signal_number;  ///< of the command, also when the shell reported it

    static constexpr auto fields(auto list) {
        return list(field("ending", &JobExit::ending), field("status", &JobExit::status),
                    field("reason", &JobExit::reason), field("exit_code", &JobExit::exit_code),
                    field("signal_number", &JobExit::signal_number));
    }
    friend bool operator==(const JobExit&, const JobExit&) = default;
};

/// What the end of a command means. `stopped`: why the job was stopped before it ended. This is
/// then the reason, whatever the exit of the command. Else: 0 is done, all others failed. Out of
/// memory when a kill for memory was counted and SIGKILL ended the command, or the shell says so.
/// By a signal for signals and for exit codes 129 to 192.
/// Requires: `stopped` is neither done_by_runner nor container_exited_with_error.
[[nodiscard]] JobExit classify(const Outcome& outcome,
                               std::optional<TerminationReason> stopped = std::nullopt);

/// The reason of a stopped job: max_duration_exceeded, terminated_by_user,
/// interrupted_by_no_capacity for preemption, terminated_by_server for a shutdown.
[[nodiscard]] TerminationReason stop_reason(JobEnd::Cause cause);

/// The same for a job that an EndSequence ended.
[[nodiscard]] JobExit classify(const JobEnd& end);

/// When and how dstack ends the commands of a run. After max_duration SIGINT goes to the shell.
/// SIGKILL follows after 10 seconds, or after stop_duration where the profile has one. Off: never.
[[nodiscard]] EndPolicy end_policy(const Profile& profile);

}  // namespace trestle::dstack
