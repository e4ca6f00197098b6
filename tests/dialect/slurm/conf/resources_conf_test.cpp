// SPDX-License-Identifier: Apache-2.0
// resources.yaml: layers, what jobs may have of them, and every mistake with its place.
#include "trestle/dialect/slurm/conf/resources_conf.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/cluster/node_names.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

namespace trestle {
namespace {

NodeNames sixteen_names() {
    NodeNames names;
    for (int i = 0; i < 16; ++i) names.append("n" + std::to_string(i));
    REQUIRE_FALSE(names.index());
    return names;
}

std::string counts_text(const std::vector<ClusterCount>& counts) {
    std::string text;
    for (const ClusterCount& one : counts) text += (text.empty() ? "" : " ") + to_text(one);
    return text;
}

constexpr std::string_view conf_of_layers = "NodeName=n[0-15] CPUs=4\nPartitionName=p Nodes=ALL\n";

}  // namespace

TEST_CASE("Slurm resources.yaml: what jobs may have of each layer", "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const std::vector<Row> rows{
        {"- resource: a\n  mode: MODE_1\n  layers:\n  - {nodes: 'n[0-15]', count: 5}\n",
         "a:n[0-15]:5", "a text of names is a list of one"},
        {"- resource: a\n  mode: MODE_2\n  layers:\n  - {nodes: [n0, 'n[2-3]'], count: 5}\n"
         "  - {nodes: [n4], count: 0}\n",
         "a:n0,n[2-3]:5", "a layer without any is no count"},
        {"- resource: p\n  mode: MODE_3\n  layers:\n"
         "  - {nodes: ['n[0-15]'], count: 13, base: [{name: ac, value: 1}, {name: x, value: 2}]}\n"
         "  - {nodes: ['n[0-7]'], count: 6, base: [{name: net, value: 1}]}\n"
         "  - {nodes: ['n[0-3]'], count: 4, base: [{name: disk, value: 3}]}\n",
         "p:n[0-15]:6 p:n[0-3]:1 p:n[0-7]:2", "a layer loses what those inside it lose"},
        {"- resource: p\n  mode: MODE_2\n  layers:\n"
         "  - {nodes: ['n[0-15]'], count: 13, base: [{name: ac, value: 1}]}\n"
         "  - {nodes: ['n[0-7]'], count: 6, base: [{name: net, value: 9}]}\n",
         "p:n[0-15]:12",
         "sums over layers are of MODE_3 alone; a base takes no more than there is"},
        {"[]", "", "none"},
    };
    const NodeNames names = sixteen_names();
    for (const Row& row : rows) {
        INFO(row.text << row.why);
        const auto reading = slurm::read_resources_yaml(row.text, names);
        CHECK(reading.errors.empty());
        CHECK(counts_text(slurm::layer_counts(reading.resources)) == row.expected);
    }
    const auto words = slurm::read_resources_yaml(
        "- resource: p\n  mode: MODE_3\n  topology: bl\n  variables:\n"
        "  - {name: full, value: 1000}\n  layers:\n  - {nodes: [n0], count: 1}\n",
        names);
    REQUIRE(words.resources.size() == 1);
    CHECK(words.resources[0].topology == "bl");
    CHECK(counts_text(words.resources[0].variables) == "full:1000");
}

TEST_CASE("Slurm resources.yaml: all errors of a file", "[dialect][slurm]") {
    struct Row {
        const char* text;
        std::vector<const char*> errors;
    };
    const std::vector<Row> rows{
        {"- resource: [", {"resources.yaml line 1: "}},
        {"resource: a", {"line 1: no list"}},
        {"- 1\n- 2\n", {"line 1: no mapping at offset 2", "line 2: no mapping"}},
        {"- resource: a\n  mode: MODE_4\n  layers: [{nodes: n0, count: 1}]\n",
         {"line 2: unknown mode at offset 8 (\"MODE_4\"): expected MODE_1, MODE_2 or MODE_3"}},
        {"- mode: MODE_1\n  layers: [{nodes: n0, count: 1}]\n",
         {"line 1: resource without a name, a mode or layers"}},
        {"- resource: a\n  mode: MODE_1\n  layers: [{nodes: n0}, {count: 1}, {nodes: n1, count: "
         "2}]\n",
         {"line 3: layer without nodes or a count", "line 3: layer without nodes or a count"}},
        {"- resource: a\n  mode: MODE_1\n  layers: [{nodes: 'n[0-16]', count: 1}]\n",
         {"line 3: no node: n16 at offset 19"}},
        {"- resource: a\n  mode: MODE_1\n  layers: [{nodes: n0, count: -1}]\n", {"line 3: "}},
        {"- resource: a\n  mode: MODE_1\n  layer: []\n",
         {"line 3: unknown key at offset 2 (\"layer\"): expected a known key; the nearest is "
          "layers",
          "line 1: resource without"}},
        {"- {resource: a, mode: MODE_1, layers: [{nodes: n99, count: 1}]}\n",
         {"line 1: no node: n99"}},
        {"- {resource: a, mode: MODE_2, layers: [{nodes: n0, count: 1}, {nodes: [n0], count: "
         "2}]}\n",
         {"line 1: layer named twice"}},
        {"- {resource: a, mode: MODE_1, layers: [{nodes: n0, count: 1}]}\n"
         "- {resource: a, mode: MODE_2, layers: [{nodes: n0, count: 1}]}\n",
         {"line 2: resource named twice"}},
        {"- {resource: a, mode: MODE_3, layers: [{nodes: n0, count: 1, base: [{name: x}]}]}\n",
         {"line 1: item without a name or a value"}},
    };
    const NodeNames names = sixteen_names();
    for (const Row& row : rows) {
        INFO(row.text);
        const auto reading = slurm::read_resources_yaml(row.text, names);
        REQUIRE(reading.errors.size() == row.errors.size());
        for (std::size_t i = 0; i < row.errors.size(); ++i) {
            CHECK_THAT(to_text(reading.errors[i]),
                       Catch::Matchers::ContainsSubstring(row.errors[i]));
        }
    }
}

TEST_CASE("Slurm resources.yaml: names of layers are whole, and texts that grow end",
          "[dialect][slurm]") {
    const NodeNames names = sixteen_names();
    std::string many;
    for (int i = 0; i < 40; ++i) many += "n1,n2,";
    const auto reading = slurm::read_resources_yaml(
        "- resource: a\n  mode: MODE_2\n  layers:\n  - {nodes: '" + many +
            "n3', count: 1}\n  - {nodes: '" + many + "n4', count: 2}\n",
        names);
    CHECK(reading.errors.empty());
    const auto counts = slurm::layer_counts(reading.resources);
    REQUIRE(counts.size() == 2);
    CHECK(counts[0].name == "a:" + many + "n3");
    std::string aliases =
        "- resource: a\n  mode: MODE_3\n  layers:\n  - &l {nodes: 'n[0-15]', count: 1}\n";
    for (int i = 0; i < 20'000; ++i) aliases += "  - *l\n";
    const auto limited = slurm::read_resources_yaml(aliases, names);
    REQUIRE(limited.errors.size() == 1000);
    CHECK(limited.resources.size() == 1);
}

TEST_CASE("Slurm resources.yaml: layers stand beside the licences of the cluster",
          "[dialect][slurm]") {
    const auto reading = slurm::read_cluster(
        {.slurm_conf = std::string(conf_of_layers) + "Licenses=m:2\n",
         .resources_yaml = "- {resource: a, mode: MODE_1, layers: [{nodes: n0, count: 3}]}\n"});
    CHECK(reading.errors.empty());
    CHECK(counts_text(reading.built.cluster.counts()) == "a:n0:3 m:2");
    CHECK(reading.built.resources.size() == 1);
    const auto wrong =
        slurm::read_cluster({.slurm_conf = conf_of_layers, .resources_yaml = "- {resource: a}\n"});
    REQUIRE(wrong.errors.size() == 1);
    CHECK(wrong.errors[0].place.file == "resources.yaml");
}

}  // namespace trestle
