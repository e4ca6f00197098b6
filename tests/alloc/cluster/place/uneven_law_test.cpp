// SPDX-License-Identifier: Apache-2.0
// Jobs split unevenly: all small worlds, and random ones, against an oracle that writes down every
// split.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/split/splits.hpp"
#include "support/catch.hpp"
#include "support/oracle_place.hpp"
#include "support/random_job.hpp"
#include "support/seed.hpp"
#include "support/uneven_jobs.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {

TEST_CASE("uneven: all small worlds, every split", "[alloc][law][slow]") {
    std::uint64_t placed = 0;
    std::uint64_t asked = 0;
    const auto ask = [&](const std::vector<std::pair<int, int>>& nodes, std::uint32_t gpus_asked,
                         std::uint32_t tasks_asked, std::int64_t on_nodes,
                         TaskDistribution::Split split) {
        std::string text;
        for (const auto& [cores, gpus] : nodes) {
            text += fmt::format("{}({}c{})", text.empty() ? "" : "; ", cores,
                                gpus == 0 ? std::string() : fmt::format(" gpu:{}", gpus));
        }
        const Cluster cluster = *testing::cluster_from_text(text);
        Request request = gpus_asked == 0 ? Request() : gpus_on({}, gpus_asked);
        request.nodes = on_nodes == 0 ? Range<Count>::at_least(Count(1)) : nodes_exactly(on_nodes);
        if (tasks_asked != 0) request.tasks = Count(tasks_asked);
        request.distribution.split = split;
        ++asked;
        expect_oracle(cluster, request, {}, placed);
    };
    testing::for_all_choices([&](testing::Choices& choices) {
        std::vector<std::pair<int, int>> nodes;
        const std::uint64_t count = 2 + choices.below(3);
        int cores = 1;
        for (std::uint64_t i = 0; i < count; ++i) {  // rising: names do not matter
            cores += static_cast<int>(choices.below(3));
            nodes.emplace_back(std::min(cores, 4), 0);
        }
        const auto tasks = static_cast<std::uint32_t>(2 + choices.below(5));
        const auto on_nodes = static_cast<std::int64_t>(choices.below(count + 1));
        for (const TaskDistribution::Split split :
             {TaskDistribution::Split::as_even, TaskDistribution::Split::packed}) {
            ask(nodes, 0, tasks, on_nodes, split);
        }
    });
    testing::for_all_choices([&](testing::Choices& choices) {
        std::vector<std::pair<int, int>> nodes;
        const std::uint64_t count = 2 + choices.below(2);
        for (std::uint64_t i = 0; i < count; ++i) {
            nodes.emplace_back(1 + choices.below(3), choices.below(3));
        }
        const auto tasks = static_cast<std::uint32_t>(choices.below(3) * 2);
        const auto gpus = static_cast<std::uint32_t>(1 + choices.below(4));
        const TaskDistribution::Split split = choices.below(2) == 0
                                                  ? TaskDistribution::Split::as_even
                                                  : TaskDistribution::Split::packed;
        ask(nodes, gpus, tasks, static_cast<std::int64_t>(choices.below(count + 1)), split);
    });
    CHECK(placed > asked / 4);
    CHECK(asked > 5'000);
}

TEST_CASE("uneven: random worlds of unlike nodes", "[alloc][law]") {
    INFO("seed " << test_seed());
    std::uint64_t placed = 0;
    std::uint64_t asked = 0;
    testing::for_random_choices({test_seed(), test_rounds(2'000U)}, [&](testing::Choices& choices) {
        const Cluster cluster = any_job_world(choices, {4, false});
        const Request request = any_split_job(choices, cluster);
        if (!check(request).ok()) return;
        ++asked;
        expect_oracle(cluster, request, any_place_options(choices), placed);
    });
    CHECK(placed > asked / 20);
}

TEST_CASE("uneven: instances of cut devices, random worlds", "[alloc][law]") {
    INFO("seed " << test_seed());
    std::uint64_t placed = 0;
    std::uint64_t asked = 0;
    testing::for_random_choices({test_seed(), test_rounds(200U)}, [&](testing::Choices& choices) {
        std::string text = "(4c gpu:1@slices=a100-40gb)";
        const std::uint64_t nodes = 2 + choices.below(2);
        for (std::uint64_t i = 1; i < nodes; ++i) {
            text += choices.one_in(4) ? "; (4c)" : "; (4c gpu:1@slices=a100-40gb)";
        }
        Cluster cluster = *testing::cluster_from_text(text);
        const auto any_slices = [&](std::uint64_t most) {
            Request request = gpus_on({}, 1 + static_cast<std::int64_t>(choices.below(most)));
            request.nodes = nodes_exactly(1);
            request.devices[0].slice =
                choices.of(std::vector<std::string>{"1g.5gb", "1g.5gb", "2g.10gb", "3g.20gb"});
            return request;
        };
        for (std::uint64_t i = choices.below(3); i > 0; --i) {
            const Request before = any_slices(3);
            const auto taken = place(cluster, before);
            if (!taken) continue;
            REQUIRE(cluster.commit({OwnerId(i), before, *taken}).ok());
        }
        Request request = any_slices(12);
        request.nodes =
            choices.one_in(2) ? nodes_exactly(2) : Range<Count>::between(Count(1), Count(3));
        if (choices.one_in(2))
            request.tasks = Count(1 + static_cast<std::int64_t>(choices.below(4)));
        if (choices.one_in(3)) request.distribution.split = TaskDistribution::Split::packed;
        if (!check(request).ok()) return;
        ++asked;
        expect_oracle(cluster, request, any_place_options(choices), placed);
    });
    CHECK(placed > asked / 20);
}

TEST_CASE("uneven: a small budget gives up, and never says a wrong no", "[alloc][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(1'000U)}, [&](testing::Choices& choices) {
        const Cluster cluster = any_job_world(choices, {4, false});
        const Request request = any_split_job(choices, cluster);
        if (!check(request).ok()) return;
        PlaceOptions few;
        few.fit.steps_max = 1 + choices.below(choices.one_in(2) ? 60 : 3000);
        const auto answer = place(cluster, request, few);
        if (!answer && answer.refusal().constraint == Constraint::gave_up) return;
        INFO(world_text(cluster, request)
             << "\nsteps " << few.fit.steps_max << "\nanswer " << to_text(answer));
        CHECK(answer.has_value() == place(cluster, request).has_value());
    });
}

TEST_CASE("uneven: random trees, fewest switches before the split", "[alloc][law]") {
    INFO("seed " << test_seed());
    std::uint64_t placed = 0;
    std::uint64_t asked = 0;
    testing::for_random_choices({test_seed(), test_rounds(4'000U)}, [&](testing::Choices& choices) {
        const std::size_t leaves = 1 + choices.below(3);
        const Cluster cluster = any_tree_world(choices, leaves);
        Request request = any_split_job(choices, cluster);
        request.components.clear();
        request.feature_sets.clear();  // the network comes before alternatives
        request.device_alternatives.clear();
        request.topology.switches_max = Count(1 + static_cast<std::int64_t>(choices.below(2)));
        request.topology.switches = Strictness::prefer;
        if (choices.one_in(3)) {
            request.topology.level = Count(static_cast<std::int64_t>(choices.below(2)));
            request.topology.within =
                choices.of(std::vector{Strictness::prefer, Strictness::require});
        }
        if (!check(request).ok()) return;
        ++asked;
        const auto answer = place(cluster, request);
        INFO(world_text(cluster, request) << "\nanswer " << to_text(answer));
        REQUIRE(answer.has_value() == PlaceOracle(cluster, request).has_placement());
        if (!answer) return;
        ++placed;
        if (request.devices.size() > 1) return;  // the oracle judges placements of one demand
        REQUIRE(PlaceOracle(cluster, request).wrong_with(*answer) == "");
        if (request.topology.level) return;
        // As many nodes as the answer has, at the fewest switches.
        request.nodes = nodes_exactly(static_cast<std::int64_t>(answer->nodes.size()));
        request.node_counts.clear();
        request.topology.switches = Strictness::require;
        const auto most = static_cast<std::size_t>(request.topology.switches_max->value());
        for (std::size_t at = 1; at <= std::min(most, leaves); ++at) {
            request.topology.switches_max = Count(static_cast<std::int64_t>(at));
            const PlaceOracle oracle(cluster, request);
            if (!oracle.has_placement()) continue;
            CHECK(oracle.has_first_split(*answer));
            return;
        }
        request.topology = {};
        CHECK(PlaceOracle(cluster, request).has_first_split(*answer));
    });
    CHECK(placed > asked / 20);
}

TEST_CASE("uneven: a limit of switches that binds nothing changes no order", "[alloc][law]") {
    INFO("seed " << test_seed());
    std::uint64_t compared = 0;
    testing::for_random_choices({test_seed(), test_rounds(4'000U)}, [&](testing::Choices& choices) {
        // Each node hangs at a leaf of its own, so all choices of nodes have as many leaves.
        const Cluster flat = any_job_world(choices, {4, false});
        ClusterParts parts = flat.parts();
        std::vector<TreeTopology::Switch> switches(1 + flat.node_count());
        switches[0].name = "top";
        for (std::uint32_t i = 0; i < flat.node_count(); ++i) {
            switches[i + 1].name = fmt::format("s{}", i);
            switches[i + 1].parent = TreeTopology::SwitchId(0);
            switches[i + 1].nodes.insert(NodeId(i));
        }
        parts.network.trees = {{"tree", std::move(switches)}};
        Cluster cluster = *Cluster::create(std::move(parts));
        for (const Allocation& taken : flat.allocations()) {
            static_cast<void>(cluster.commit(taken));
        }
        Request request = any_split_job(choices, cluster);
        request.components.clear();
        request.feature_sets.clear();
        request.device_alternatives.clear();
        if (choices.one_in(2)) request.distribution.split = TaskDistribution::Split::packed;
        if (choices.one_in(2)) {
            const auto node = choices.below(cluster.node_count());
            request.required_nodes = {cluster.name(NodeId(static_cast<std::uint32_t>(node)))};
        }
        request.topology = {};
        if (!check(request).ok()) return;
        const auto expected = place(cluster, request);
        if (!expected) return;
        request.topology.switches_max = Count(cluster.node_count());
        const auto answer = place(cluster, request);
        INFO(world_text(cluster, request)
             << "\nanswer " << to_text(answer) << "\nwithout limit " << to_text(*expected));
        REQUIRE(answer.has_value());
        if (request.devices.size() < 2) {  // the oracle judges placements of one demand
            CHECK(PlaceOracle(cluster, request).has_first_split(*answer));
        }
        // Of equal splits, the leaves come before names and scores.
        if (expected->nodes.size() == cluster.node_count()) CHECK(*answer == *expected);
        ++compared;
    });
    CHECK(compared > test_rounds(200U));
}

TEST_CASE("uneven: what takes a share takes every smaller one, where that is relied on",
          "[alloc][law]") {
    INFO("seed " << test_seed());
    std::uint64_t compared = 0;
    testing::for_random_choices({test_seed(), test_rounds(2'000U)}, [&](testing::Choices& choices) {
        const Cluster cluster = any_job_world(choices, {2, false});
        Request request = any_split_job(choices, cluster);
        if (!check(request).ok() || !request.device_alternatives.empty()) return;
        if (!detail::SplitLimits::of(cluster, request).takes_less) return;
        detail::Share share{1 + static_cast<std::int64_t>(choices.below(5))};
        for (const DeviceRequest& one : request.devices) {
            if (one.per == Per::job) share.push_back(static_cast<std::int64_t>(choices.below(4)));
        }
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
            const NodeId node(i);
            const auto& groups = cluster.shape(node).hardware.groups;
            const auto packages = std::count_if(groups.begin(), groups.end(), [](const auto& one) {
                return one.level == HardwareLevel::package;
            });
            const auto answer = [&](const detail::Share& asked) {
                const NodeDemand demand = demand_of(request, detail::part_of(asked, 8),
                                                    std::max(1U, static_cast<unsigned>(packages)));
                return fit(cluster.shape(node), cluster.ledger(node), demand);
            };
            if (!answer(share)) continue;
            for (std::size_t at = 0; at < share.size(); ++at) {
                detail::Share less = share;
                if (--less[at] < (at == 0 ? 1 : 0)) continue;
                INFO(world_text(cluster, request) << "\nnode " << i << " amount " << at);
                CHECK(answer(less).has_value());
            }
        }
        ++compared;
    });
    CHECK(compared > 100);
}

}  // namespace trestle
