// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "support/catch.hpp"
#include "support/texts.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/conf/topology_conf.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

namespace {

using Lines = std::vector<std::string>;

/// n0 to n31.
NodeNames nodes_of_test() {
    NodeNames names;
    for (int i = 0; i < 32; ++i) names.append("n" + std::to_string(i));
    REQUIRE_FALSE(names.index());
    return names;
}

/// `tree default: core>; l0 core>0-1`: every unit with its parent and nodes.
std::string text_of(const slurm::TopologyConf& conf) {
    std::string text;
    for (const TreeTopology& tree : conf.network.trees) {
        text += "tree " + tree.name + ":";
        for (const TreeTopology::Switch& one : tree.switches) {
            const std::string parent = one.parent ? tree.switches[one.parent->value()].name : "";
            text += fmt::format(" {}>{}={}", parent, one.name, to_text(one.nodes));
        }
    }
    for (const BlockTopology& topology : conf.network.blocks) {
        text += "block " + topology.name + ":";
        for (const BlockTopology::Block& one : topology.blocks) {
            text += fmt::format(" {}={}", one.name, to_text(one.nodes));
        }
        text += " /";
        for (const Count size : topology.sizes) text += fmt::format(" {}", size);
    }
    for (const RingTopology& topology : conf.network.rings) {
        text += "ring " + topology.name + ":";
        for (const RingTopology::Ring& one : topology.rings) {
            text += " " + one.name + "=";
            for (const NodeId node : one.nodes) text += fmt::format("{},", node.value());
        }
    }
    for (const TorusTopology& topology : conf.network.toruses) {
        text += "torus " + topology.name + ":";
        for (const TorusTopology::Torus& one : topology.toruses) {
            text += fmt::format(" {}({}x{}x{})=", one.name, one.shape.x, one.shape.y, one.shape.z);
            for (const auto& node : one.nodes) {
                text += node ? fmt::format("{},", node->value()) : "-,";
            }
        }
    }
    for (const std::string& name : conf.flat) text += "flat " + name + " ";
    return text + (conf.default_name.empty() ? "" : " default " + conf.default_name);
}

struct TopologyRow {
    const char* text;
    const char* expected;
    const char* why;
};
struct ErrorRow {
    const char* text;
    Lines expected;  ///< a piece of each error
    const char* why;
};

}  // namespace

TEST_CASE("Slurm topology.conf: switches, blocks and rings", "[dialect][slurm]") {
    const TopologyRow rows[] = {
        {"", "", "no topology"},
        {"SwitchName=l0 Nodes=n[0-15]\nSwitchName=l1 Nodes=n[16-31]\nSwitchName=s Switches=l[0-1]",
         "tree default: >s= s>l0=0-15 s>l1=16-31 default default", "parents come first"},
        {"SwitchName=s Switches=l0,m\nSwitchName=l0 Nodes=n0\nSwitchName=m Switches=l1\n"
         "SwitchName=l1 Nodes=n[1-31]",
         "tree default: >s= s>m= s>l0=0 m>l1=1-31 default default", "leaves of two depths"},
        {"switchname=a nodes=n[0-31] LINKSPEED=100", "tree default: >a=0-31 default default",
         "keys in any case, LinkSpeed"},
        {"SwitchName=a\nSwitchName=b Nodes=n[0-31]", "tree default: >a= >b=0-31 default default",
         "an empty leaf"},
        {"SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-31]",
         "tree default: >a=0-3 >b=4-31 default default", "no root"},
        {"SwitchName=\"a\" \\\n Nodes=n[0-31]", "tree default: >a=0-31 default default",
         "a continued line"},
        {"BlockName=b0 Nodes=n[0-15]\nBlockName=b1 Nodes=n[16-31]\nBlockSizes=16,32",
         "block default: b0=0-15 b1=16-31 / 16 32 default default", "blocks"},
        {"BlockSizes=8,32,16\nBlockName=b0 Nodes=n[0-31]",
         "block default: b0=0-31 / 8 16 32 default default", "sizes in order; larger block"},
        {"BlockName=b0 Nodes=n[0-7]\nBlockName=b1 Nodes=n[8-31]",
         "block default: b0=0-7 b1=8-31 / 8 16 32 64 default default", "no sizes"},
        {"BlockSizes=4\nBlockName=b0\nBlockName=b1 Nodes=n[0-31]",
         "block default: b0= b1=0-31 / 4 default default", "an empty block"},
        {"RingName=r0 Nodes=n[3-1,0]\nRingName=r1 Nodes=n[4-5]", nullptr, "a run that goes down"},
        {"RingName=r0 Nodes=n3,n2,n[0-1]\nRingName=r1 Nodes=n[4-19]",
         "ring default: r0=3,2,0,1, r1=4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19, default default",
         "the order around the ring"},
    };
    const NodeNames nodes = nodes_of_test();
    for (const TopologyRow& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto conf = slurm::parse_topology_conf(row.text, nodes);
        if (row.expected == nullptr) {
            CHECK_FALSE(conf.ok());
            continue;
        }
        INFO(message(conf.status()));
        REQUIRE(conf.ok());
        CHECK(text_of(*conf) == row.expected);
        CHECK(check(conf->network).ok());
    }
}

TEST_CASE("Slurm topology.conf: what Slurm only warns of", "[dialect][slurm]") {
    const ErrorRow rows[] = {
        {"SwitchName=a Nodes=n[0-31],x[1-3]",
         {"line 1: a: 3 names are no nodes, the first is x1"},
         "names of nodes that are not there"},
        {"SwitchName=a Nodes=n[0-15]\nSwitchName=b Nodes=n[15-31]",
         {"line 2: b: node n15 is elsewhere already"},
         "a node under two leaves"},
        {"SwitchName=a Nodes=n[0-9]", {"line 1: default: 22 nodes are not in it"}, "nodes outside"},
        {"SwitchName=a Nodes=n[0-31]\nSwitchName=b Switches=a\nSwitchName=c Switches=a",
         {"line 3: c: switch a is below another already"},
         "two parents"},
        {"SwitchName=a Nodes=n[0-9999999]",
         {"line 1: a: 9999968 names are no nodes"},
         "a long list"},
        {"BlockSizes=16\nBlockName=a Nodes=n[0-16]\nBlockName=b Nodes=n[16-31]",
         {"line 3: b: node n16 is elsewhere already"},
         "a node in two blocks"},
        {"RingName=a Nodes=n[0-3]\nRingName=b Nodes=n[3-15]",
         {"b: node n3 is elsewhere already", "line 1: default: 16 nodes are not in it"},
         "rings"},
    };
    const NodeNames nodes = nodes_of_test();
    for (const ErrorRow& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto reading = slurm::read_topology_conf(row.text, nodes);
        CHECK(texts(reading.errors) == Lines());
        const Lines warnings = texts(reading.topology.warnings);
        REQUIRE(warnings.size() == row.expected.size());
        for (std::size_t i = 0; i < warnings.size(); ++i) {
            CHECK_THAT(warnings[i], ContainsSubstring(row.expected[i]));
        }
        CHECK(check(reading.topology.network).ok());
    }
}

TEST_CASE("Slurm topology.conf: all errors of a file", "[dialect][slurm]") {
    const ErrorRow rows[] = {
        {"SwitchName=a Nodes=n0 Switches=b\n",
         {"line 1: Switches with Nodes at offset 31"},
         "both"},
        {"SwitchName=a Switches=b Nodes=n0\n",
         {"line 1: Nodes with Switches at offset 30"},
         "both"},
        {"SwitchName=a Nodes=n0\nSwitchName=a Nodes=n1\n",
         {"line 2: switch named twice at offset 11 (\"a\")"},
         "twice"},
        {"SwitchName=a Switches=b\n", {"line 1: unknown switch at offset 11 (\"b\")"}, "nobody"},
        {"SwitchName=a Switches=a\n",
         {"line 1: switch below itself"},
         "itself, alone: more Switches than others"},
        {"SwitchName=a Switches=b\nSwitchName=b Switches=a\n",
         {"line 1: switch below itself", "line 2: switch below itself"},
         "a cycle of two"},
        {"SwitchName=a Switches=b[1-100]\n", {"more Switches than there are"}, "a long list"},
        {"SwitchName=a Nodez=n0\nSwitchName=b LinkSpeed=fast\nSwitch=c",
         {"line 1: unknown key at offset 13 (\"Nodez\"): expected a known key; the nearest is "
          "Nodes",
          "line 2: malformed number at offset 23", "line 3: unknown line at offset 0 (\"Switch\")"},
         "three bad lines"},
        {"SwitchName=a\nBlockName=b", {"line 2: two kinds of topology at offset 0"}, "two kinds"},
        {"SwitchName= Nodes=n0", {"line 1: empty value at offset 11"}, "no name"},
        {"BlockName=a Nodes=n0\nBlockSizes=6,9",
         {"line 2: malformed block size at offset 11 (\"9\")"},
         "no multiple"},
        {"BlockName=a Nodes=n0\nBlockSizes=1,65536", {"malformed block size"}, "k above 15"},
        {"BlockName=a Nodes=n0\nBlockSizes=0", {"malformed number at offset 11"}, "zero"},
        {"BlockSizes=2\nBlockSizes=4\nBlockName=a", {"line 2: BlockSizes twice"}, "twice"},
        {"BlockName=a", {"line 1: no block size"}, "an empty first block"},
        {"RingName=a Nodes=n[0-16]", {"line 1: ring of too many nodes at offset 9 (\"a\")"}, "17"},
        {"RingName=a Nodes=n[0-1]\nRingName=a Nodes=n2", {"line 2: ring named twice"}, "twice"},
        {"RingName=a Nodes=n[", {"malformed bracket"}, "a bracket without end"},
    };
    const NodeNames nodes = nodes_of_test();
    for (const ErrorRow& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto reading = slurm::read_topology_conf(row.text, nodes);
        const Lines errors = texts(reading.errors);
        CHECK(errors.size() == row.expected.size());
        for (std::size_t i = 0; i < std::min(errors.size(), row.expected.size()); ++i) {
            CHECK_THAT(errors[i], ContainsSubstring(row.expected[i]));
            CHECK_THAT(errors[i], Catch::Matchers::StartsWith("topology.conf line "));
        }
        CHECK(check(reading.topology.network).ok());
        CHECK_FALSE(slurm::parse_topology_conf(row.text, nodes).ok());
    }
}

TEST_CASE("Slurm topology.yaml: every kind", "[dialect][slurm]") {
    const TopologyRow rows[] = {
        {"topology: t\ntree:\n  switches:\n  - switch: s\n    children: l[0-1]\n"
         "  - switch: l0\n    nodes: n[0-15]\n  - switch: l1\n    nodes: n[16-31]\n",
         "tree t: >s= s>l0=0-15 s>l1=16-31 default t", "one alone is the default"},
        {"- topology: t\n  cluster_default: true\n  flat: true\n", "flat t  default t", "flat"},
        {"- topology: t\n  flat: {alpha_step_rank: true}\n", "flat t  default t",
         "flat with an option"},
        {"- topology: b\n  cluster_default: no\n  block:\n    block_sizes: [8, 16]\n    blocks:\n"
         "    - {block: b0, nodes: 'n[0-7]'}\n    - {block: b1, nodes: 'n[8-31]'}\n",
         "block b: b0=0-7 b1=8-31 / 8 16 default b", "blocks"},
        {"- topology: r\n  ring:\n    rings:\n    - {ring: r0, nodes: 'n[0-3]'}\n",
         "ring r: r0=0,1,2,3, default r", "rings"},
        {"- topology: t\n  torus3d:\n    toruses:\n    - name: a\n      dims: {x: 2, y: 2, z: 1}\n"
         "      nodes: n[0-3]\n",
         "torus t: a(2x2x1)=0,1,2,3, default t", "a torus, x fastest"},
        {"- topology: t\n  torus3d:\n    toruses:\n    - name: a\n      dims: {x: 3, y: 2}\n"
         "      regions:\n      - {anchor: {x: 1}, dims: {x: 2, y: 2, z: 1}, nodes: 'n[0-3]'}\n",
         "torus t: a(3x2x1)=-,0,1,-,2,3, default t", "a region leaves places empty"},
        {"- topology: a\n  flat: true\n- topology: b\n  cluster_default: on\n  flat: false\n"
         "  tree: {switches: [{switch: s, nodes: 'n[0-31]'}]}\n",
         "tree b: >s=0-31flat a  default b", "two; flat: false is no kind"},
        {"- {topology: a, flat: true}\n- {topology: b, tree: {switches: [{switch: s, nodes: "
         "n0}]}}\n",
         "tree b: >s=0flat a  default a", "the first one is, where none says it"},
        {"[]", "", "none"},
    };
    const NodeNames nodes = nodes_of_test();
    for (const TopologyRow& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto conf = slurm::parse_topology_yaml(row.text, nodes);
        INFO(message(conf.status()));
        REQUIRE(conf.ok());
        CHECK(text_of(*conf) == row.expected);
        CHECK(check(conf->network).ok());
    }
    const auto placed = slurm::parse_topology_yaml(
        "topology: t\ntorus3d:\n  toruses:\n  - name: a\n    dims: {x: 4, y: 2, z: 2}\n"
        "    nodes: n[0-15]\n    placements:\n    - dims: {x: 2, y: 2, z: 1}\n"
        "    - {dims: {x: 4}, anchor_seed: {x: 1}, anchor_spacing: {x: 2, y: 1, z: 1}}\n",
        nodes);
    REQUIRE(placed.ok());
    REQUIRE(placed->placements.size() == 2);
    CHECK(placed->placements[0].anchor_spacing == TorusTopology::Shape{2, 2, 1});
    CHECK(placed->placements[1] == slurm::TorusPlacement{"a", {4, 1, 1}, {1, 0, 0}, {2, 1, 1}});
}

TEST_CASE("Slurm topology.yaml: all errors of a file", "[dialect][slurm]") {
    const ErrorRow rows[] = {
        {"topology: t\ntree: [", {"topology.yaml line 2: "}, "no YAML"},
        {"text", {"line 1: no list at offset 0 (\"text\")"}, "neither list nor mapping"},
        {"- 1\n- 2\n", {"line 1: no mapping at offset 2", "line 2: no mapping"}, "numbers"},
        {"- flat: true\n", {"line 1: topology without a name"}, "no name"},
        {"- topology: t\n", {"line 1: no kind of topology"}, "no kind"},
        {"- topology: t\n  flat: true\n  tree: {switches: []}\n", {"line 1: two kinds"}, "two"},
        {"- topology: t\n  flat: false\n", {"no kind of topology"}, "flat: false alone"},
        {"- topology: t\n  flat: maybe\n", {"line 2: unknown answer at offset 8 (\"maybe\")"}, "?"},
        {"- {topology: t, flat: true}\n- {topology: t, flat: true}\n",
         {"line 2: topology named twice"},
         "one name for two"},
        {"- {topology: a, flat: true, cluster_default: true}\n"
         "- {topology: b, flat: true, cluster_default: true}\n",
         {"line 2: two cluster defaults"},
         "two defaults"},
        {"- topology: t\n  tee:\n    switches: []\n",
         {"line 2: unknown key at offset 2 (\"tee\"): expected a known key; the nearest is tree",
          "no kind of topology"},
         "a slip"},
        {"- topology: t\n  topology: u\n  flat: true\n", {"line 2: key given twice"}, "twice"},
        {"- topology: t\n  tree: {switches: [{nodes: n0}, {switch: a, node: n1}]}\n",
         {"item without a name", "unknown key at offset"},
         "two bad switches"},
        {"- topology: t\n  tree: {switches: [{switch: a, nodes: n0, children: b}]}\n",
         {"nodes with children"},
         "both"},
        {"- topology: t\n  tree: {switches: [{switch: a, nodes: 'n['}]}\n",
         {"malformed bracket"},
         "a bracket without end"},
        {"- topology: t\n  tree: {switches: [{switch: a, children: c}]}\n",
         {"unknown switch"},
         "a child that is not there"},
        {"- topology: t\n  tree: {switches: {switch: a}}\n", {"line 2: no list"}, "no list"},
        {"- topology: t\n  block: {block_sizes: [3, 4], blocks: [{block: a, nodes: n0}]}\n",
         {"malformed block size"},
         "no multiple"},
        {"- topology: t\n  block: {block_sizes: [x], blocks: [{block: a, nodes: n0}]}\n",
         {"malformed number", "malformed block size"},
         "no number"},
        {"- topology: t\n  block: {blocks: []}\n", {"no block size"}, "no block"},
        {"- topology: t\n  ring: {rings: [{ring: a, nodes: 'n[0-16]'}]}\n",
         {"ring of too many nodes"},
         "17"},
        {"- topology: t\n  torus3d: {toruses: [{name: a, dims: {x: 2, y: 2}, nodes: 'n[0-4]'}]}\n",
         {"5 nodes at offset"},
         "five on four places"},
        {"- topology: t\n  torus3d: {toruses: [{name: a, dims: {x: 0}, nodes: n0}]}\n",
         {"malformed dims"},
         "no places"},
        {"- topology: t\n  torus3d: {toruses: [{name: a, dims: {x: 99999, y: 99999, z: 99999}}]}\n",
         {"malformed dims"},
         "too many places"},
        {"- topology: t\n  torus3d: {toruses: [{dims: {x: 1}, nodes: n0}]}\n",
         {"torus without a name"},
         "no name"},
        {"- topology: t\n  torus3d: {toruses: [{name: a, dims: {x: 2}}]}\n",
         {"torus without nodes"},
         "no nodes"},
        {"- topology: t\n  torus3d: {toruses: [{name: a, dims: {x: 1}, nodes: n0},\n"
         "    {name: b, dims: {x: 1}, nodes: n0}]}\n",
         {"line 3: node with two places"},
         "tori that share a node"},
        {"- topology: t\n  torus3d: {toruses: [{name: a, dims: {x: 1}, nodes: n0},\n"
         "    {name: a, dims: {x: 1}, nodes: n1}]}\n",
         {"line 3: torus named twice"},
         "tori of one name"},
        {"- topology: t\n  torus3d: {toruses: [{name: a, dims: {x: 2}, regions: [\n"
         "    {anchor: {x: 1}, dims: {x: 2}, nodes: 'n[0-1]'}]}]}\n",
         {"line 3: region beyond the torus"},
         "no wrap"},
        {"- topology: t\n  torus3d: {toruses: [{name: a, dims: {x: 2}, regions: [\n"
         "    {dims: {x: 2}, nodes: 'n[0-1]'}, {dims: {x: 1}, nodes: n2}]}]}\n",
         {"line 3: place taken by another region"},
         "upon each other"},
        {"- topology: t\n  torus3d: {toruses: [{name: a, dims: {x: 1}, nodes: n0, "
         "placements: [{dims: {x: 2}}]}]}\n",
         {"malformed placement"},
         "larger than the torus"},
    };
    const NodeNames nodes = nodes_of_test();
    for (const ErrorRow& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto reading = slurm::read_topology_yaml(row.text, nodes);
        const Lines errors = texts(reading.errors);
        INFO(fmt::format("{}", fmt::join(errors, "\n")));
        CHECK(errors.size() == row.expected.size());
        for (std::size_t i = 0; i < std::min(errors.size(), row.expected.size()); ++i) {
            CHECK_THAT(errors[i], ContainsSubstring(row.expected[i]));
            CHECK_THAT(errors[i], Catch::Matchers::StartsWith("topology.yaml line "));
        }
        CHECK(check(reading.topology.network).ok());
        CHECK_FALSE(slurm::parse_topology_yaml(row.text, nodes).ok());
    }
    const std::string deep = "topology: " + std::string(100, '[');
    CHECK_THAT(texts(slurm::read_topology_yaml(deep, nodes).errors).at(0),
               ContainsSubstring("it nests too deep"));
    const std::string large(2'000'000, ' ');
    CHECK_THAT(texts(slurm::read_topology_yaml(large, nodes).errors).at(0),
               ContainsSubstring("2000000 bytes"));
    std::string aliases = "- &a {switch: a, nodes: n0}\n";
    aliases = "topology: t\ntree:\n  switches:\n  - &a {switch: a, nodes: n0}\n";
    for (int i = 0; i < 3; ++i) aliases += "  - *a\n";
    CHECK(slurm::read_topology_yaml(aliases, nodes).errors.size() == 3);
}

TEST_CASE("Slurm topology.conf: one error a line, however many switches it names",
          "[dialect][slurm]") {
    constexpr std::uint32_t count = 60;
    const auto text_of_lines = [](const std::string& children) {
        std::string text;
        for (std::uint32_t i = 1; i <= count; ++i) {
            text += fmt::format("SwitchName=s{} Switches={}\n", i, children);
        }
        return text;
    };
    const NodeNames nodes = nodes_of_test();
    const auto strangers = slurm::read_topology_conf(text_of_lines("x[1-17],s[1-60]"), nodes);
    CHECK(strangers.errors.size() == count);
    const auto some = slurm::read_topology_conf(text_of_lines("x[1-17]"), nodes);
    REQUIRE(some.errors.size() == count);
    CHECK(to_text(some.errors.back()) ==
          "topology.conf line 60: 17 unknown switches, the first is x1 at offset 11 (\"x1\"): "
          "expected another SwitchName of the file");
    const auto twice = slurm::read_topology_conf(
        "SwitchName=a Switches=x,y\nSwitchName=x\n"
        "SwitchName=y\nSwitchName=b Switches=x,y\n",
        nodes);
    CHECK(twice.errors.empty());
    REQUIRE_FALSE(twice.topology.warnings.empty());
    CHECK(to_text(twice.topology.warnings.front()) ==
          "topology.conf line 4: b: 2 switches are below another already, the first is x");
    std::string all;
    for (std::uint32_t i = 1; i <= 200; ++i) {
        all += fmt::format("SwitchName=s{} Switches=s[1-200]\n", i);
    }
    const auto blown_up = slurm::read_topology_conf(all, nodes);
    const Lines lines = texts(blown_up.errors);
    const auto refused_lines =
        std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
            return line.find("more Switches than there are") != std::string::npos;
        });
    CHECK(refused_lines == 200 - 21);
}

TEST_CASE("Slurm topology.yaml: aliases make no text cost more than it may", "[dialect][slurm]") {
    const NodeNames nodes = nodes_of_test();
    const auto errors_of = [&](const std::string& text) {
        return texts(slurm::read_topology_yaml(text, nodes).errors);
    };
    std::string regions =
        "- topology: t\n  torus3d:\n    toruses:\n    - name: a\n      dims: {x: 161, y: 161, z: "
        "161}\n      regions:\n      - &r {dims: {x: 20, y: 20, z: 20}, nodes: 'n[0-7999]'}\n";
    for (int i = 0; i < 20; ++i) regions += "      - *r\n";
    const Lines places = errors_of(regions);
    REQUIRE(places.size() == 2);
    CHECK_THAT(places[0], ContainsSubstring("line 7: place taken by another region"));
    CHECK_THAT(places[1], ContainsSubstring("line 7: too many places"));
    const Lines shared = errors_of(
        "- topology: t\n  torus3d: {toruses: [{name: a, dims: {x: 4}, nodes: 'n[0-3]'},\n"
        "    {name: b, dims: {x: 4}, nodes: 'n[0-3]'}]}\n");
    CHECK(shared.size() == 1);
    std::string switches = "- topology: t\n  tree:\n    switches:\n    - &s {";
    for (int i = 0; i < 50; ++i) switches += fmt::format("k{}: 1, ", i);
    switches += "switch: a}\n";
    for (int i = 0; i < 100; ++i) switches += "    - *s\n";
    CHECK(errors_of(switches).size() == 1000);
}
