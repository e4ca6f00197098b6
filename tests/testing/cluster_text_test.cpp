// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/cluster_text.hpp"

#include <string>
#include <vector>

#include "model/topologies.hpp"
#include "model/topology/levels.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/generators.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle::testing {
namespace {

ClusterParts parts_of(std::string_view text) {
    const auto parts = cluster_parts_from_text(text);
    INFO(text);
    REQUIRE(message(parts.status()) == "");
    return *parts;
}

std::vector<std::string> names_of(const ClusterParts& parts) {
    std::vector<std::string> names;
    for (const Node& node : parts.nodes) names.push_back(node.name);
    return names;
}

NodeSet nodes(std::uint32_t first, std::uint32_t last) { return NodeSet::range({first, last}); }

TEST_CASE("cluster_from_text: equal nodes below switches", "[testing]") {
    const auto cluster = cluster_from_text("64 x (2s16c2t mem=512G gpu:4) 4 per switch");
    REQUIRE(message(cluster.status()) == "");
    CHECK(cluster->node_count() == 64);
    CHECK(cluster->node(NodeId(63)).name == "n63");
    CHECK(cluster->node(NodeId(63)).shape.is_same_object(cluster->node(NodeId(0)).shape));
    const TreeTopology tree = cluster->parts().network.trees.at(0);
    CHECK(tree.name == "tree");
    REQUIRE(tree.switches.size() == 17);
    CHECK(tree.switches[0] == TreeTopology::Switch{"top", std::nullopt, {}});
    CHECK(tree.switches[16] ==
          TreeTopology::Switch{"s15", TreeTopology::SwitchId(0), nodes(60, 64)});
    CHECK(nodes_below(tree, TreeTopology::SwitchId(0)) == nodes(0, 64));
}

TEST_CASE("cluster_from_text: groups follow each other", "[testing]") {
    const ClusterParts parts = parts_of(
        "(4c name=login) + 3 x (8c name=gpu) 2 per switch 3 per block; 2 x (4c)2 per switch;(2c)");
    CHECK(names_of(parts) ==
          std::vector<std::string>{"login", "gpu0", "gpu1", "gpu2", "n0", "n1", "n2"});
    const std::vector<TreeTopology::Switch>& switches = parts.network.trees.at(0).switches;
    REQUIRE(switches.size() == 4);
    CHECK(switches[2].nodes == nodes(3, 4));
    CHECK(switches[3] == TreeTopology::Switch{"s2", TreeTopology::SwitchId(0), nodes(4, 6)});
    CHECK(parts.network.blocks ==
          std::vector{BlockTopology{"blocks", {BlockTopology::Block{"b0", nodes(1, 4)}}, {}}});
}

TEST_CASE("cluster_from_text: pods of switches", "[testing]") {
    const auto tree =
        parts_of("5 x (4c) 1 per switch 2 per pod; (2c)2 per switch").network.trees[0];
    const std::vector<TreeTopology::Switch> expected = {
        {"top", std::nullopt, {}},
        {"p0", TreeTopology::SwitchId(0), {}},
        {"s0", TreeTopology::SwitchId(1), nodes(0, 1)},
        {"s1", TreeTopology::SwitchId(1), nodes(1, 2)},
        {"p1", TreeTopology::SwitchId(0), {}},
        {"s2", TreeTopology::SwitchId(4), nodes(2, 3)},
        {"s3", TreeTopology::SwitchId(4), nodes(3, 4)},
        {"p2", TreeTopology::SwitchId(0), {}},
        {"s4", TreeTopology::SwitchId(7), nodes(4, 5)},
        {"s5", TreeTopology::SwitchId(0), nodes(5, 6)}};
    CHECK(tree.switches == expected);
    CHECK(parts_of("4 x (4c) 2 per switch 4 per pod").network.trees[0].switches.size() == 3);
}

TEST_CASE("cluster_from_text: a single switch has nothing above it", "[testing]") {
    CHECK(parts_of("2 x (4c) 8 per switch").network.trees.at(0).switches ==
          std::vector{TreeTopology::Switch{"s0", std::nullopt, nodes(0, 2)}});
}

TEST_CASE("cluster_to_text: the canonical line", "[testing][golden]") {
    struct Row {
        const char* given;
        const char* printed;
        const char* why;
    };
    const std::vector<Row> rows = {
        {"1 x (4c)", "(4c)", "one node needs no count"},
        {"2x(4c)+2x(4c)", "4 x (4c)", "equal neighbours are one group"},
        {"2 x (4c) 2 per switch; 2 x (4c) 2 per switch", "4 x (4c) 2 per switch",
         "also with their switches"},
        {"4 x (4c) 2 per switch; 4 x (4c) 4 per switch",
         "4 x (4c) 2 per switch; 4 x (4c) 4 per switch", "different switches part them"},
        {"3 x (4c) 8 per switch", "3 x (4c) 3 per switch", "a switch is as large as it is"},
        {"6 x (4c) 2 per switch 3 per block", "6 x (4c) 2 per switch 3 per block",
         "switches and blocks need not nest"},
        {"8 x (4c) 2 per switch 4 per pod 4 per block",
         "8 x (4c) 2 per switch 4 per pod 4 per block", "pods"},
        {"4 x (4c) 2 per switch 4 per pod", "4 x (4c) 2 per switch 4 per pod", "a single pod"},
        {"3 x (4c) 2 per switch 8 per pod", "3 x (4c) 2 per switch 4 per pod", "one not full"},
        {"5 x (4c) 1 per switch 2 per pod; 2 x (4c) 1 per switch",
         "5 x (4c) 1 per switch 2 per pod; 2 x (4c) 1 per switch", "with and without pods"},
        {"3 x (4c) 2 per switch; (4c)", "3 x (4c) 2 per switch; (4c)", "one without a switch"},
        {"1 x (4c name=gpu)", "1 x (4c name=gpu)", "a prefix needs its count"},
        {"(4c name=gpu)", "(4c name=gpu)", "a name does not"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.given);
        CHECK(cluster_to_text(parts_of(row.given)) == std::optional<std::string>(row.printed));
    }
}

TEST_CASE("cluster_to_text: nothing for a cluster that no line makes", "[testing]") {
    const ClusterParts regular = parts_of("4 x (4c) 2 per switch");
    const auto changed = [&](auto change) {
        ClusterParts parts = regular;
        change(parts);
        return cluster_to_text(parts);
    };
    CHECK(cluster_to_text(regular));
    CHECK_FALSE(cluster_to_text({}));
    CHECK_FALSE(changed([](ClusterParts& p) { p.network.trees[0].switches[1].name = "leaf"; }));
    CHECK_FALSE(changed([](ClusterParts& p) { p.network.trees[0].switches[1].parent.reset(); }));
    CHECK_FALSE(changed([](ClusterParts& p) { p.partitions.resize(1); }));
    CHECK_FALSE(changed([](ClusterParts& p) {
        std::swap(p.network.trees[0].switches[1].nodes, p.network.trees[0].switches[2].nodes);
    }));
}

TEST_CASE("cluster_from_text: any cluster reads back from its line", "[testing][law]") {
    const auto reads_back = [](Choices& choices) {
        const ClusterParts parts = any_cluster_parts(choices);
        const auto text = cluster_to_text(parts);
        if (!text) {
            // Switches of this generator may reach over two groups, and stand alone below a top.
            REQUIRE_FALSE(parts.network.is_empty());
            return;
        }
        INFO(*text);
        REQUIRE(cluster_parts_from_text(*text).value() == parts);
    };
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), 300}, reads_back);
    for_all_choices([&](Choices& choices) {
        const Bounds::Cluster bounds{2, 2, 0, {1, 2, 1, 0, 0, 1, 1, {"gpu"}, {""}, false}};
        const ClusterParts parts = any_cluster_parts(choices, bounds);
        const auto text = cluster_to_text(parts);
        REQUIRE(text);
        REQUIRE(cluster_parts_from_text(*text).value() == parts);
    });
}

TEST_CASE("cluster_from_text: what is wrong is named with its offset", "[testing]") {
    struct Row {
        const char* text;
        const char* error;
    };
    const std::vector<Row> rows = {
        {"",
         "cluster: not a group at offset 0 (end of text): expected NODES x (NODE) with at most "
         "1048576 nodes, or (NODE)"},
        {"0 x (4c)",
         "cluster: not a group at offset 0 (\"0\"): expected NODES x (NODE) with at most 1048576 "
         "nodes, or (NODE)"},
        {"4 x 4c",
         "cluster: no node at offset 4 (\"4c\"): expected a node in brackets, as (2s16c2t gpu:4)"},
        {"4 x (4c", "cluster: not closed at offset 7 (end of text): expected )"},
        {"4 x (4c q)",
         "cluster: not a device at offset 8 (\"q\"): expected NAME:TYPE or NAME:COUNT, as gpu:a100 "
         "or gpu:2"},
        {"4 x (4c) 4 per rack",
         "cluster: unknown words at offset 11 (\"per\"): expected per switch, per pod or per "
         "block"},
        {"4 x (4c) 0 per switch",
         "cluster: not a count at offset 9 (\"0\"): expected a number from 1 to 1048576"},
        {"4 x (4c) 2 per switch 3 per pod",
         "cluster: pods that are not made of switches at offset 9 (\"2\"): expected a multiple of "
         "the nodes per switch"},
        {"4 x (4c) 2 per switch 2 per switch",
         "cluster: given twice at offset 24 (\"per\"): expected each once"},
        {"(4c) (4c)",
         "cluster: unexpected at offset 5 (\"(4c)\"): expected ; or + and another group, or the "
         "end"},
        {"1000000 x (1c); 1000000 x (1c)",
         "cluster: too many nodes at offset 16 (\"1000000\"): expected at most 1048576 in all"},
        {"(4c name=n1); 3 x (4c)", "node n1: the name stands twice"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const auto cluster = cluster_from_text(row.text);
        CHECK(cluster.status().code() == StatusCode::kInvalidArgument);
        CHECK(message(cluster.status()) == row.error);
    }
}

}  // namespace
}  // namespace trestle::testing
