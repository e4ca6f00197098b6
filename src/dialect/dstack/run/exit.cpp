// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/exit.hpp"

#include "enforce/process/signal_names.hpp"
#include "trestle/base/contract.hpp"

namespace trestle::dstack {
namespace {

[[nodiscard]] JobEnding ending_of(TerminationReason stopped) {
    switch (stopped) {
        case TerminationReason::terminated_by_user:
        case TerminationReason::aborted_by_user:
            return JobEnding::by_user;
        case TerminationReason::max_duration_exceeded:
            return JobEnding::time_limit;
        default:
            return JobEnding::stopped;
    }
}

}  // namespace

JobExit classify(const Outcome& outcome, std::optional<TerminationReason> stopped) {
    TRESTLE_EXPECTS(stopped != TerminationReason::done_by_runner &&
                        stopped != TerminationReason::container_exited_with_error,
                    "the job was stopped");
    JobExit exit;
    if (outcome.ending == Outcome::Ending::exited) {
        exit.exit_code = outcome.exit_code;
        const int beyond = outcome.exit_code - 128;
        if (beyond >= 1 && beyond <= signals_max) exit.signal_number = beyond;
    } else {
        exit.signal_number = outcome.signal_number;
    }
    if (stopped) {
        exit.ending = ending_of(*stopped);
        exit.reason = *stopped;
    } else if (exit.exit_code != 0) {
        const bool is_for_memory =
            outcome.ending == Outcome::Ending::out_of_memory ||
            (exit.signal_number == sigkill && outcome.oom_kills.value_or(Count()) > Count());
        exit.ending = is_for_memory        ? JobEnding::out_of_memory
                      : exit.signal_number ? JobEnding::signaled
                                           : JobEnding::failed;
        exit.reason = TerminationReason::container_exited_with_error;
    }
    exit.status = rule_of(exit.reason).status;
    return exit;
}

TerminationReason stop_reason(JobEnd::Cause cause) {
    switch (cause) {
        case JobEnd::Cause::time_limit:
            return TerminationReason::max_duration_exceeded;
        case JobEnd::Cause::user_stop:
            return TerminationReason::terminated_by_user;
        case JobEnd::Cause::preempted:
            return TerminationReason::interrupted_by_no_capacity;
        case JobEnd::Cause::shutdown:
            break;
    }
    return TerminationReason::terminated_by_server;
}

JobExit classify(const JobEnd& end) {
    return classify(end.outcome, end.cause ? std::optional(stop_reason(*end.cause)) : std::nullopt);
}

EndPolicy end_policy(const Profile& profile) {
    constexpr Seconds runner_wait(10);
    EndPolicy policy;
    if (profile.max_duration && !profile.max_duration->is_off) {
        policy.time_limit = profile.max_duration->seconds;
    }
    policy.end_signal = sigint;
    policy.end_target = EndPolicy::Target::leader;
    policy.grace = runner_wait;
    if (profile.stop_duration) {
        policy.grace =
            profile.stop_duration->is_off ? Seconds::max() : profile.stop_duration->seconds;
    }
    return policy;
}

}  // namespace trestle::dstack
