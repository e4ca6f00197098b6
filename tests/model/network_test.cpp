// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/network.hpp"

#include <functional>
#include <string>
#include <vector>

#include "model/topologies.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

NodeSet node_range(std::uint32_t first, std::uint32_t last) {
    return NodeSet::range({first, last});
}

/// A tree, blocks, a torus and a ring over the same five nodes.
Network five_nodes() {
    Network network;
    network.trees = {
        {"tree", {{"top", std::nullopt, {}}, {"a", TreeTopology::SwitchId(0), node_range(0, 5)}}}};
    network.blocks = {{"blocks", {{"rack0", node_range(0, 3)}, {"rack1", node_range(3, 5)}}, {}}};
    network.toruses = {{"torus",
                        {{"t0", {2, 1, 1}, {NodeId(0), std::nullopt}},
                         {"t1", {1, 2, 2}, {NodeId(1), NodeId(2), NodeId(3), NodeId(4)}}}}};
    network.rings = {{"ring", {{"r0", {NodeId(4), NodeId(0)}}, {"r1", {NodeId(2)}}}}};
    return network;
}

TEST_CASE("Network: a topology is found by its name, or as the first of its kind", "[model]") {
    Network network = five_nodes();
    CHECK(Network{}.is_empty());
    CHECK_FALSE(network.is_empty());
    CHECK(find_topology(network, "tree") == TopologyId{TopologyKind::tree, 0});
    CHECK(find_topology(network, "ring") == TopologyId{TopologyKind::ring, 0});
    CHECK(find_topology(network, "") == std::nullopt);
    network.toruses.insert(network.toruses.begin(), {"first", {}});
    CHECK(find_topology(network, "torus") == TopologyId{TopologyKind::torus, 1});
    CHECK(first_topology(network, TopologyKind::torus) == TopologyId{TopologyKind::torus, 0});
    CHECK(first_topology(Network{}, TopologyKind::torus) == std::nullopt);
}

TEST_CASE("nodes_of: what a topology covers", "[model]") {
    const Network network = five_nodes();
    CHECK(nodes_of(network.trees[0]) == node_range(0, 5));
    CHECK(nodes_of(network.blocks[0]) == node_range(0, 5));
    CHECK(nodes_of(network.toruses[0]) == node_range(0, 5));
    CHECK(nodes_of(network.rings[0]) == NodeSet::of({NodeId(0), NodeId(2), NodeId(4)}));
    CHECK(nodes_of(TreeTopology{}).is_empty());
}

TEST_CASE("check: every fault of a network is named", "[model]") {
    struct Row {
        std::function<void(Network&)> change;
        std::string error;
        const char* why;
    };
    const std::vector<Row> rows = {
        {[](Network&) {}, "", "nodes may be in several topologies"},
        {[](Network& n) { n.rings[0].name = ""; }, "topology: ring number 0 has no name",
         "a request must be able to name it"},
        {[](Network& n) { n.rings[0].name = "tree"; }, "topology tree: the name stands twice",
         "names are shared by all kinds"},
        {[](Network& n) { n.trees[0].switches[1].parent = TreeTopology::SwitchId(1); },
         "switch a: its parent must stand before it", "a fault of a tree"},
        {[](Network& n) { n.blocks[0].blocks[1].nodes = node_range(2, 5); },
         "block rack1: node 2 is in another block already", "a fault of blocks"},
        {[](Network& n) { n.toruses[0].toruses[0].shape.z = 2; },
         "torus t0: 2 places, expected 2 x 1 x 2", "a fault of a torus"},
        {[](Network& n) { n.rings[0].rings[1].nodes = {NodeId(4)}; },
         "ring r1: node 4 has a place already", "a fault of a ring"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Network network = five_nodes();
        row.change(network);
        CHECK(message(check(network)) == row.error);
        CHECK(check(network).ok() == row.error.empty());
    }
    CHECK(check(Network{}).ok());
}

}  // namespace
}  // namespace trestle
