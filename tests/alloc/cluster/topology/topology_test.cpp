// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/topology.hpp"

#include <functional>
#include <string>
#include <vector>

#include "model/topologies.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {
namespace {

TEST_CASE("topology_for: the named one, or the first of the kind", "[alloc][topology]") {
    Network network;
    network.trees = {{"tree", {}}, {"other", {}}};
    network.blocks = {{"blocks", {}, {}}};
    network.toruses = {{"torus", {}}};
    network.rings = {{"ring", {}}};
    Network only_blocks;
    only_blocks.blocks = network.blocks;
    struct Row {
        std::function<void(TopologyRequest&)> change;
        std::string found;
        std::string found_in_blocks;
        const char* why;
    };
    const std::vector<Row> rows = {
        {[](auto&) {}, "none", "none", "nothing is asked"},
        {[](auto& r) { r.is_contiguous = true; }, "none", "none", "ids are no topology"},
        {[](auto& r) { r.switches_max = Count(2); }, "tree 0",
         "topology: asked a topology of kind tree, there is none", "switches"},
        {[](auto& r) { r.switches_max = Count(2), r.switches = Strictness::prefer; }, "tree 0",
         "none", "switches, if there are any"},
        {[](auto& r) { r.switches_max = Count(2), r.switches = Strictness::ignore; }, "none",
         "none", "switches do not matter"},
        {[](auto& r) { r.level = Count(1); }, "tree 0", "block 0", "a level of a tree, or blocks"},
        {[](auto& r) { r.level = Count(1), r.within = Strictness::ignore; }, "none", "none",
         "the level does not matter"},
        {[](auto& r) { r.segment_size = Count(1); }, "block 0", "block 0", "segments"},
        {[](auto& r) { r.shape = TorusTopology::Shape{}; }, "torus 0",
         "topology: asked a topology of kind torus, there is none", "a shape"},
        {[](auto& r) { r.is_on_ring = true; }, "ring 0",
         "topology: asked a topology of kind ring, there is none", "a ring"},
        {[](auto& r) { r.topology = "other"; }, "tree 1",
         "topology: asked the topology other, there is none", "by name alone"},
        {[](auto& r) { r.topology = "blocks", r.level = Count(0); }, "block 0", "block 0",
         "a level of the named blocks"},
        {[](auto& r) { r.topology = "blocks", r.switches_max = Count(1); },
         "topology: the topology blocks is of kind block, asked tree",
         "topology: the topology blocks is of kind block, asked tree", "blocks are no switches"},
        {[](auto& r) { r.topology = "torus"; },
         "topology: the topology torus is of kind torus, asked any with a shape",
         "topology: asked the topology torus, there is none", "a torus alone says nothing"},
    };
    const auto text = [](const Verdict<std::optional<TopologyId>>& found) {
        if (!found) return to_text(found.refusal());
        if (!*found) return std::string("none");
        return fmt::format("{} {}", (*found)->kind, (*found)->position);
    };
    for (const Row& row : rows) {
        INFO(row.why);
        TopologyRequest request;
        row.change(request);
        CHECK(text(topology_for(network, request)) == row.found);
        CHECK(text(topology_for(only_blocks, request)) == row.found_in_blocks);
    }
}

TEST_CASE("select_leaves_for: what is preferred may be missed", "[alloc][topology]") {
    // top - {left - {0 1}, right - {2 3}}
    TreeTopology tree{"tree", {{"top", std::nullopt, {}}}};
    for (const char* name : {"left", "right"})
        tree.switches.push_back({name, TreeTopology::SwitchId(0), {}});
    for (const std::uint32_t i : {0u, 1u, 2u, 3u}) {
        tree.switches.push_back(
            {"leaf" + std::to_string(i), TreeTopology::SwitchId(1 + i / 2), {}});
    }
    LeafIndex index{Shared<LeafTree>(LeafTree(tree))};
    for (const std::uint32_t leaf : {0u, 1u, 2u, 3u}) index.set_count(leaf, leaf == 3 ? 1 : 2);
    TopologyRequest request;
    request.level = Count(1);
    const auto leaves = [&](std::uint32_t nodes) {
        const auto found = select_leaves_for(index, request, {nodes, 1, {}, {}, {}});
        return found ? found->shares.size() : 0;
    };
    CHECK(leaves(3) == 2);
    CHECK(leaves(5) == 0);
    request.within = Strictness::prefer;
    CHECK(leaves(5) == 3);
    CHECK(leaves(8) == 0);
    request.level.reset();
    request.switches_max = Count(2);
    CHECK(leaves(5) == 0);
    request.switches = Strictness::prefer;
    CHECK(leaves(5) == 3);
    CHECK(leaves(3) == 2);
    request.switches_max.reset();
    request.segment_size = Count(2);
    CHECK(leaves(4) == 2);
    CHECK(leaves(8) == 0);
}

}  // namespace
}  // namespace trestle
