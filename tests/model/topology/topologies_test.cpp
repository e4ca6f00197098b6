// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>
#include <vector>

#include "model/topologies.hpp"
#include "model/topology/levels.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/model/topology/block.hpp"
#include "trestle/model/topology/ring.hpp"
#include "trestle/model/topology/torus.hpp"
#include "trestle/model/topology/tree.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

NodeSet nodes_from(std::uint32_t first, std::uint32_t last) {
    return NodeSet::range({first, last});
}

/// A change of a topology and what check() says of it.
template <class Topology>
struct Fault {
    std::function<void(Topology&)> change;
    std::string error;
    const char* why;
};

template <class Topology>
void require_faults(const Topology& sound, const std::vector<Fault<Topology>>& faults) {
    CHECK(message(check(sound)) == "");
    CHECK(check(Topology{}).ok());
    for (const auto& row : faults) {
        INFO(row.why);
        Topology topology = sound;
        row.change(topology);
        CHECK(message(check(topology)) == row.error);
        CHECK((row.error.empty() || check(topology).code() == StatusCode::kInvalidArgument));
    }
}

/// top - {mid - {a: 0-1, b: 2-3}, c: 4}, and beside it alone: 7
TreeTopology two_trees() {
    return {"tree",
            {{"top", std::nullopt, {}},
             {"mid", TreeTopology::SwitchId(0), {}},
             {"a", TreeTopology::SwitchId(1), nodes_from(0, 2)},
             {"alone", std::nullopt, nodes_from(7, 8)},
             {"b", TreeTopology::SwitchId(1), nodes_from(2, 4)},
             {"c", TreeTopology::SwitchId(0), nodes_from(4, 5)}}};
}

TEST_CASE("nodes_below: all nodes at any depth", "[model]") {
    const TreeTopology tree = two_trees();
    CHECK(nodes_below(tree, TreeTopology::SwitchId(0)) == nodes_from(0, 5));
    CHECK(nodes_below(tree, TreeTopology::SwitchId(1)) == nodes_from(0, 4));
    CHECK(nodes_below(tree, TreeTopology::SwitchId(2)) == nodes_from(0, 2));
    CHECK(nodes_below(tree, TreeTopology::SwitchId(3)) == nodes_from(7, 8));
    CHECK(nodes_below(tree, TreeTopology::SwitchId(5)) == nodes_from(4, 5));
    CHECK(broken_contract([&] {
              static_cast<void>(nodes_below(tree, TreeTopology::SwitchId(6)));
          }) == "the switch exists");
}

TEST_CASE("heights_of: the longest way down counts", "[model]") {
    CHECK(heights_of(two_trees()) == std::vector<std::uint32_t>{2, 1, 0, 0, 0, 0});
    CHECK(heights_of({}).empty());
}

TEST_CASE("check: a tree of switches", "[model]") {
    require_faults<TreeTopology>(
        two_trees(),
        {{[](auto& t) { t.switches[2].parent = TreeTopology::SwitchId(4); },
          "switch a: its parent must stand before it", "a child before its parent"},
         {[](auto& t) { t.switches[0].parent = TreeTopology::SwitchId(0); },
          "switch top: its parent must stand before it", "a circle"},
         {[](auto& t) { t.switches[5].nodes = nodes_from(3, 5); },
          "switch c: node 3 hangs at another switch already", "one cable a node"},
         {[](auto& t) { t.switches[1].nodes = nodes_from(5, 6); },
          "switch mid: holds nodes and switches, expected one of them", "a leaf in the middle"},
         {[](auto& t) { t.switches[5].nodes = {}; }, "", "an empty leaf"},
         {[](auto& t) { t.switches[5].name = "a"; }, "switch a: the name stands twice", "two a"},
         {[](auto& t) { t.switches[5].name = ""; }, "switch: number 5 has no name", "no name"}});
}

TEST_CASE("check: blocks and their sizes", "[model]") {
    require_faults<BlockTopology>(
        {"blocks", {{"b0", nodes_from(0, 3)}, {"b1", nodes_from(3, 5)}}, {Count(3), Count(12)}},
        {{[](auto& t) { t.blocks[1].nodes = nodes_from(2, 5); },
          "block b1: node 2 is in another block already", "blocks exclude each other"},
         {[](auto& t) { t.blocks[0].name = "b1"; }, "block b1: the name stands twice", "two b1"},
         {[](auto& t) { t.blocks[0].nodes = {}; }, "", "an empty block"},
         {[](auto& t) {
              t.sizes = {Count(3), Count(9)};
          },
          "topology blocks: block size 9, expected 3 x 2^k", "three blocks are no aggregate"},
         {[](auto& t) {
              t.sizes = {Count(3), Count(6), Count(6)};
          },
          "topology blocks: block size 6 behind 6, expected rising ones", "once is enough"},
         {[](auto& t) { t.sizes = {Count(0)}; },
          "topology blocks: a block size of 0, expected 1 or more", "no nodes"},
         {[](auto& t) {
              t.sizes = {Count(4), Count(2)};
          },
          "topology blocks: block size 2, expected 4 x 2^k", "the base comes first"}});
}

TEST_CASE("levels_of: the sizes say it, else there are all", "[model]") {
    using Levels = std::vector<std::uint32_t>;
    BlockTopology topology{"blocks", {}, {Count(18), Count(72), Count(144)}};
    CHECK(levels_of(topology) == Levels{0, 2, 3});
    topology.sizes.clear();
    CHECK(levels_of(topology) == Levels{0});
    for (const auto& [count, levels] :
         {std::pair(1, Levels{0}), std::pair(2, Levels{0, 1}), std::pair(3, Levels{0, 1, 2}),
          std::pair(4, Levels{0, 1, 2}), std::pair(5, Levels{0, 1, 2, 3})}) {
        topology.blocks.resize(static_cast<std::size_t>(count));
        INFO(count);
        CHECK(levels_of(topology) == levels);
    }
}

TEST_CASE("TorusShape: its volume, unless that is too large to number", "[model]") {
    CHECK(TorusTopology::Shape{}.volume() == 1u);
    CHECK(TorusTopology::Shape{4, 3, 2}.volume() == 24u);
    CHECK(TorusTopology::Shape{4, 0, 2}.volume() == 0u);
    CHECK(TorusTopology::Shape{0xffff'ffff, 1, 1}.volume() == 0xffff'ffffu);
    CHECK(TorusTopology::Shape{0x1'0000, 0x1'0000, 1}.volume() == std::nullopt);
    CHECK(TorusTopology::Shape{0xffff'ffff, 0xffff'ffff, 0xffff'ffff}.volume() == std::nullopt);
}

TEST_CASE("check: tori", "[model]") {
    const TorusTopology::Torus pair{"pair", {2, 1, 1}, {NodeId(0), NodeId(1)}};
    const TorusTopology::Torus gap{"gap", {1, 1, 2}, {std::nullopt, NodeId(7)}};
    require_faults<TorusTopology>(
        {"torus", {pair, gap, TorusTopology::Torus{"none", {}, {std::nullopt}}}},
        {{[](auto& t) { t.toruses[0].nodes.pop_back(); },
          "torus pair: 1 places, expected 2 x 1 x 1", "a place too few"},
         {[](auto& t) {
              t.toruses[1].shape = {0, 1, 1};
          },
          "torus gap: 2 places, expected 0 x 1 x 1", "no place at all"},
         {[](auto& t) { t.toruses[1].nodes[0] = NodeId(4'294'967'295); },
          "torus gap: node 4294967295, expected a number below 4294967295", "no number of a node"},
         {[](auto& t) { t.toruses[1].nodes[0] = NodeId(1); },
          "torus gap: node 1 has a place already", "on two tori"},
         {[](auto& t) { t.toruses[1].nodes[0] = NodeId(7); },
          "torus gap: node 7 has a place already", "twice on one"},
         {[](auto& t) { t.toruses[1].name = "pair"; }, "torus pair: the name stands twice",
          "two of a name"}});
}

TEST_CASE("check: rings", "[model]") {
    require_faults<RingTopology>(
        {"ring", {{"r0", {NodeId(3), NodeId(1)}}, {"empty", {}}}},
        {{[](auto& t) { t.rings[1].nodes = {NodeId(4'294'967'295)}; },
          "ring empty: node 4294967295, expected a number below 4294967295", "no number of a node"},
         {[](auto& t) { t.rings[1].nodes = {NodeId(1)}; }, "ring empty: node 1 has a place already",
          "on two rings"},
         {[](auto& t) { t.rings[0].nodes.push_back(NodeId(3)); },
          "ring r0: node 3 has a place already", "twice on one"},
         {[](auto& t) { t.rings[1].name.clear(); }, "ring: number 1 has no name", "no name"}});
}

}  // namespace
}  // namespace trestle
