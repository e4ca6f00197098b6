// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/network.hpp"

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

NodeSet nodes(std::uint32_t first, std::uint32_t last) { return NodeSet::range({first, last}); }

/// top - {mid - {a: 0-1, b: 2-3}, c: 4}, and beside it alone: 7
Network tree() {
    return {{{"top", std::nullopt, {}},
             {"mid", SwitchId(0), {}},
             {"a", SwitchId(1), nodes(0, 2)},
             {"alone", std::nullopt, nodes(7, 8)},
             {"b", SwitchId(1), nodes(2, 4)},
             {"c", SwitchId(0), nodes(4, 5)}},
            {{"rack0", nodes(0, 3)}, {"rack1", nodes(3, 5)}}};
}

TEST_CASE("nodes_below: all nodes at any depth", "[model]") {
    const Network network = tree();
    CHECK(nodes_below(network, SwitchId(0)) == nodes(0, 5));
    CHECK(nodes_below(network, SwitchId(1)) == nodes(0, 4));
    CHECK(nodes_below(network, SwitchId(2)) == nodes(0, 2));
    CHECK(nodes_below(network, SwitchId(3)) == nodes(7, 8));
    CHECK(nodes_below(network, SwitchId(5)) == nodes(4, 5));
    CHECK(broken_contract([&] { static_cast<void>(nodes_below(network, SwitchId(6))); }) ==
          "the switch exists");
}

TEST_CASE("check: a network is a tree, and nobody hangs at two places", "[model]") {
    CHECK(check(Network{}).ok());
    CHECK(check(tree()).ok());
    Network network = tree();
    network.switches[2].parent = SwitchId(4);
    CHECK(message(check(network)) == "switch a: its parent must stand before it");
    network = tree();
    network.switches[0].parent = SwitchId(0);
    CHECK(message(check(network)) == "switch top: its parent must stand before it");
    network = tree();
    network.switches[5].nodes = nodes(3, 5);
    CHECK(message(check(network)) == "switch c: node 3 hangs at another switch already");
    network = tree();
    network.blocks[1].nodes = nodes(2, 5);
    CHECK(message(check(network)) == "block rack1: node 2 is in another block already");
    CHECK(check(network).code() == StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace trestle
