// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/cycle.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/schedule/eligible.hpp"
#include "trestle/alloc/schedule/requeue.hpp"

namespace trestle {
namespace {

detail::Links links_to(const std::vector<std::vector<std::size_t>>& targets) {
    detail::Links links;
    for (const auto& one : targets) {
        links.targets.insert(links.targets.end(), one.begin(), one.end());
        links.end_node();
    }
    return links;
}

}  // namespace

TEST_CASE("find_cycle: a way of a million links needs no stack", "[alloc][queue]") {
    constexpr std::size_t nodes = 1'000'000;
    detail::Links links;
    for (std::size_t node = 0; node < nodes; ++node) {
        if (node + 1 < nodes) links.targets.push_back(node + 1);
        links.end_node();
    }
    CHECK(detail::find_cycle(links).empty());
    links.targets.push_back(nodes / 2);
    links.ends.back() = links.targets.size();
    const auto cycle = detail::find_cycle(links);
    CHECK(cycle.size() == nodes / 2);
    CHECK(cycle.front() == nodes / 2);
}

TEST_CASE("stuck_nodes: what waits for itself, and what waits for such", "[alloc][queue]") {
    // 0 and 1 wait for each other, 2 for 1, 3 for one of 1 and 4, 4 for nobody, 5 for itself.
    const auto links = links_to({{1}, {0}, {1, 4}, {1, 4}, {}, {5}});
    using NodeFlags = std::vector<bool>;
    const NodeFlags all(6);
    CHECK(detail::stuck_nodes(links, all) == NodeFlags{true, true, true, true, false, true});
    const NodeFlags one_of{false, false, false, true, false, false};
    const NodeFlags stuck = detail::stuck_nodes(links, one_of);
    CHECK(stuck == NodeFlags{true, true, true, false, false, true});
    const std::size_t none = detail::no_node;
    CHECK(detail::cycle_numbers(links, stuck) ==
          std::vector<std::size_t>{0, 0, none, none, none, 5});
}

TEST_CASE("cycle_numbers: cycles behind each other and in each other", "[alloc][queue]") {
    // 0 1 2 in a ring with 1 3 in another; from there to the ring of 4 and 5, over 6.
    const auto links = links_to({{1}, {2, 3}, {0}, {1, 6}, {5}, {4}, {4}});
    const std::size_t none = detail::no_node;
    CHECK(detail::cycle_numbers(links, std::vector<bool>(7, true)) ==
          std::vector<std::size_t>{0, 0, 0, 0, 4, 4, none});
    CHECK(detail::cycle_numbers(links, {true, true, false, true, true, true, true}) ==
          std::vector<std::size_t>{none, 1, none, 1, 4, 4, none});
}

TEST_CASE("eligible_jobs: an array of which each task waits for all of another", "[alloc][queue]") {
    constexpr std::uint64_t tasks = 20'000;
    const auto behind = [](std::uint64_t array) {
        return Dependency{Dependency::Kind::afterok, {}, {}, ArrayId(array)};
    };
    std::vector<QueuedJob> queue;
    QueueState state;
    for (std::uint64_t owner = 1; owner <= 2 * tasks; ++owner) {
        queue.push_back({OwnerId(owner), {}, {}});
        StartConditions task;
        task.owner = OwnerId(owner);
        task.array = ArrayId(owner <= tasks ? 1 : 2);
        if (tasks < owner) task.dependencies = {behind(1)};
        state.conditions.push_back(task);
    }
    const auto found = eligible_jobs(queue, state, Instant(0));
    REQUIRE(found.ok());
    CHECK(found->eligible.size() == tasks);
    CHECK(found->waiting.size() == tasks);
    CHECK(check_cycles(queue, state).ok());
    for (std::uint64_t i = 0; i < tasks; ++i) state.conditions[i].dependencies = {behind(2)};
    CHECK(eligible_jobs(queue, state, Instant(0))->never.size() == 2 * tasks);
}

}  // namespace trestle
