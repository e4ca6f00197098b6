// SPDX-License-Identifier: Apache-2.0
// Mistakes that are found when all files have been read: how many, where, and none that only
// follows from another.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

namespace trestle {
namespace {

using Sentences = std::vector<std::string>;

/// `file:line:offset token: what`.
Sentences sentences_of(const slurm::ClusterReading& reading) {
    Sentences all;
    for (const slurm::ConfError& one : reading.errors) {
        all.push_back(fmt::format("{}:{}:{} {}: {}", one.place.file, one.place.line,
                                  one.error.offset, one.error.token, one.error.what));
    }
    return all;
}

/// `count` lines, `#` in them their number.
std::string lines_of(int count, std::string_view line) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        for (const char c : line) text += c == '#' ? std::to_string(i) : std::string(1, c);
        text += '\n';
    }
    return text;
}

}  // namespace

TEST_CASE("Slurm read_cluster: a mistake stands behind its key", "[dialect][slurm]") {
    struct Row {
        std::string conf;
        std::string gres;
        Sentences sentences;
        std::string why;
    };
    const std::vector<Row> rows{
        {"NodeName=n1\nPartitionName=debug Nodes=n1,debug",
         "",
         {"slurm.conf:2:29 debug: there is no such node"},
         "the partition is called like it"},
        {"NodeName=N2\nPartitionName=q Nodes=N2,n2",
         "",
         {"slurm.conf:2:25 n2: there is no such node"},
         "names have their case"},
        {"NodeName=n1\nPartitionName=Nodes Nodes=x",
         "",
         {"slurm.conf:2:26 x: there is no such node"},
         "a value like the key"},
        {"NodeName=n1\nPartitionName=q nodes = \"n1,x\" # Nodes=x",
         "",
         {"slurm.conf:2:28 x: there is no such node"},
         "blanks, quotes and another case of the key"},
        {"NodeName=n1\nPartitionName=q Nodes=n[1,3]",
         "",
         {"slurm.conf:2:16 n3: there is no such node"},
         "a part of a list: the key"},
        {"NodeName=n1\nPartitionName=x State=UP \\\r\n Default=NO \\\n  Nodes=x",
         "",
         {"slurm.conf:4:8 x: there is no such node"},
         "two lines on"},
        {"NodeName=a Topology=a:b\nPartitionName=t Topology=t Nodes=a",
         "",
         {"slurm.conf:1:20 a: there is no such topology",
          "slurm.conf:2:25 t: there is no such topology"},
         "names like the topology's"},
        {"NodeName=DEFAULT Topology=t:b\nNodeName=t",
         "",
         {"slurm.conf:2:0 t: there is no such topology"},
         "DEFAULT says it: the line alone"},
        {"NodeName=Cores Gres=gpu:1",
         "NodeName=Cores Name=gpu File=/dev/a CPUs=7",
         {"gres.conf:1:36 Cores=7: core 7 does not exist on node Cores"},
         "a node like the key, which has another name"},
        {"NodeName=gpu Gres=gpu:2",
         "NodeName=gpu Name=gpu File=/dev/a\nNodeName=gpu Name=gpu",
         {"gres.conf:2:18 gpu: with and without files for node gpu"},
         "a node like its devices"},
        {"NodeName=n Gres=gpu:2",
         "Name=gpu File=/dev/a\nName=gpu File=/dev/a",
         {"gres.conf:2:14 /dev/a: belongs to a device of node n already"},
         "a file"},
        {"  NodeName=n[1-5000000]",
         "",
         {"slurm.conf:1:2 NodeName: more than 4194304 nodes"},
         "behind blanks"},
    };
    for (const Row& row : rows) {
        INFO(row.conf << "\n" << row.gres << "\n" << row.why);
        CHECK(sentences_of(slurm::read_cluster({.slurm_conf = row.conf,
                                                .gres_conf = row.gres,
                                                .mended = slurm::MendedMistakes::errors})) ==
              row.sentences);
    }
}

TEST_CASE("Slurm read_cluster: what a bad line named is not missed", "[dialect][slurm]") {
    struct Row {
        std::string conf;
        std::string topology;  ///< topology.yaml
        std::vector<std::string> tokens;
        std::string why;
    };
    const std::vector<Row> rows{
        {"NodeName=n[1-300] Weight=x\nNodeSet=s Nodes=n1 Bad=1\nPartitionName=p "
         "Nodes=n[1-300],s,t",
         "",
         {"x", "Bad", "t"},
         "nodes and a set; t stood nowhere"},
        {"NodeName=n1 CPUs=3 Sockets=2\nPartitionName=p Nodes=n1,n2",
         "",
         {"CPUs=3", "n2"},
         "keys that do not go together"},
        {"NodeName=n[1-\nPartitionName=p Nodes=n1", "", {""}, "names that nobody can read"},
        {"NodeName=a,n[1-5000000]\nPartitionName=p Nodes=n[1-5000000]",
         "",
         {"NodeName"},
         "too many"},
        {"NodeSet=s\nPartitionName=p Nodes=s", "", {"s"}, "a set of nothing"},
        {"NodeName=DEFAULT Weight=x\nNodeName=n1\nPartitionName=p Nodes=n1,n2",
         "",
         {"x", "n2"},
         "DEFAULT names nothing"},
        {"NodeName=n1 Topology=t:b\nPartitionName=p Nodes=n1 Topology=t",
         "- topology: [",
         {""},
         "nobody knows what is in the file"},
        {"NodeName=n1 Topology=t:b\nPartitionName=p Nodes=n1 Topology=u",
         "- topology: t\n  flat: true\n",
         {"u"},
         "a file without mistakes"},
    };
    for (const Row& row : rows) {
        INFO(row.conf << "\n" << row.topology << "\n" << row.why);
        std::vector<std::string> tokens;
        for (const slurm::ConfError& one : slurm::read_cluster({.slurm_conf = row.conf,
                                           .topology_yaml = row.topology,
                                           .mended = slurm::MendedMistakes::errors})
                                               .errors) {
            tokens.push_back(one.error.token);
        }
        CHECK(tokens == row.tokens);
    }
}

TEST_CASE("Slurm read_cluster: what is left beside mistakes", "[dialect][slurm]") {
    const auto too_many = slurm::read_cluster(
        {.slurm_conf = "NodeName=a\nNodeName=n[1-5000000]\nNodeName=b\nPartitionName=p Nodes=a,b"});
    CHECK(sentences_of(too_many) == Sentences{"slurm.conf:2:0 NodeName: more than 4194304 nodes"});
    CHECK(too_many.built.cluster.node_count() == 1);
    CHECK(too_many.conf.nodes.size() == 1);

    const auto twice = slurm::read_cluster(
        {.slurm_conf = "NodeName=b,a,b\nNodeName=c,a,d\nFoo=1\nPartitionName=p Nodes=ALL"});
    REQUIRE(twice.conf.nodes.size() == 2);
    CHECK(to_text(twice.conf.nodes[0].names) == "b,a");
    CHECK(to_text(twice.conf.nodes[1].names) == "c,d");
    CHECK(twice.errors.size() == 3);

    const auto set = slurm::read_cluster(
        {.slurm_conf = "NodeName=a,b\nNodeSet=s Nodes=b\nPartitionName=p Nodes=x,s,a,a"});
    REQUIRE(set.built.cluster.partitions().size() == 1);
    CHECK(set.built.cluster.partitions()[0].nodes.count() == 2);

    const auto controller =
        slurm::Controller::create({.slurm_conf = "NodeName=a\nPartitionName=p Nodes=x,y"});
    CHECK_THAT(std::string(message(controller.status())),
               Catch::Matchers::StartsWith("slurm.conf line 2: there is no such node") &&
                   Catch::Matchers::ContainsSubstring(
                       "\nslurm.conf line 2: there is no such node at offset 24"));
}

TEST_CASE("Slurm read_cluster: many mistakes of all kinds are a thousand",
          "[dialect][slurm][unsanitized]") {
    const std::string partitions = lines_of(4000, "PartitionName=p# Nodes=x[1-100]");
    CHECK(slurm::read_cluster({.slurm_conf = "NodeName=a\n" + partitions}).errors.size() == 1000);
    const std::string nodes = lines_of(1500, "NodeName=a# Topology=t:u");
    CHECK(slurm::read_cluster({.slurm_conf = nodes + partitions}).errors.size() == 1000);

    const std::string one_bad = lines_of(3000, "NodeName=a#x Weight=1") + "Foo=1\n";
    const auto reading = slurm::read_cluster({.slurm_conf = one_bad});
    CHECK(reading.errors.size() == 1);
    CHECK(reading.built.cluster.node_count() == 3000);
}

TEST_CASE("Slurm read_cluster: a bad line of gres.conf is reported once", "[dialect][slurm]") {
    const std::string bad =
        "NodeName=n[0-1198] Name=gpu File=/dev/a Cores=0-99\n"
        "NodeName=n1199 Name=gpu File=/dev/a Cores=7\n";
    const Sentences expected{
        "gres.conf:1:40 Cores=0-99: core 99 does not exist on node n0 and 1198 more",
        "gres.conf:2:36 Cores=7: core 7 does not exist on node n1199"};
    for (const std::string& conf :
         {lines_of(1200, "NodeName=n# Gres=gpu:1"), std::string("NodeName=n[0-1199] Gres=gpu:1")}) {
        INFO(conf.substr(0, 40));
        CHECK(
            sentences_of(slurm::read_cluster(
                {.slurm_conf = conf, .gres_conf = bad, .mended = slurm::MendedMistakes::errors})) ==
            expected);
        CHECK(slurm::read_cluster({.slurm_conf = conf, .gres_conf = bad}).errors.empty());
    }
}

TEST_CASE("Slurm read_cluster: an included file is read once", "[dialect][slurm]") {
    int asked = 0;
    const slurm::ConfFiles files = [&](std::string_view) -> std::optional<std::string> {
        return ++asked == 1 ? "PartitionName=p Nodes=x\nPartitionName=q Nodes=n,y\n" : "other";
    };
    const auto reading =
        slurm::read_cluster({.slurm_conf = "NodeName=n\nInclude more.conf\n", .files = &files});
    CHECK(sentences_of(reading) == Sentences{"more.conf:1:22 x: there is no such node",
                                             "more.conf:2:24 y: there is no such node"});
    CHECK(asked == 1);
}

}  // namespace trestle
