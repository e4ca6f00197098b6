// SPDX-License-Identifier: Apache-2.0
// All files of a configuration together: every mistake with its place, and what is left of the
// cluster.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

namespace trestle {
namespace {

using Texts = std::vector<std::string>;

/// `file:line:column token`.
Texts places_of(const slurm::ClusterReading& reading) {
    Texts all;
    for (const slurm::ConfError& one : reading.errors) {
        all.push_back(fmt::format("{}:{}:{} {}", one.place.file, one.place.line,
                                  one.error.offset + 1, one.error.token));
        CHECK_FALSE(one.error.expected.empty());
        CHECK_FALSE(one.error.what.empty());
    }
    return all;
}

}  // namespace

TEST_CASE("Slurm read_cluster: a value that the release refuses is one error, in its line",
          "[dialect][slurm]") {
    const auto reading =
        slurm::read_cluster({.slurm_conf = "KillWait=x\nPreemptMode=CHECKPOINT\nWaitTime=x\n",
                             .mended = slurm::MendedMistakes::errors,
                             .release = slurm::Release::v24_11});
    CHECK(places_of(reading) ==
          Texts{"slurm.conf:1:10 x", "slurm.conf:2:1 PreemptMode=CHECKPOINT", "slurm.conf:3:10 x"});
}

TEST_CASE("Slurm read_cluster: the mistakes of all files in one pass", "[dialect][slurm]") {
    const std::string conf =
        "GresTypes=gpu,,x\n"
        "NodeName=n[1-2] Sockets=2 Gres=gpu:1\n"
        "NodeName=n3 Sockets=2 Gres=gpu:1\n"
        "NodeName=n3 Weight=x\n"
        "NodeName=n[2,4]\n"
        "PartitionName=p Default=YES \\\n"
        "  Nodes=n1,n7,n[3,8]\n"
        "PartitionName=q Nodes=n4 Topology=none\n"
        "TopologyPlugin=topology/tree\n";
    const std::string gres =
        "NodeName=n[1-2] Name=gpu File=/dev/nvidia0 Cores=0-9\n"
        "Nmae=gpu\n"
        "NodeName=n3 Name=gpu File=/dev/nvidia0 CPUs=7\n";
    const std::string topology = "SwitchName=s Nodes=n[1-4]\nSwitchName=t Nods=n1\n";
    const auto reading = slurm::read_cluster({.slurm_conf = conf,
                                              .gres_conf = gres,
                                              .topology_conf = topology,
                                              .mended = slurm::MendedMistakes::errors});
    CHECK(places_of(reading) ==
          Texts{"slurm.conf:1:15 ", "slurm.conf:4:20 x", "slurm.conf:5:10 n2", "slurm.conf:7:12 n7",
                "slurm.conf:7:3 n8", "gres.conf:1:44 Cores=0-9", "gres.conf:2:1 Nmae",
                "gres.conf:3:40 Cores=7",
                "topology.conf:2:14 Nods"});  // topology.conf may have meant `none`
    const Cluster& cluster = reading.built.cluster;
    CHECK(cluster.node_count() == 4);
    CHECK(cluster.shape(NodeId(0)).devices.size() == 1);
    CHECK(cluster.shape(NodeId(0)).devices[0].cores.is_empty());
    REQUIRE(cluster.partitions().size() == 2);
    CHECK(cluster.partitions()[0].nodes.count() == 2);
    CHECK(cluster.network().trees.size() == 1);
    CHECK(reading.conf.nodes.size() == 3);

    const auto one = slurm::parse_cluster(
        {.slurm_conf = conf, .gres_conf = gres, .mended = slurm::MendedMistakes::errors});
    CHECK_THAT(std::string(message(one.status())),
               Catch::Matchers::StartsWith("slurm.conf line 1: empty item at offset 14") &&
                   Catch::Matchers::EndsWith("(and 8 more)"));
}

TEST_CASE("Slurm read_cluster: what does not go together", "[dialect][slurm]") {
    struct Row {
        std::string conf;
        std::string gres;
        Texts places;
        std::size_t devices;  ///< of the first node
        std::string why;
    };
    const std::vector<Row> rows{
        {"NodeName=n Gres=gpu:2",
         "Name=gpu File=/dev/nvidia0\nName=gpu File=/dev/nvidia[0-1]",
         {"gres.conf:2:10 /dev/nvidia0"},
         2,
         "a file of two devices, in a list: the second line gives no files"},
        {"NodeName=n Gres=gpu:2",
         "Name=gpu File=/dev/a Links=-1,2\nName=gpu File=/dev/b Links=-1,0",
         {"gres.conf:2:22 Links"},
         2,
         "one place for two"},
        {"NodeName=n Gres=gpu:5000", "", {}, 1, "many are one that is counted"},
        {"NodeName=n Gres=gpu:4000,nic:97", "", {"slurm.conf:1:12 Gres"}, 4000, "too many"},
        {"Licenses=a:9223372036854775807\nNodeName=n",
         "",
         {"slurm.conf:1:12 9223372036854775807"},
         0,
         "a count beyond what is read"},
        {"NodeName=n[1-2],n1", "", {"slurm.conf:1:17 n1"}, 0, "twice in one line"},
        {"", "", {}, 0, "nothing at all"},
    };
    for (const Row& row : rows) {
        INFO(row.conf << "\n" << row.gres << "\n" << row.why);
        const auto reading = slurm::read_cluster({.slurm_conf = row.conf, .gres_conf = row.gres});
        CHECK(places_of(reading) == row.places);
        const Cluster& cluster = reading.built.cluster;
        if (cluster.node_count() != 0) {
            CHECK(cluster.shape(NodeId(0)).devices.size() == row.devices);
        }
    }
}

TEST_CASE("Slurm read_cluster: a mistake of an included file is found there", "[dialect][slurm]") {
    const slurm::ConfFiles files = [](std::string_view name) -> std::optional<std::string> {
        if (name != "more.conf") return std::nullopt;
        return "# partitions\nPartitionName=p Nodes=a,b\n";
    };
    const auto reading =
        slurm::read_cluster({.slurm_conf = "NodeName=a\nInclude more.conf\n", .files = &files});
    CHECK(places_of(reading) == Texts{"more.conf:2:25 b"});
}

}  // namespace trestle
