// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/exit.hpp"

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/duration.hpp"

namespace trestle {
namespace {

TEST_CASE("dstack exit: when and how a run is ended", "[dialect][dstack]") {
    struct Row {
        const char* max_duration;
        const char* stop_duration;
        const char* text;
        const char* why;
    };
    const Row rows[] = {
        {nullptr, nullptr, "time without limit; end by SIGINT to the leader, after 10 s SIGKILL",
         "nothing said"},
        {"2h", nullptr, "time 7200 s; end by SIGINT to the leader, after 10 s SIGKILL", "a limit"},
        {"off", "5m", "time without limit; end by SIGINT to the leader, after 300 s SIGKILL",
         "time to stop"},
        {"1m", "off", "time 60 s; end by SIGINT to the leader", "nobody is killed"},
        {"1m", "0s", "time 60 s; end by SIGKILL", "no time to stop"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        dstack::Profile profile;
        if (row.max_duration != nullptr) {
            profile.max_duration = *dstack::parse_duration_limit(row.max_duration);
        }
        if (row.stop_duration != nullptr) {
            profile.stop_duration = *dstack::parse_duration_limit(row.stop_duration);
        }
        CHECK(to_text(dstack::end_policy(profile)) == row.text);
    }
}

TEST_CASE("dstack exit: what ended a job is its reason", "[dialect][dstack]") {
    using dstack::JobEnding;
    using dstack::JobStatus;
    using dstack::TerminationReason;
    struct Row {
        JobEnd end;
        JobEnding ending;
        JobStatus status;
        TerminationReason reason;
    };
    const Row rows[] = {
        {{exited(0), {}}, JobEnding::done, JobStatus::done, TerminationReason::done_by_runner},
        {{signaled(9, Count(1)), {}},
         JobEnding::out_of_memory,
         JobStatus::failed,
         TerminationReason::container_exited_with_error},
        {{exited(0), JobEnd::Cause::time_limit},
         JobEnding::time_limit,
         JobStatus::terminated,
         TerminationReason::max_duration_exceeded},
        {{signaled(2), JobEnd::Cause::user_stop},
         JobEnding::by_user,
         JobStatus::terminated,
         TerminationReason::terminated_by_user},
        {{signaled(9), JobEnd::Cause::preempted, true},
         JobEnding::stopped,
         JobStatus::failed,
         TerminationReason::interrupted_by_no_capacity},
        {{signaled(2), JobEnd::Cause::shutdown},
         JobEnding::stopped,
         JobStatus::terminated,
         TerminationReason::terminated_by_server},
    };
    for (const Row& row : rows) {
        INFO(to_text(row.end));
        const dstack::JobExit exit = dstack::classify(row.end);
        CHECK(exit.ending == row.ending);
        CHECK(exit.status == row.status);
        CHECK(exit.reason == row.reason);
    }
}

}  // namespace
}  // namespace trestle
