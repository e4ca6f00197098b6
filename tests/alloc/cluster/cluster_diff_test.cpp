// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/cluster_diff.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/cluster_history.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

Cluster diffed_cluster() {
    auto parts = *testing::cluster_parts_from_text("3 x (4c mem=16G gpu:2/4)");
    parts.counts = {{"abaqus", Count(3)}};
    parts.partitions = {{}, {}};
    parts.partitions[0].name = "day";
    parts.partitions[1].name = "night";
    Cluster cluster = *Cluster::create(parts);
    NodePlacement part;
    part.cores = CoreSet::range({0, 2});
    REQUIRE(cluster.commit({OwnerId(7), {}, {{part}}}).ok());
    return cluster;
}

Placement core_of(std::uint32_t node, std::uint32_t core) {
    NodePlacement part;
    part.node = NodeId(node);
    part.cores = CoreSet::of({CoreId(core)});
    return {{part}};
}

}  // namespace

TEST_CASE("Cluster diff: equal clusters differ in nothing", "[alloc]") {
    const Cluster cluster = diffed_cluster();
    CHECK(diff(cluster, cluster).is_empty());
    CHECK(diff(cluster, diffed_cluster()).is_empty());
    CHECK(to_text(diff(cluster, cluster)) == "");
}

TEST_CASE("Cluster diff: one line a change", "[alloc][golden]") {
    const Cluster before = diffed_cluster();
    Cluster after = before;
    REQUIRE(after.release_part(OwnerId(7), core_of(0, 1)).ok());
    REQUIRE(after.commit({OwnerId(9), {}, core_of(1, 3)}).ok());
    after.set_node_state(NodeId(0), NodeState::drained);
    after.set_node_features(NodeId(0), {"fast"});
    REQUIRE(after.remove_node(NodeId(2)).ok());
    Node added = before.node(NodeId(1));
    added.name = "spare";
    REQUIRE(after.add_node(added).ok());
    REQUIRE(after.set_counts({{"abaqus", Count(5)}, {"power", Count(9)}}).ok());
    auto partitions = before.partitions();
    std::swap(partitions[0], partitions[1]);
    REQUIRE(after.set_partitions(partitions).ok());
    CHECK(to_text(diff(before, after)) ==
          "node 0: n0: features: [] -> [fast], state: up -> drained\n"
          "node 2: n2: name: n2 -> , state: up -> removed\n"
          "node 3: added, spare\n"
          "owner 7: node 0: cores=0-1 -> node 0: cores=0\n"
          "owner 9: came: node 1: cores=3\n"
          "partition night: moved in the list\n"
          "partition day: moved in the list\n"
          "count abaqus: abaqus:3 -> abaqus:5\n"
          "count power: came: power:9");
    const ClusterDiff back = diff(after, before);
    CHECK(back.allocations[1].before->placement == core_of(1, 3));
    CHECK(back.allocations[1].after == std::nullopt);
    CHECK(back.nodes[2].after == std::nullopt);
}

TEST_CASE("Cluster diff: what differs is found, and nothing else", "[alloc][law]") {
    INFO("seed " << test_seed());
    std::uint64_t unequal = 0;
    testing::for_random_choices({test_seed(), test_rounds(80u)}, [&](Choices& choices) {
        ClusterHistory history(choices);
        Cluster before = history.cluster();
        ClusterModel model = history.model();
        for (int i = 0; i < 10; ++i) {
            history.run(choices.below(12));
            const Cluster& after = history.cluster();
            // Also against one that shares nothing with it.
            const ClusterDiff found = diff(choices.one_in(3) ? rebuilt(model) : before, after);
            REQUIRE(found.is_empty() == (before == after));
            if (!found.is_empty()) ++unequal;
            std::map<OwnerId, Allocation> owners = model.allocations();
            for (const Change<OwnerId, Allocation>& one : found.allocations) {
                REQUIRE((owners.count(one.key) == 1) == one.before.has_value());
                if (one.before) REQUIRE(owners[one.key] == *one.before);
                owners.erase(one.key);
                if (one.after) owners[one.key] = *one.after;
            }
            REQUIRE(owners == history.model().allocations());
            std::vector<Node> nodes = model.parts().nodes;
            for (const Change<NodeId, Node>& one : found.nodes) {
                nodes.resize(std::max<std::size_t>(nodes.size(), one.key.value() + 1));
                if (one.before) REQUIRE(nodes[one.key.value()] == *one.before);
                if (one.after) nodes[one.key.value()] = *one.after;
            }
            nodes.resize(history.model().node_count());
            REQUIRE(nodes == history.model().parts().nodes);
            REQUIRE(found.network.has_value() ==
                    (model.parts().network != history.model().parts().network));
            if (choices.one_in(2)) {
                before = after;
                model = history.model();
            }
        }
    });
    CHECK(unequal > test_rounds(300u));
}

}  // namespace trestle
