// SPDX-License-Identifier: Apache-2.0
// Backfilling against the textbook's counting, start by start.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_backfill.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/schedule/queue/job_queue.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

struct PassRules {
    Discipline discipline;
    bool whole_nodes = true;  ///< else all cores of nodes
    std::int64_t slack = 0;   ///< seconds
};

/// When each job starts if a pass is made whenever something changes.
std::vector<std::int64_t> starts_by_passes(std::int64_t nodes, const std::vector<CountedJob>& jobs,
                                           const PassRules& rules) {
    Timeline timeline(*testing::cluster_from_text(fmt::format("{} x (2c)", nodes)));
    StartFinder finder;
    std::vector<std::int64_t> starts(jobs.size(), -1);
    std::vector<std::optional<Instant>> start_by(jobs.size());
    std::size_t started = 0;
    for (std::int64_t now = 0; started < jobs.size(); ++now) {
        if (now > 0) REQUIRE(timeline.advance(Instant(now)).ok());
        std::vector<QueuedJob> queue;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (starts[i] >= 0 || jobs[i].submitted > now) continue;
            Request request;
            request.nodes = Range<Count>::exactly(Count(jobs[i].nodes));
            request.tasks_per_node = Range<Count>::exactly(Count(1));
            request.cpus_per_task = Range<Count>::at_least(Count(2));
            if (rules.whole_nodes) request.exclusivity = Exclusivity::whole_node;
            queue.push_back({OwnerId(i + 1), request, Seconds(jobs[i].seconds), 0, start_by[i]});
        }
        const auto pass = schedule_pass(timeline, queue, rules.discipline, finder);
        REQUIRE(pass.ok());
        for (const TimedAllocation& one : pass->starts) {
            REQUIRE(timeline.reserve(one.allocation, one.period).ok());
            starts[one.allocation.owner.value() - 1] = now;
            ++started;
        }
        for (const TimedAllocation& one : pass->reservations) {
            auto& known = start_by[one.allocation.owner.value() - 1];
            if (!known) known = saturating_add(one.period.first, Seconds(rules.slack));
        }
    }
    return starts;
}

/// The same by a queue that is kept.
std::vector<std::int64_t> starts_by_queue(std::int64_t nodes, const std::vector<CountedJob>& jobs,
                                          const JobQueue::Options& options) {
    Timeline timeline(*testing::cluster_from_text(fmt::format("{} x (2c)", nodes)));
    StartFinder finder;
    JobQueue queue(Discipline::easy(), options);
    std::vector<std::int64_t> starts(jobs.size(), -1);
    std::size_t started = 0;
    for (std::int64_t now = 0; started < jobs.size(); ++now) {
        if (now > 0) REQUIRE(timeline.advance(Instant(now)).ok());
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (jobs[i].submitted != now) continue;
            Request request;
            request.nodes = Range<Count>::exactly(Count(jobs[i].nodes));
            request.exclusivity = Exclusivity::whole_node;
            REQUIRE(queue.add({OwnerId(i + 1), request, Seconds(jobs[i].seconds)}).ok());
        }
        const auto pass = queue.schedule(timeline, finder);
        REQUIRE(pass.ok());
        for (const TimedAllocation& one : pass->starts) {
            REQUIRE(timeline.reserve(one.allocation, one.period).ok());
            starts[one.allocation.owner.value() - 1] = now;
            ++started;
        }
    }
    return starts;
}

struct World {
    std::int64_t nodes = 0;
    std::vector<CountedJob> jobs;
};

/// How many jobs there are, and until when they come.
struct Crowd {
    std::int64_t least = 3, more = 12, last = 12;
};

World random_world(std::mt19937& random, const Crowd& crowd = {}) {
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    World world{2 + below(7), {}};
    const std::int64_t count = crowd.least + below(crowd.more);
    for (std::int64_t i = 0; i < count; ++i) {
        world.jobs.push_back({below(crowd.last), 1 + below(world.nodes), 1 + below(9)});
    }
    std::sort(world.jobs.begin(), world.jobs.end(),
              [](const auto& a, const auto& b) { return a.submitted < b.submitted; });
    return world;
}

std::string text_of(const World& world) {
    std::string text = fmt::format("{} nodes;", world.nodes);
    for (const CountedJob& job : world.jobs) {
        text += fmt::format(" @{} {}x{}s", job.submitted, job.nodes, job.seconds);
    }
    return text;
}

}  // namespace

TEST_CASE("EASY: starts as the textbook's counting has them", "[alloc][time][law]") {
    std::mt19937 random(test_seed());
    for (int round = 0; round < test_rounds(300); ++round) {
        const World world = random_world(random);
        INFO(text_of(world));
        const auto expected = BackfillOracle(world.nodes, world.jobs).easy();
        for (const bool places : {true, false}) {
            INFO((places ? "with" : "without") << " places of reservations");
            CHECK(starts_by_queue(world.nodes, world.jobs, {places}) == expected);
        }
        for (const bool whole : {true, false}) {
            INFO((whole ? "whole nodes" : "all cores of nodes"));
            CHECK(starts_by_passes(world.nodes, world.jobs, {Discipline::easy(), whole}) ==
                  expected);
        }
    }
}

TEST_CASE("lookahead: starts as the best of all sets by counting", "[alloc][time][law]") {
    std::mt19937 random(test_seed());
    int other_than_easy = 0;
    const int rounds = test_rounds(300);
    for (int round = 0; round < rounds; ++round) {
        const World world = random_world(random);
        INFO(text_of(world));
        const auto expected = BackfillOracle(world.nodes, world.jobs).lookahead();
        CHECK(starts_by_passes(world.nodes, world.jobs, {Discipline::lookahead()}) == expected);
        if (BackfillOracle(world.nodes, world.jobs).easy() != expected) ++other_than_easy;
    }
    CHECK(other_than_easy > rounds / 50);
}

TEST_CASE("conservative: starts as counting has them, but for nodes reserved by name",
          "[alloc][time][law]") {
    std::mt19937 random(test_seed());
    const int rounds = test_rounds(600);
    int same = 0, same_by_policy = 0;
    for (int round = 0; round < rounds; ++round) {
        const World world = random_world(random);
        const auto expected = BackfillOracle(world.nodes, world.jobs).conservative();
        Discipline by_policy = Discipline::conservative();
        by_policy.spares_idle = false;
        const auto starts = [&](const Discipline& discipline) {
            return starts_by_passes(world.nodes, world.jobs, {discipline});
        };
        if (starts(Discipline::conservative()) == expected) ++same;
        if (starts(by_policy) == expected) ++same_by_policy;
    }
    CHECK(same >= rounds * 19 / 20);
    CHECK(same_by_policy <= same);
}

TEST_CASE("few reservations: starts as counting has them, but for nodes reserved by name",
          "[alloc][time][law][unsanitized]") {
    std::mt19937 random(test_seed());
    const int rounds = test_rounds(200);
    int same = 0, other_than_conservative = 0;
    for (int round = 0; round < rounds; ++round) {
        // Where few jobs wait, few reservations are all.
        const World world = random_world(random, {16, 6, 6});
        const std::size_t most = 2 + random() % 3;
        const auto expected = BackfillOracle(world.nodes, world.jobs).reserving(most);
        Discipline few;
        few.reservations_max = Count(static_cast<std::int64_t>(most));
        if (starts_by_passes(world.nodes, world.jobs, {few}) == expected) ++same;
        if (BackfillOracle(world.nodes, world.jobs).conservative() != expected) {
            ++other_than_conservative;
        }
    }
    CHECK(same >= rounds * 19 / 20);
    CHECK(other_than_conservative > rounds / 100);
}

TEST_CASE("slack-based: starts as counting has them, but for nodes reserved by name",
          "[alloc][time][law]") {
    std::mt19937 random(test_seed());
    const int rounds = test_rounds(200);
    int same = 0, other_than_conservative = 0;
    for (int round = 0; round < rounds; ++round) {
        const World world = random_world(random);
        const auto slack = static_cast<std::int64_t>(random() % 8);
        const auto expected = BackfillOracle(world.nodes, world.jobs).slack_based(slack);
        const auto starts =
            starts_by_passes(world.nodes, world.jobs, {Discipline::slack_based(), true, slack});
        if (starts == expected) ++same;
        if (BackfillOracle(world.nodes, world.jobs).conservative() != expected) {
            ++other_than_conservative;
        }
    }
    CHECK(same >= rounds * 9 / 10);
    CHECK(other_than_conservative > rounds / 10);
}

}  // namespace trestle
