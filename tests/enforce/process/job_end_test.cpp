// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/job_end.hpp"

#include "enforce/process/signal_names.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/enforce/process/end_policy.hpp"

namespace {

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<JobEnd> && lists_all_fields<EndPolicy> &&
              lists_all_fields<EndPolicy::Warning>);
static_assert(exit_status(JobEnd{}) == 0);

TEST_CASE("JobEnd: the reason, the status for a shell and one line", "[enforce][process]") {
    struct Row {
        JobEnd end;
        JobEnd::Reason reason;
        int status;
        std::string text;
        const char* why;
    };
    const auto by = [](JobEnd::Cause cause) { return std::optional(cause); };
    const Row rows[] = {
        {{exited(0), {}}, JobEnd::Reason::exited, 0, "exited, status 0", "done"},
        {{exited(3), {}}, JobEnd::Reason::exited, 3, "exited, status 3", "failed"},
        {{signaled(11), {}}, JobEnd::Reason::signaled, 139, "signaled, SIGSEGV", "its own fault"},
        {{signaled(9), {}}, JobEnd::Reason::signaled, 137, "signaled, SIGKILL", "by somebody else"},
        {{signaled(9, Count(2)), {}},
         JobEnd::Reason::out_of_memory,
         125,
         "out_of_memory, SIGKILL",
         "killed for memory"},
        {{signaled(15), by(JobEnd::Cause::time_limit)},
         JobEnd::Reason::time_limit,
         124,
         "time_limit, SIGTERM",
         "as timeout(1)"},
        {{exited(0), by(JobEnd::Cause::time_limit)},
         JobEnd::Reason::time_limit,
         124,
         "time_limit, status 0",
         "it saved its work and left: its time was over all the same"},
        {{signaled(9), by(JobEnd::Cause::time_limit), true},
         JobEnd::Reason::time_limit,
         124,
         "time_limit, SIGKILL after the grace",
         "it would not go"},
        {{signaled(15), by(JobEnd::Cause::user_stop)},
         JobEnd::Reason::user_stop,
         143,
         "user_stop, SIGTERM",
         "its owner's wish"},
        {{exited(0), by(JobEnd::Cause::user_stop)},
         JobEnd::Reason::user_stop,
         0,
         "user_stop, status 0",
         "its own status"},
        {{signaled(9), by(JobEnd::Cause::preempted), true},
         JobEnd::Reason::preempted,
         137,
         "preempted, SIGKILL after the grace",
         "for another job"},
        {{signaled(40), by(JobEnd::Cause::shutdown)},
         JobEnd::Reason::shutdown,
         168,
         "shutdown, signal 40",
         "a real-time signal"},
        {{signaled(9, Count(1)), by(JobEnd::Cause::user_stop)},
         JobEnd::Reason::out_of_memory,
         125,
         "out_of_memory, SIGKILL",
         "out of memory while it was being stopped"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(reason_of(row.end) == row.reason);
        CHECK(exit_status(row.end) == row.status);
        CHECK(to_text(row.end) == row.text);
    }
}

TEST_CASE("EndPolicy: one line says when and by which signals", "[enforce][process]") {
    EndPolicy policy;
    CHECK(to_text(policy) ==
          "time without limit; end by SIGTERM to every process, after 30 s SIGKILL");
    policy.warning = {10, Seconds(300), EndPolicy::Target::leader};
    CHECK(to_text(policy) ==
          "time without limit; end by SIGTERM to every process, after 30 s SIGKILL");
    policy.time_limit = Seconds(3600);
    policy.over_time = Seconds(60);
    policy.grace = Seconds::max();
    CHECK(to_text(policy) ==
          "time 3600 s and 60 s over, SIGUSR1 to the leader 300 s before; end by SIGTERM to every "
          "process");
    policy.over_time = Seconds::max();
    policy.grace = Seconds(0);
    CHECK(to_text(policy) ==
          "time 3600 s, not ended by it, SIGUSR1 to the leader 300 s before; end by SIGKILL");
}

TEST_CASE("EndPolicy: its signals exist", "[enforce][process]") {
    for (const int number : {1, 15, 64}) {
        CHECK(check(EndPolicy{.end_signal = number}) == Status());
        CHECK(check(EndPolicy{.warning = EndPolicy::Warning{number, {}, {}}}) == Status());
    }
    for (const int number : {-1, 0, 65}) {
        CHECK_THAT(std::string(message(check(EndPolicy{.end_signal = number}))),
                   ContainsSubstring("expected 1 to 64"));
        CHECK_THAT(
            std::string(message(check(EndPolicy{.warning = EndPolicy::Warning{number, {}, {}}}))),
            ContainsSubstring("the warning is signal"));
    }
}

TEST_CASE("signal_text: names and numbers", "[enforce][process]") {
    CHECK(signal_text(1) == "SIGHUP");
    CHECK(signal_text(31) == "SIGSYS");
    CHECK(signal_text(16) == "signal 16");
    CHECK(signal_text(64) == "signal 64");
}

}  // namespace
