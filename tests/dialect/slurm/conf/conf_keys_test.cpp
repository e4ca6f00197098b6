// SPDX-License-Identifier: Apache-2.0
// Keys of slurm.conf that are passed through, and Topology=, which means what other files say.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("Slurm conf: keys of old and new versions are passed through", "[dialect][slurm]") {
    for (const char* key : {"CompleteWait", "PreemptParameters", "PrEpPlugins", "HashPlugin",
                            "MetricsType", "NamespaceType", "SuspendExcStates", "FastSchedule"}) {
        INFO(key);
        const auto reading = slurm::read_slurm_conf(std::string(key) + "=1\n");
        CHECK(reading.errors.empty());
        REQUIRE(reading.conf.passthrough.size() == 1);
        CHECK(reading.conf.passthrough.front().key == key);
    }
    const auto none = slurm::read_slurm_conf("CompleteTime=1\n");
    REQUIRE(none.errors.size() == 1);
    CHECK_THAT(to_text(none.errors.front()), ContainsSubstring("CompleteWait"));
    CHECK(slurm::read_slurm_conf("NodeName=n GresConf=Name=gpu\n").errors.empty());
}

TEST_CASE("Slurm conf: values at which slurmctld stops, at keys that are passed through",
          "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* error;
    };
    const Row rows[] = {
        {"BatchStartTimeout=65536", "\"65536\"): expected a whole number from 0 to 65535"},
        {"MaxJobCount=0", "\"0\"): expected a whole number from 1 to 4294967295"},
        {"MessageTimeout=099", "malformed number"},
        {"MaxDBDMsgs=010000", "malformed number"},
        {"TaskPluginParam=core", "or one unit of none, boards, sockets, cores, threads"},
        {"SlurmdDebug=loud", "debug5 or a number"},
        {"MinJobAge=99999999999999999999k", "malformed number"},
        {"UsePAM=maybe", "unknown answer"},
        {"PriorityMaxAge=soon", "malformed time"},
        {"PriorityCalcPeriod=0", "minutes above 0"},
        {"DebugFlags=gres,Grass", "unknown flag at offset 16 (\"Grass\")"},
        {"PropagateResourceLimits=core", "or ALL or NONE alone"},
        {"TaskPluginParam=cores,threads", "a second unit beside cores"},
        {"TaskPluginParam=autobind=core", "unknown unit at offset 25 (\"core\")"},
        {"SchedulerType=backfill", "expected sched/backfill, sched/builtin"},
        {"PreemptType=preempt/Qos", "expected preempt/none, preempt/partition_prio, preempt/qos"},
        {"PreemptMode=CANCEL", "a PreemptMode without a PreemptType"},
        {"PreemptType=preempt/qos", "a PreemptType without a PreemptMode"},
        {"PreemptType=preempt/qos\nPreemptMode=SUSPEND", "line 2: SUSPEND without GANG"},
        {"PreemptMode=CANCEL,REQUEUE\nPreemptType=preempt/qos", "line 2: several ways"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const auto reading = slurm::read_slurm_conf(std::string(row.text) + "\n");
        REQUIRE(reading.errors.size() == 1);
        CHECK_THAT(to_text(reading.errors.front()), ContainsSubstring(row.error));
    }
    for (const char* line :
         {"BatchStartTimeout=UNLIMITED", "KillWait=0x1F", "MaxArraySize=1k", "UsePAM=up",
          "PreemptMode=GANG", "TaskPluginParam=Verbose,cores", "SlurmctldDebug=3x",
          "JobSubmitPlugins=my_own", "PreemptType=preempt/qos\nPreemptMode=CANCEL,WITHIN"}) {
        INFO(line);
        CHECK(slurm::read_slurm_conf(std::string(line) + "\n").errors.empty());
    }
}

TEST_CASE("Slurm conf: keys that a release refuses, with the releases that have them",
          "[dialect][slurm]") {
    using enum slurm::Release;
    struct Row {
        const char* line;
        slurm::Release release;
        const char* key;    ///< empty: not refused
        const char* which;  ///< the releases that have it
    };
    const Row rows[] = {
        {"CacheGroups=1", v22_05, "CacheGroups", "dropped after 20.11"},
        {"cachegroups=1", v26_05, "cachegroups", "dropped after 20.11"},
        {"DynAllocPort=1", v22_05, "DynAllocPort", "dropped after 14.11"},
        {"MaxBatchRequeue=1", v22_05, "MaxBatchRequeue", "since 23.02"},
        {"MaxBatchRequeue=1", v24_11, "", ""},
        {"MetricsType=x", v24_11, "MetricsType", "since 25.11"},
        {"FrontendName=a Port=3", v24_11, "", ""},
        {"FrontendName=a", v26_05, "FrontendName", "dropped after 24.11"},
        {"PowerAction=a Program=/b", v24_11, "PowerAction", "since 26.05"},
        {"SchedulerAuth=x", v22_05, "", ""},
        {"SchedulerAuth=x", v24_11, "SchedulerAuth", "dropped after 22.05"},
        {"SlurmctldDebug=3", v26_05, "", ""},
        {"SuspendTime=3", v22_05, "", ""},  // of the cluster
        {"NodeName=n SuspendTime=3", v24_11, "SuspendTime", "since 26.05"},
        {"NodeName=n Parameters=x", v24_11, "Parameters", "since 25.11"},
        {"NodeName=n Parameters=x", v26_05, "", ""},
        {"NodeName=n RestrictedCoresPerGPU=1", v22_05, "RestrictedCoresPerGPU", "since 24.05"},
        {"PartitionName=p Nodes=n Exclusive=NODE", v24_11, "Exclusive", "since 26.05"},
        {"PartitionName=p MaxCPUsPerSocket=2", v22_05, "MaxCPUsPerSocket", "since 23.02"},
        {"PartitionName=p SuspendTime=3", v22_05, "", ""},  // of a partition
        {"NoSuchKey=1", v24_11, "", ""},                    // the reader's error
    };
    for (const Row& row : rows) {
        INFO(row.line);
        const auto refused = slurm::refused_keys(std::string(row.line) + "\n", row.release);
        REQUIRE(refused.size() == (*row.key == '\0' ? 0 : 1));
        if (refused.empty()) continue;
        CHECK(refused.front().place.line == 1);
        CHECK_THAT(refused.front().message,
                   ContainsSubstring(std::string(row.key) + ": no key of Slurm 2") &&
                       ContainsSubstring(std::string("(") + row.which + ")"));
    }
    const auto included = slurm::refused_keys(
        "ClusterName=c\nInclude more.conf\nTLSType=x\n", v22_05,
        [](std::string_view) { return std::optional<std::string>("A=1\nHashPlugin=x\n"); });
    REQUIRE(included.size() == 2);
    CHECK(to_text(included[0].place) == "more.conf line 2");
    CHECK(to_text(included[1].place) == "slurm.conf line 3");
}

TEST_CASE("Slurm conf: Topology= of nodes and partitions", "[dialect][slurm]") {
    constexpr std::string_view yaml =
        "- topology: t\n  tree: {switches: [{switch: top, children: 's[0-1]'},"
        " {switch: s0, nodes: a}, {switch: s1, nodes: b}]}\n"
        "- topology: b\n  block: {block_sizes: [1], blocks: [{block: b0, nodes: a},"
        " {block: b1, nodes: b}]}\n"
        "- topology: r\n  ring: {rings: [{ring: r0, nodes: 'a,b'}, {ring: r1, nodes: c}]}\n"
        "- topology: d\n  torus3d: {toruses: [{name: d0, dims: {x: 1, y: 1, z: 1}, nodes: a}]}\n"
        "- topology: f\n  flat: true\n";
    const auto made = [&](std::string_view lines, std::string_view topology) {
        const std::string conf = "NodeName=a,b\n" + std::string(lines);
        return slurm::parse_cluster({.slurm_conf = conf, .topology_yaml = topology});
    };
    const auto built = made(
        "NodeName=c Topology=t:top:s1,b:b0,r:r0,d:d0,f:any\nNodeName=e Topology=t:s0\n"
        "PartitionName=p Nodes=ALL Topology=b\nPartitionName=q Topology=f\n",
        yaml);
    INFO(message(built.status()));
    REQUIRE(built.ok());
    const Network& network = built->cluster.network();
    CHECK(to_text(network.trees.at(0).switches.at(1).nodes) == "0,3");
    CHECK(to_text(network.trees.at(0).switches.at(2).nodes) == "1-2");
    CHECK(to_text(network.blocks.at(0).blocks.at(0).nodes) == "0,2");
    CHECK(network.rings.at(0).rings.at(0).nodes == std::vector{NodeId(0), NodeId(1), NodeId(2)});
    CHECK(network.rings.at(0).rings.at(1).nodes.empty());  // c was there
    REQUIRE(!built->warnings.empty());
    CHECK_THAT(to_text(built->warnings.back()),
               ContainsSubstring("Topology=d: a torus has places"));

    struct Row {
        const char* lines;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"NodeName=c Topology=x:s0",
         "slurm.conf line 2: there is no such topology at offset 20 (\"x\")", "none"},
        {"NodeName=c Topology=t:s9", "topology t has no such switch at offset 22 (\"s9\")",
         "no switch"},
        {"NodeName=c Topology=t:s0:s1", "topology t has no such path", "no path"},
        {"NodeName=c Topology=t:top:", "topology t has no such switch", "an empty end"},
        {"NodeName=c Topology=t:top", "topology t has no such leaf", "no leaf"},
        {"NodeName=c Topology=b:b9", "topology b has no such block", "no block"},
        {"NodeName=c Topology=r:r9", "topology r has no such ring", "no ring"},
        {"NodeName=c[0-15] Topology=r:r0", "the ring would have 18 nodes", "too many"},
        {"PartitionName=p Topology=x", "slurm.conf line 2: there is no such topology",
         "of a partition"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK_THAT(std::string(message(made(row.lines, yaml).status())),
                   ContainsSubstring(row.expected));
    }
    CHECK(made("PartitionName=p Topology=default\nNodeName=c Topology=default:s", "").ok());
}

}  // namespace trestle
