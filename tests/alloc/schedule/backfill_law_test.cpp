// SPDX-License-Identifier: Apache-2.0
// EASY and conservative backfilling against the textbook's counting, start by start.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_backfill.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

/// When each job starts if a pass is made whenever something changes.
std::vector<std::int64_t> starts_by_passes(std::int64_t nodes, const std::vector<CountedJob>& jobs,
                                           const Discipline& discipline, bool whole_nodes) {
    Timeline timeline(*testing::cluster_from_text(fmt::format("{} x (2c)", nodes)));
    StartFinder finder;
    std::vector<std::int64_t> starts(jobs.size(), -1);
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
            if (whole_nodes) request.exclusivity = Exclusivity::whole_node;
            queue.push_back({OwnerId(i + 1), request, Seconds(jobs[i].seconds)});
        }
        const auto pass = schedule_pass(timeline, queue, discipline, finder);
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

World random_world(std::mt19937& random) {
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    World world{2 + below(7), {}};
    const std::int64_t count = 3 + below(12);
    for (std::int64_t i = 0; i < count; ++i) {
        world.jobs.push_back({below(12), 1 + below(world.nodes), 1 + below(9)});
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
        for (const bool whole : {true, false}) {
            INFO((whole ? "whole nodes" : "all cores of nodes"));
            CHECK(starts_by_passes(world.nodes, world.jobs, Discipline::easy(), whole) == expected);
        }
    }
}

TEST_CASE("conservative: starts as counting has them, but for nodes reserved by name",
          "[alloc][time][law]") {
    std::mt19937 random(test_seed());
    const int rounds = test_rounds(200);
    int same = 0, same_by_policy = 0;
    for (int round = 0; round < rounds; ++round) {
        const World world = random_world(random);
        const auto expected = BackfillOracle(world.nodes, world.jobs).conservative();
        Discipline by_policy = Discipline::conservative();
        by_policy.spares_idle = false;
        const auto starts = [&](const Discipline& discipline) {
            return starts_by_passes(world.nodes, world.jobs, discipline, true);
        };
        if (starts(Discipline::conservative()) == expected) ++same;
        if (starts(by_policy) == expected) ++same_by_policy;
    }
    CHECK(same >= rounds * 19 / 20);
    CHECK(same_by_policy <= same);
}

}  // namespace trestle
