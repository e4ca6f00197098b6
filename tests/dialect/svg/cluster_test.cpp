// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/svg/cluster.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/xml.hpp"
#include "trestle/testing/cluster_text.hpp"
#include "trestle/testing/node_text.hpp"

using namespace trestle;

namespace {

Cluster drawn_cluster(const char* text) { return *testing::cluster_from_text(text); }

/// So many cores, GiB and devices of a node, the lowest that are free.
NodePlacement lowest_of(const Cluster& cluster, std::uint32_t node, std::uint32_t amount) {
    const FreeState& free = cluster.free(NodeId(node));
    NodePlacement part;
    part.node = NodeId(node);
    part.cores = free.cores.first_k(amount);
    part.memory = {{DomainId(0), gib(amount)}};
    for (std::uint32_t i = 0; i < free.shares.size() && part.devices.size() < amount; ++i) {
        if (!free.shares[i].is_zero()) part.devices.push_back({DeviceId(i), free.shares[i]});
    }
    return part;
}

void give(Cluster& cluster, std::uint64_t owner, const std::vector<std::uint32_t>& nodes,
          std::uint32_t amount) {
    Placement placement;
    for (const std::uint32_t node : nodes) {
        placement.nodes.push_back(lowest_of(cluster, node, amount));
    }
    REQUIRE(cluster.adopt(OwnerId(owner), placement).ok());
}

/// How many titles start with `start`.
std::int64_t titles_with(const std::string& picture, std::string_view start) {
    const auto titles = xml_titles(picture);
    return std::count_if(titles.begin(), titles.end(),
                         [&](const std::string& title) { return title.rfind(start, 0) == 0; });
}

}  // namespace

TEST_CASE("render_cluster: sixteen nodes below a tree of switches", "[svg][golden]") {
    Cluster cluster = drawn_cluster(
        "16 x (2s4c2t mem=64G gpu:a100-80G:4@nvlink*12 nic:mlx5:1 name=dgx) 4 per switch 8 per "
        "pod");
    give(cluster, 7, {0, 1}, 4);
    give(cluster, 9, {1, 4, 9}, 2);
    give(cluster, 12, {5}, 1);
    cluster.set_node_state(NodeId(3), NodeState::drained);
    cluster.set_node_state(NodeId(9), NodeState::down);
    cluster.set_node_health(NodeId(6), Health::warning);
    cluster.set_node_health(NodeId(13), Health::failure);
    svg::ClusterPictureOptions options;
    options.title = "research";
    options.names = {{OwnerId(7), "training"}};
    options.proposed = Placement{{lowest_of(cluster, 2, 3)}};
    const std::string picture = svg::render_cluster(cluster, options);
    check_golden("svg_cluster_tree.svg", picture);
    CHECK(xml_breach(picture) == "");
    CHECK(titles_with(picture, "dgx3, drained, gpu 4 of 4 free") == 1);
    CHECK(titles_with(picture, "dgx9, down, gpu 2 of 4 free") == 1);
    CHECK(titles_with(picture, "dgx13, health: failure") == 1);
    CHECK(titles_with(picture, "s0: 0 of 4 nodes free") == 0);
    CHECK(titles_with(picture, "s0: 1 of 4 nodes free") == 1);

    options.cards = 0;
    const std::string cells = svg::render_cluster(cluster, options);
    check_golden("svg_cluster_cells.svg", cells);
    CHECK(xml_breach(cells) == "");
    CHECK(titles_with(cells, "dgx1, gpu 0 of 4 free, nic 0 of 1 free") == 1);
}

TEST_CASE("render_cluster: cards name the kind of devices, MIG profiles too", "[svg]") {
    Node node = *testing::node_from_text("4c gpu:a100:2 nic:1 name=a");
    NodeShape shape = *node.shape;
    shape.devices[1].mig_profile = "1g.10gb";
    node.shape = Shared(std::move(shape));
    ClusterParts parts;
    parts.nodes = {node};
    const std::string picture = svg::render_cluster(*Cluster::create(parts));
    CHECK(xml_breach(picture) == "");
    for (const char* label : {">gpu a100</text>", ">gpu a100 1g.10gb</text>", ">nic</text>"}) {
        INFO(label);
        CHECK(picture.find(label) != std::string::npos);
    }
    CHECK(titles_with(picture, "gpu 1, a100 1g.10gb") == 1);
}

TEST_CASE("render_cluster: blocks where there are no trees", "[svg][golden]") {
    Cluster cluster = drawn_cluster("10 x (1s4c1t mem=16G) 4 per block; 2 x (1s2c mem=8G name=x)");
    give(cluster, 1, {0, 4}, 4);
    const std::string picture = svg::render_cluster(cluster);
    check_golden("svg_cluster_blocks.svg", picture);
    CHECK(xml_breach(picture) == "");
    CHECK(titles_with(picture, "b0: 3 of 4 nodes free") == 1);
    CHECK(titles_with(picture, "b2: 2 of 2 nodes free") == 1);
    CHECK(titles_with(picture, "in no block: 2 of 2 nodes free") == 1);
}

TEST_CASE("render_cluster: a cluster without nodes is a picture too", "[svg]") {
    const std::string picture = svg::render_cluster(Cluster());
    CHECK(xml_breach(picture) == "");
    CHECK(xml_titles(picture) == std::vector<std::string>{"cluster"});
    CHECK(picture.find("0 nodes: 0 free") != std::string::npos);
}

TEST_CASE("render_cluster: removed nodes and switches without nodes are left out", "[svg]") {
    Cluster cluster = drawn_cluster("4 x (2c mem=4G) 2 per switch");
    REQUIRE(cluster.remove_node(NodeId(1)).ok());
    const std::string one = svg::render_cluster(cluster);
    CHECK(titles_with(one, "n1,") == 0);
    CHECK(titles_with(one, "n0,") == 1);
    CHECK(titles_with(one, "s0: 1 of 1 nodes free") == 1);
    REQUIRE(cluster.remove_node(NodeId(0)).ok());
    const std::string none = svg::render_cluster(cluster);
    CHECK(titles_with(none, "s0") == 0);
    CHECK(titles_with(none, "top / s1: 2 of 2 nodes free") == 1);
    CHECK(xml_breach(none) == "");
}

TEST_CASE("render_cluster: 4,096 nodes are a cell each, in less than 1.5 MB", "[svg]") {
    Cluster cluster = drawn_cluster(
        "4096 x (2s16c2t mem=512G gpu:a100-80G:8 nic:mlx5:2) 64 per switch 512 per pod");
    for (std::uint32_t node = 0; node < 4096; node += 3) {
        give(cluster, node + 1, {node}, 1 + node % 8);
    }
    for (std::uint32_t node = 0; node < 4096; node += 100) {
        cluster.set_node_state(NodeId(node), NodeState::drained);
    }
    const std::string picture = svg::render_cluster(cluster);
    CHECK(picture == svg::render_cluster(cluster));
    CHECK(xml_breach(picture) == "");
    CHECK(picture.size() < 1'500'000);
    for (std::uint32_t node = 0; node < 4096; node += 63) {
        CHECK(titles_with(picture, "n" + std::to_string(node) + ", ") == 1);
    }
    // Of 64 nodes from 0 on, 22 are held, the 21st of which is node 60; none but 0 is drained.
    CHECK(titles_with(picture, "s0: 42 of 64 nodes free") == 1);
    CHECK(titles_with(picture, "n3, gpu 4 of 8 free, nic 2 of 2 free, CPUs 56 of 64 free") == 1);
    CHECK(titles_with(picture, "n100, drained") == 1);
}

TEST_CASE("render_cluster: where nodes are too many, cells stand for switches", "[svg]") {
    const std::string picture =
        svg::render_cluster(drawn_cluster("131072 x (1s4c mem=8G gpu:2) 64 per switch 4096 per "
                                          "pod"));
    CHECK(xml_breach(picture) == "");
    CHECK(picture.size() < 1'500'000);
    CHECK(titles_with(picture, "s0: 64 of 64 nodes free, gpu 128 of 128 free") == 1);
    CHECK(titles_with(picture, "p31: 4,096 of 4,096 nodes free") == 1);

    const std::string flat = svg::render_cluster(drawn_cluster("20000 x (1c mem=1G)"));
    CHECK(titles_with(flat, "n0 to n63: 64 of 64 nodes free") == 1);
    CHECK(titles_with(flat, "n19968 to n19999: 32 of 32 nodes free") == 1);
}

TEST_CASE("render_cluster: no text of a cluster leaves its place", "[svg]") {
    ClusterParts parts;
    Node node = *testing::node_from_text("2c mem=1G gpu:1");
    node.name = "</title><script>";
    parts.nodes.push_back(node);
    parts.network.trees.push_back({"t", {{"\" & <s>", {}, NodeSet::of({NodeId(0)})}}});
    Cluster cluster = *Cluster::create(parts);
    give(cluster, 1, {0}, 1);
    svg::ClusterPictureOptions options;
    options.title = "a < b";
    options.names = {{OwnerId(1), "x > y"}};
    for (const std::uint32_t cards : {64u, 0u}) {
        options.cards = cards;
        const std::string picture = svg::render_cluster(cluster, options);
        CHECK(xml_breach(picture) == "");
        CHECK(picture.find("<script>") == std::string::npos);
        CHECK(xml_titles(picture).front() == "a &lt; b");
    }
}

TEST_CASE("render_cluster: a tree of any depth is drawn", "[svg]") {
    ClusterParts parts;
    TreeTopology tree{"deep", {}};
    for (std::uint32_t i = 0; i < 200; ++i) {  // inner switch, and below it a leaf and the next one
        std::optional<TreeTopology::SwitchId> parent;
        if (i != 0) parent = TreeTopology::SwitchId(2 * i - 2);
        tree.switches.push_back({"i" + std::to_string(i), parent, {}});
        tree.switches.push_back(
            {"l" + std::to_string(i), TreeTopology::SwitchId(2 * i), NodeSet::of({NodeId(i)})});
        Node node = *testing::node_from_text("1c mem=1G");
        node.name = "n" + std::to_string(i);
        parts.nodes.push_back(node);
    }
    parts.network.trees.push_back(tree);
    svg::ClusterPictureOptions options;
    for (const std::uint32_t cards : {1024u, 0u}) {
        options.cards = cards;
        const std::string picture = svg::render_cluster(*Cluster::create(parts), options);
        CHECK(xml_breach(picture) == "");
        CHECK(titles_with(picture, "n199, ") == 1);
        CHECK(titles_with(picture, "i199 / l199: 1 of 1 nodes free") == 1);
        CHECK(picture.find("width=\"-") == std::string::npos);
    }
}
