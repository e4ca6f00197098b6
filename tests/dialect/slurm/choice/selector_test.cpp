// SPDX-License-Identifier: Apache-2.0
// A Selector's memory: no answer may depend on it, whatever happens to the cluster.
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "support/slurm_worlds.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/selector.hpp"

namespace trestle {
namespace {

using slurm::Answer;
using slurm::Decision;
using slurm::Selector;
using slurm_worlds::Life;
using slurm_worlds::Marks;
using slurm_worlds::World;

/// A change of what there is. Requires: the rules have the cluster's own order.
void change_description(Rng& rng, Cluster& cluster, std::uint64_t number) {
    const NodeId node(static_cast<std::uint32_t>(rng.below(cluster.node_count())));
    if (cluster.class_of(node).state == NodeState::removed) return;
    switch (rng.below(6)) {
        case 0: {
            Node more = cluster.node(node);
            more.name = fmt::format("more{}", number);
            more.state = NodeState::up;
            REQUIRE(cluster.add_node(more).ok());
            break;
        }
        case 1:  // refused where somebody has something
            static_cast<void>(cluster.remove_node(node));
            break;
        case 2:
            cluster.set_node_features(node, {fmt::format("kind{}", rng.below(3))});
            break;
        case 3:
            cluster.set_node_health(node, rng.chance(1, 2) ? Health::healthy : Health::failure);
            break;
        case 4: {
            std::vector<Partition> partitions = cluster.partitions();
            NodeSet& nodes = partitions[rng.below(partitions.size())].nodes;
            if (nodes.contains(node)) {
                nodes.erase(node);
            } else {
                nodes.insert(node);
            }
            REQUIRE(cluster.set_partitions(std::move(partitions)).ok());
            break;
        }
        default: {
            Network network = cluster.network();
            if (network.trees.empty()) return;
            for (TreeTopology::Switch& one : network.trees.front().switches) one.nodes.erase(node);
            REQUIRE(cluster.set_network(std::move(network)).ok());
        }
    }
}

}  // namespace

TEST_CASE("Slurm Selector: what it remembers changes no answer", "[dialect][slurm][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    std::size_t allocated = 0;
    for (std::uint64_t number = 0; number < test_rounds(40u); ++number) {
        const World world = slurm_worlds::random_world(rng, Marks::none);
        Life life(world);
        const slurm::Release releases[] = {slurm::Release::v22_05, slurm::Release::v24_11,
                                           slurm::Release::v26_05};
        life.rules.release = releases[rng.below(std::size(releases))];
        const bool has_own_order = rng.chance(2, 3);
        if (has_own_order) life.rules.node_order.clear();
        Selector selector(life.rules);
        Cluster other = life.cluster;
        std::vector<std::string> asked;  // most are asked again
        for (int step = 0; step < 60; ++step) {
            const auto check = [&](const Cluster& cluster) {
                if (asked.empty() || rng.chance(1, 3)) {
                    asked.push_back(slurm_worlds::random_options(rng, world));
                }
                const std::string text = asked[rng.below(asked.size())];
                const slurm::JobOptions options = slurm_worlds::read_options(text);
                INFO(step << ": " << text << "\n" << world.slurm_conf << world.topology_conf);
                const Decision decision = selector.select(cluster, options);
                REQUIRE(slurm::select(cluster, options, life.rules) == decision);
                return decision;
            };
            life.change(rng);
            if (has_own_order && rng.chance(1, 8)) {
                change_description(rng, life.cluster, static_cast<std::uint64_t>(step));
            }
            if (rng.chance(1, 6)) {  // what is undone was never there
                const Cluster::Trial trial = life.cluster.trial();
                if (has_own_order) change_description(rng, life.cluster, 1000);
                const Decision decision = check(life.cluster);
                if (decision.answer == Answer::allocated) {
                    REQUIRE(life.cluster.commit({OwnerId(1 << 20), {}, decision.placement}).ok());
                    check(life.cluster);
                }
            }
            if (rng.chance(1, 10)) other = life.cluster;  // goes its own way from here
            if (rng.chance(1, 6)) {
                const Decision decision = check(other);
                if (decision.answer == Answer::allocated) {
                    const OwnerId owner((1U << 20) + static_cast<std::uint32_t>(step));
                    REQUIRE(other.commit({owner, {}, decision.placement}).ok());
                }
            }
            if (rng.chance(1, 20)) selector = Selector(selector);
            const Decision decision = check(life.cluster);
            life.commit(decision);
            if (decision.answer == Answer::allocated) ++allocated;
        }
    }
    CHECK(allocated > test_rounds(400u));
}

}  // namespace trestle
