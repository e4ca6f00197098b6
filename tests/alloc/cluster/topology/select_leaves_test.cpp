// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/select_leaves.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/topologies.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/oracle_topology.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::OracleLeafQuestion;
using testing::OracleLeaves;

/// Switches with these parents; the leaves are those that are nobody's parent.
TreeTopology switches_below(const std::vector<std::optional<std::uint32_t>>& parents) {
    TreeTopology tree{"tree", {}};
    for (const auto& parent : parents) {
        const std::string name = "s" + std::to_string(tree.switches.size());
        tree.switches.push_back({name, std::nullopt, {}});
        if (parent) tree.switches.back().parent = TreeTopology::SwitchId(*parent);
    }
    return tree;
}

BlockTopology base_blocks(std::size_t count, std::vector<Count> sizes = {}) {
    BlockTopology topology{"blocks", {}, std::move(sizes)};
    for (std::size_t i = 0; i < count; ++i)
        topology.blocks.push_back({"b" + std::to_string(i), {}});
    return topology;
}

template <class Topology>
LeafIndex leaf_index_of(const Topology& topology, const std::vector<std::uint32_t>& counts) {
    LeafIndex index{Shared<LeafTree>(LeafTree(topology))};
    for (std::uint32_t i = 0; i < counts.size(); ++i) index.set_count(i, counts[i]);
    return index;
}

/// What must be so, and that the leaves are those of the oracle.
void require_as_oracle(const LeafIndex& index, OracleLeaves world, const LeafQuestion& question) {
    OracleLeafQuestion asked{
        question.nodes, question.segment_size, question.leaves_max, question.height_max, {}};
    for (const LeafShare& one : question.required) asked.required[one.leaf] = one.nodes;
    for (std::uint32_t i = 0; i < world.counts.size(); ++i) world.counts[i] = index.count(i);
    const auto expected = testing::oracle_choice(world, asked);
    const auto found = select_leaves(index, question);
    REQUIRE(found.has_value() == expected.has_value());
    if (!found) {
        REQUIRE(found.refusal().constraint == Constraint::topology);
        return;
    }
    std::vector<std::uint32_t> leaves;
    std::uint32_t nodes = 0;
    std::uint32_t surplus = 0;
    const auto hosted = [&](std::uint32_t leaf) {
        return index.count(leaf) - index.count(leaf) % question.segment_size;
    };
    for (const LeafShare& share : found->shares) {
        leaves.push_back(share.leaf);
        nodes += share.nodes;
        surplus += hosted(share.leaf) - share.nodes;
        REQUIRE(share.nodes > 0);
        REQUIRE(share.nodes % question.segment_size == 0);
        REQUIRE(share.nodes <= hosted(share.leaf));
    }
    REQUIRE(leaves == *expected);
    REQUIRE(nodes == question.nodes);
    REQUIRE(surplus == found->surplus);
    for (const LeafShare& one : question.required) {
        const auto at = std::find(leaves.begin(), leaves.end(), one.leaf) - leaves.begin();
        REQUIRE(found->shares[static_cast<std::size_t>(at)].nodes >= one.nodes);
    }
}

TEST_CASE("select_leaves: the order, difference by difference", "[alloc][topology]") {
    // top - {left - {0 1 2}, right - {3 4 5}}
    const auto tree = switches_below({std::nullopt, 0, 0, 1, 1, 1, 2, 2, 2});
    struct Row {
        std::vector<std::uint32_t> counts;
        std::uint32_t nodes;
        std::vector<LeafShare> shares;
        const char* why;
    };
    const std::vector<Row> rows = {
        {{4, 4, 4, 4, 4, 4}, 4, {{0, 4}}, "one leaf is enough, the lowest"},
        {{4, 4, 3, 2, 4, 4}, 2, {{3, 2}}, "one leaf: what is left over is least"},
        {{4, 4, 3, 2, 4, 4}, 1, {{3, 1}}, "so also where no leaf fits exactly"},
        {{1, 4, 1, 1, 4, 1}, 6, {{1, 4}, {4, 2}}, "two leaves beat three of one switch"},
        {{1, 4, 3, 4, 4, 1}, 7, {{1, 4}, {2, 3}}, "below one switch, nothing left over"},
        {{3, 4, 2, 4, 4, 1}, 7, {{0, 3}, {1, 4}}, "the lower of two switches alike"},
        {{4, 4, 2, 2, 4, 3}, 7, {{4, 4}, {5, 3}}, "left over is less at the second switch"},
        {{4, 1, 1, 1, 4, 3}, 8, {{0, 4}, {4, 4}}, "two leaves, though not below one switch"},
        {{4, 2, 2, 4, 2, 2}, 8, {{0, 4}, {3, 4}}, "fewest leaves comes before height"},
        {{2, 2, 2, 2, 2, 2}, 5, {{0, 2}, {1, 2}, {2, 1}}, "the last leaf keeps what is left over"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto found =
            select_leaves(leaf_index_of(tree, row.counts), {row.nodes, 1, {}, {}, {}});
        REQUIRE(found);
        CHECK(found->shares == row.shares);
    }
}

TEST_CASE("select_leaves: segments are packed, not filled up greedily", "[alloc][topology]") {
    const LeafIndex index = leaf_index_of(base_blocks(5), {11, 8, 9, 15, 4});
    const auto choose = [&](std::uint32_t nodes, std::uint32_t segment) {
        const auto found = select_leaves(index, {nodes, segment, {}, {}, {}});
        return found ? found->shares : std::vector<LeafShare>{};
    };
    using Shares = std::vector<LeafShare>;
    CHECK(choose(12, 4) == Shares{{3, 12}});
    CHECK(choose(16, 4) == Shares{{0, 8}, {1, 8}});   // 15 of 16 would be no better: 3 and 1
    CHECK(choose(18, 6) == Shares{{2, 6}, {3, 12}});  // neighbours, and not three with one each
    CHECK(choose(24, 8) == Shares{{0, 8}, {1, 8}, {2, 8}});
    CHECK(choose(32, 8) == Shares{{0, 8}, {1, 8}, {2, 8}, {3, 8}});
    CHECK(choose(40, 8).empty());  // 47 nodes are there
    CHECK(select_leaves(index, {40, 8, {}, {}, {}}).refusal().reason ==
          "asked 5 segments of 8 nodes, at most 4 segments of 8 nodes can be had");
}

TEST_CASE("select_leaves: a no says what can be had", "[alloc][topology]") {
    const LeafIndex index =
        leaf_index_of(switches_below({std::nullopt, 0, 0, 1, 1, 1, 2, 2, 2}), {4, 4, 3, 2, 4, 4});
    const auto reason = [&](const LeafQuestion& question) {
        const auto found = select_leaves(index, question);
        return found ? "yes" : found.refusal().reason;
    };
    CHECK(reason({22, 1, {}, {}, {}}) == "asked 22 nodes, at most 21 nodes can be had");
    CHECK(reason({9, 1, 2, {}, {}}) ==
          "asked 9 nodes at 2 leaf switches, at most 8 nodes can be had");
    CHECK(reason({12, 1, {}, 1, {}}) ==
          "asked 12 nodes below one switch of height 1, at most 11 nodes can be had");
    CHECK(reason({9, 1, 2, 1, {}}) ==
          "asked 9 nodes below one switch of height 1 and at 2 leaf switches, at most 8 nodes can "
          "be had");
    CHECK(reason({5, 1, {}, 0, {}}) ==
          "asked 5 nodes at 1 leaf switch, at most 4 nodes can be had");
    CHECK(reason({5, 1, {}, {}, {{3, 3}}}) == "3 nodes of one leaf switch are required, it has 2");
    CHECK(reason({5, 1, {}, {}, {{0, 3}, {1, 3}}}) ==
          "asked 5 nodes, the required nodes make 6 nodes");
    CHECK(reason({21, 1, 6, 2, {{0, 3}, {1, 3}}}) == "yes");
    CHECK(select_leaves({}, {1, 1, {}, {}, {}}).refusal().reason ==
          "asked 1 node, at most 0 nodes can be had");
    const LeafIndex blocks = leaf_index_of(base_blocks(4), {4, 4, 4, 4});
    const auto found = select_leaves(blocks, {12, 4, {}, 1, {}});
    CHECK(found.refusal().reason ==
          "asked 3 segments of 4 nodes in one aggregate of 2 blocks, at most 2 segments of 4 nodes "
          "can be had");
    CHECK(broken_contract([&] {
              static_cast<void>(select_leaves(blocks, {6, 4, {}, {}, {}}));
          }) == "segments make up the nodes");
}

/// A tree of up to `switches_max` switches.
TreeTopology small_tree(Choices& choices, std::uint32_t switches_max) {
    const std::uint32_t count = choices.in(Interval<std::uint32_t>{1, switches_max + 1});
    std::vector<std::optional<std::uint32_t>> parents;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto above = choices.below(i + 1);
        parents.push_back(above == 0 ? std::nullopt
                                     : std::optional(static_cast<std::uint32_t>(above) - 1));
    }
    return switches_below(parents);
}

BlockTopology small_blocks(Choices& choices, std::uint32_t blocks_max) {
    const std::vector<std::vector<Count>> sizes = {{},
                                                   {Count(3)},
                                                   {Count(3), Count(6)},
                                                   {Count(3), Count(12)},
                                                   {Count(3), Count(6), Count(12)}};
    return base_blocks(choices.in(Interval<std::size_t>{1, blocks_max + std::size_t{1}}),
                       choices.of(sizes));
}

LeafQuestion any_leaf_question(Choices& choices, const LeafIndex& index,
                               std::uint32_t segment_max) {
    LeafQuestion question;
    question.segment_size = choices.in(Interval<std::uint32_t>{1, segment_max + 1});
    const std::uint32_t most = index.total() / question.segment_size + 1;
    question.nodes = question.segment_size * choices.in(Interval<std::uint32_t>{1, most + 1});
    if (choices.one_in(3)) question.leaves_max = choices.in(Interval<std::uint32_t>{1, 4});
    if (choices.one_in(3)) question.height_max = choices.in(Interval<std::uint32_t>{0, 4});
    for (std::uint32_t leaf = 0; leaf < index.tree().leaf_count(); ++leaf) {
        if (index.count(leaf) == 0 || !choices.one_in(12)) continue;
        question.required.push_back(
            {leaf, choices.in(Interval<std::uint32_t>{1, index.count(leaf) + 1})});
    }
    return question;
}

template <class Topology>
void require_any_as_oracle(Choices& choices, const Topology& topology, std::uint32_t nodes_max) {
    const OracleLeaves world = testing::oracle_leaves(topology);
    std::vector<std::uint32_t> counts;
    for (std::size_t i = 0; i < world.counts.size(); ++i) {
        counts.push_back(choices.in(Interval<std::uint32_t>{0, nodes_max + 1}));
    }
    const LeafIndex index = leaf_index_of(topology, counts);
    REQUIRE(index.tree().leaf_count() == world.counts.size());
    for (int i = 0; i < 3; ++i) {
        require_as_oracle(index, world, any_leaf_question(choices, index, 3));
    }
}

TEST_CASE("select_leaves: as the oracle on random trees and blocks", "[alloc][topology][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(4000u)}, [](Choices& choices) {
        require_any_as_oracle(choices, small_tree(choices, 12),
                              choices.of(std::vector{2u, 5u, 20u}));
    });
    testing::for_random_choices({test_seed(), test_rounds(4000u)}, [](Choices& choices) {
        require_any_as_oracle(choices, small_blocks(choices, 8),
                              choices.of(std::vector{2u, 6u, 20u}));
    });
}

TEST_CASE("select_leaves: as the oracle on all small worlds",
          "[alloc][topology][law][unsanitized]") {
    const std::vector<TreeTopology> trees = {
        switches_below({std::nullopt, 0, 0, 1, 1, 2, 2}),          // two pairs
        switches_below({std::nullopt, 0, 0, 0, 1, 1}),             // uneven
        switches_below({std::nullopt, std::nullopt, 0, 0, 1, 1}),  // two trees
        switches_below({std::nullopt, 0, 1, 1, 0}),                // a leaf at the top
    };
    std::uint64_t worlds = 0;
    testing::for_all_choices([&](Choices& choices) {
        ++worlds;
        const TreeTopology& tree = choices.of(trees);
        const OracleLeaves world = testing::oracle_leaves(tree);
        std::vector<std::uint32_t> counts;
        for (std::size_t i = 0; i < world.counts.size(); ++i) {
            counts.push_back(static_cast<std::uint32_t>(choices.below(4)));
        }
        const LeafIndex index = leaf_index_of(tree, counts);
        for (std::uint32_t nodes = 1; nodes <= 12; ++nodes) {
            for (const std::optional<std::uint32_t> limit :
                 {std::optional<std::uint32_t>(), std::optional(2u)}) {
                require_as_oracle(index, world, {nodes, 1, limit, {}, {}});
                require_as_oracle(index, world, {nodes, 1, {}, limit ? 1u : 0u, {}});
            }
            if (nodes % 2 == 0) require_as_oracle(index, world, {nodes, 2, {}, {}, {}});
        }
    });
    CHECK(worlds > 600);
}

TEST_CASE("select_leaves: as the oracle below three levels", "[alloc][topology][law]") {
    // top - {2 x (2 x (2 leaves))}
    const auto tree = switches_below({std::nullopt, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6});
    const OracleLeaves world = testing::oracle_leaves(tree);
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(1500u)}, [&](Choices& choices) {
        std::vector<std::uint32_t> counts;
        for (int i = 0; i < 8; ++i) counts.push_back(static_cast<std::uint32_t>(choices.below(6)));
        const LeafIndex index = leaf_index_of(tree, counts);
        for (const std::uint32_t height : {1u, 2u, 3u}) {
            LeafQuestion question = any_leaf_question(choices, index, 1);
            question.height_max = height;
            require_as_oracle(index, world, question);
        }
    });
}

TEST_CASE("LeafIndex: nodes count where they hang", "[alloc][topology]") {
    TreeTopology tree = switches_below({std::nullopt, 0, 0});
    tree.switches[1].nodes = NodeSet::range({4, 6});
    tree.switches[2].nodes = NodeSet::range({1, 4});
    LeafIndex index{Shared<LeafTree>(LeafTree(tree))};
    for (std::uint32_t node = 0; node < 9; ++node) index.add(NodeId(node));
    CHECK(index.count(0) == 2);
    CHECK(index.count(1) == 3);
    index.remove(NodeId(5));
    index.remove(NodeId(0));
    CHECK(index.count(0) == 1);
    CHECK(index.total() == 4);
    CHECK(index.tree().position_of_leaf(1) == 2);
    CHECK(index.tree().kind() == TopologyKind::tree);
    CHECK(broken_contract([&] { index.set_count(0, 0), index.remove(0u); }) ==
          "the leaf has an eligible node");
}

TEST_CASE("LeafIndex: kept up to date it equals one made anew", "[alloc][topology][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(100u)}, [](Choices& choices) {
        const Shared<LeafTree> tree{LeafTree(small_tree(choices, 12))};
        LeafIndex kept(tree);
        std::vector<std::uint32_t> counts(tree->leaf_count(), 0);
        for (int i = 0; i < 60; ++i) {
            const auto leaf = static_cast<std::uint32_t>(choices.below(counts.size()));
            if (counts[leaf] > 0 && choices.one_in(2)) {
                --counts[leaf];
                kept.remove(leaf);
            } else {
                ++counts[leaf];
                kept.add(leaf);
            }
            LeafIndex anew(tree);
            for (std::uint32_t j = 0; j < counts.size(); ++j) anew.set_count(j, counts[j]);
            REQUIRE(kept == anew);
            std::uint32_t total = 0;
            for (const std::uint32_t count : counts) total += count;
            REQUIRE(kept.total() == total);
        }
    });
}

}  // namespace
}  // namespace trestle
