// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/job_end.hpp"

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/job_report.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

namespace trestle::slurm {
namespace {

static_assert(lists_all_fields<EndRules>);

TEST_CASE("Slurm end: --time and --signal become a policy", "[slurm]") {
    struct Row {
        std::vector<std::string> options;
        std::string text;
        const char* why;
    };
    const Row rows[] = {
        {{}, "time without limit; end by SIGTERM to every process, after 30 s SIGKILL", "neither"},
        {{"--signal=USR1@300"},
         "time without limit; end by SIGTERM to every process, after 30 s SIGKILL",
         "nobody is warned of no end"},
        {{"--time=10", "--signal=B:USR1@300"},
         "time 600 s, SIGUSR1 to the leader 300 s before; end by SIGTERM to every process, after "
         "30 s SIGKILL",
         "the batch shell alone"},
        {{"-t", "1:30", "--signal=R:15"},
         "time 120 s, SIGTERM to every process 60 s before; end by SIGTERM to every process, after "
         "30 s SIGKILL",
         "a minute ahead; seconds are rounded up to minutes"},
        {{"--time=0"},
         "time without limit; end by SIGTERM to every process, after 30 s SIGKILL",
         "0 is no limit"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto parsed = parse_options(row.options);
        INFO(parsed.status().ToString());
        REQUIRE(parsed.ok());
        EndRules rules;
        rules.time_limit = parsed->request.time_limit;
        rules.signal = parsed->options.signal;
        CHECK(trestle::to_text(end_policy(rules)) == row.text);
    }
}

TEST_CASE("Slurm end: KillWait and OverTimeLimit", "[slurm]") {
    EndRules rules;
    rules.time_limit = Seconds(60);
    rules.kill_wait = Seconds(0);
    rules.over_time_limit = Seconds(120);
    CHECK(end_policy(rules).grace == Seconds(5));
    CHECK(end_policy(rules).over_time == Seconds(120));
    rules.kill_wait = Seconds(90);
    rules.over_time_limit = Seconds::max();
    CHECK(end_policy(rules).grace == Seconds(90));
    CHECK(end_policy(rules).over_time == Seconds::max());
}

TEST_CASE("Slurm end: what ended a job is its state", "[slurm]") {
    struct Row {
        JobEnd end;
        State state;
    };
    const Row rows[] = {
        {{exited(0), {}}, State::completed},
        {{exited(1), {}}, State::failed},
        {{signaled(11), {}}, State::failed},
        {{signaled(9, Count(1)), {}}, State::out_of_memory},
        {{exited(0), JobEnd::Cause::time_limit}, State::timeout},
        {{signaled(9), JobEnd::Cause::time_limit, true}, State::timeout},
        {{signaled(15), JobEnd::Cause::user_stop}, State::cancelled},
        {{signaled(15), JobEnd::Cause::preempted}, State::preempted},
        {{signaled(15), JobEnd::Cause::shutdown}, State::node_fail},
    };
    for (const Row& row : rows) {
        INFO(trestle::to_text(row.end));
        CHECK(state_of(row.end) == row.state);
    }
}

}  // namespace
}  // namespace trestle::slurm
