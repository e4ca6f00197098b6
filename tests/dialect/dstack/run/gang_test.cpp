// SPDX-License-Identifier: Apache-2.0
// Who of a distributed run may start and who must stop: the tables, and all small gangs.
#include "trestle/dialect/dstack/run/gang.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using dstack::GangStep;
using dstack::JobStatus;
using dstack::StartupOrder;
using dstack::StopCriteria;
using testing::Choices;
using testing::for_all_choices;
using enum dstack::JobStatus;

/// Word by word, without a table.
GangStep plain_step(StartupOrder order, StopCriteria criteria, const std::vector<JobStatus>& jobs) {
    GangStep step;
    bool any_bad = false;
    bool all_done = true;
    for (const JobStatus job : jobs) {
        any_bad |= job == failed || job == terminated || job == aborted;
        all_done &= job == done;
    }
    const bool is_over = any_bad || (criteria == StopCriteria::master_done && jobs[0] == done);
    bool workers_started = true;
    for (std::size_t i = 1; i < jobs.size(); ++i) workers_started &= jobs[i] >= running;
    for (std::uint32_t i = 0; i < jobs.size(); ++i) {
        const bool is_held = order == StartupOrder::master_first    ? i > 0 && jobs[0] < running
                             : order == StartupOrder::workers_first ? i == 0 && !workers_started
                                                                    : false;
        if (is_over && jobs[i] < terminating) step.must_stop.push_back(i);
        if (!is_over && jobs[i] < running && !is_held) step.may_start.push_back(i);
    }
    const auto has = [&](JobStatus wanted) {
        return std::find(jobs.begin(), jobs.end(), wanted) != jobs.end();
    };
    if (criteria == StopCriteria::master_done && jobs[0] == done) {
        step.outcome = done;
    } else if (has(aborted)) {
        step.outcome = aborted;
    } else if (has(failed)) {
        step.outcome = failed;
    } else if (has(terminated)) {
        step.outcome = terminated;
    } else if (all_done) {
        step.outcome = done;
    }
    return step;
}

const std::vector<StartupOrder> orders{StartupOrder::any, StartupOrder::master_first,
                                       StartupOrder::workers_first};
const std::vector<StopCriteria> criterias{StopCriteria::all_done, StopCriteria::master_done};

}  // namespace

TEST_CASE("dstack gang: the tables have every case once", "[dialect][dstack]") {
    std::set<std::tuple<StartupOrder, dstack::GangRole>> startups;
    for (const auto& rule : dstack::startup_rules()) startups.insert({rule.order, rule.role});
    CHECK(startups.size() == 6);
    CHECK(dstack::startup_rules().size() == 6);
    std::set<std::tuple<StopCriteria, dstack::GangRole, bool>> stops;
    for (const auto& rule : dstack::stop_rules()) {
        stops.insert({rule.criteria, rule.role, rule.is_done});
        if (!rule.is_done) CHECK(rule.stops == dstack::GangPart::all);
    }
    CHECK(stops.size() == 8);
    CHECK(dstack::stop_rules().size() == 8);
}

TEST_CASE("dstack gang: which jobs may start and which must stop", "[dialect][dstack]") {
    struct Row {
        StartupOrder order;
        StopCriteria criteria;
        std::vector<JobStatus> jobs;
        std::vector<std::uint32_t> may_start;
        std::vector<std::uint32_t> must_stop;
        std::optional<JobStatus> outcome;
        const char* why;
    };
    constexpr auto any = StartupOrder::any;
    constexpr auto master = StartupOrder::master_first;
    constexpr auto workers = StartupOrder::workers_first;
    constexpr auto all = StopCriteria::all_done;
    constexpr auto first = StopCriteria::master_done;
    const Row rows[] = {
        {any, all, {pulling, pulling, pulling}, {0, 1, 2}, {}, {}, "in any order"},
        {master, all, {pulling, pulling, pulling}, {0}, {}, {}, "the master alone"},
        {master, all, {running, pulling, running}, {1}, {}, {}, "then the others"},
        {workers, all, {pulling, pulling, pulling}, {1, 2}, {}, {}, "the workers"},
        {workers, all, {pulling, running, pulling}, {2}, {}, {}, "not the master yet"},
        {workers, all, {pulling, running, running}, {0}, {}, {}, "now the master"},
        {workers, all, {pulling, done, running}, {0}, {}, {}, "a quick worker holds nobody up"},
        {workers, all, {pulling}, {0}, {}, {}, "without workers there is nobody to wait for"},
        {any, all, {done, running, running}, {}, {}, {}, "all-done: the master's end is no end"},
        {any, first, {done, running, running}, {}, {1, 2}, done, "master-done: it is"},
        {any, first, {running, done, done}, {}, {}, {}, "the workers' end is none"},
        {any, first, {done, failed, terminating}, {}, {}, done, "whatever becomes of workers"},
        {any, all, {done, done, done}, {}, {}, done, "all are done"},
        {any, all, {running, failed, running}, {}, {0, 2}, failed, "one failed: all stop"},
        {any, first, {running, failed, pulling}, {}, {0, 2}, failed, "and nobody starts"},
        {any, all, {terminating, failed, terminating}, {}, {}, failed, "asked already"},
        {any, all, {terminated, aborted, failed}, {}, {}, aborted, "aborted says most"},
        {any, all, {terminated, done, done}, {}, {}, terminated, "one was stopped"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const GangStep step = dstack::gang_step(row.order, row.criteria, row.jobs);
        CHECK(step == GangStep{row.may_start, row.must_stop, row.outcome});
    }
    CHECK(broken_contract([] { static_cast<void>(dstack::gang_step(any, all, {})); }) ==
          "a run has a job");
}

TEST_CASE("dstack gang: all gangs of up to four are as the words say", "[dialect][dstack][law]") {
    const std::vector<JobStatus> statuses{submitted, running,    terminating, done,
                                          failed,    terminated, aborted};
    const auto gangs = for_all_choices([&](Choices& choices) {
        const StartupOrder order = choices.of(orders);
        const StopCriteria criteria = choices.of(criterias);
        std::vector<JobStatus> jobs(1 + choices.below(4));
        for (JobStatus& job : jobs) job = choices.of(statuses);
        REQUIRE(dstack::gang_step(order, criteria, jobs) == plain_step(order, criteria, jobs));
    });
    CHECK(gangs == 6 * (7 + 49 + 343 + 2401));
}

TEST_CASE("dstack gang: jobs that start when they may, end; no order waits for ever",
          "[dialect][dstack][law]") {
    for_all_choices([&](Choices& choices) {
        const StartupOrder order = choices.of(orders);
        const StopCriteria criteria = choices.of(criterias);
        std::vector<JobStatus> jobs(1 + choices.below(5), submitted);
        const bool fails = choices.below(2) == 1;
        for (int round = 0; round < 8; ++round) {
            const GangStep step = dstack::gang_step(order, criteria, jobs);
            for (const auto rank : step.may_start) jobs[rank] = running;
            for (const auto rank : step.must_stop) jobs[rank] = terminated;
            if (!step.may_start.empty() || !step.must_stop.empty()) continue;
            for (JobStatus& job : jobs) {
                if (job == running) job = done;
            }
            if (fails && !jobs.empty()) jobs.back() = failed;
        }
        const GangStep last = dstack::gang_step(order, criteria, jobs);
        REQUIRE(last.outcome.has_value());
        REQUIRE(std::all_of(jobs.begin(), jobs.end(), &dstack::is_ended));
    });
}

}  // namespace trestle
