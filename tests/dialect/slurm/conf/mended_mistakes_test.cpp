// SPDX-License-Identifier: Apache-2.0
// Mistakes that slurmctld 22.05 logs and mends, keys of two names, and lines that go on: each value
// is the one that a slurmctld printed for these very lines.
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

namespace trestle {
namespace {

using slurm::MendedMistakes;

/// `2x8x1 cpus=16 mem=5 features=a,b spec=1 reserved=0 gres=gpu:4`: what a node line came to.
std::string node_text(const slurm::NodeLine& line) {
    std::string gres;
    for (const slurm::NodeGres& one : line.gres) gres += " " + to_text(one.gres);
    return fmt::format("{}x{}x{} {}M {} spec={} limit={}{}", line.sockets, line.cores_per_socket,
                       line.threads_per_core, line.memory.value() >> 20,
                       fmt::join(line.features, ","), system_cores_of(line).count(),
                       line.memory_reserved.value() >> 20, gres);
}

struct NodeRow {
    std::string lines;
    std::string expected;  ///< of the last node
    std::size_t warnings;  ///< of the whole file
    std::string why;
};

void check_nodes(const std::vector<NodeRow>& rows) {
    for (const NodeRow& row : rows) {
        INFO(row.lines << "\n" << row.why);
        const auto reading = slurm::read_slurm_conf(row.lines);
        for (const slurm::ConfError& error : reading.errors) UNSCOPED_INFO(to_text(error));
        for (const slurm::ConfWarning& one : reading.warnings) UNSCOPED_INFO(to_text(one));
        CHECK(reading.errors.empty());
        CHECK(reading.warnings.size() == row.warnings);
        REQUIRE(!reading.conf.nodes.empty());
        CHECK(node_text(reading.conf.nodes.back()) == row.expected);
        const auto strict = slurm::read_slurm_conf(row.lines, {}, MendedMistakes::errors);
        CHECK(strict.errors.size() == row.warnings);
        CHECK(strict.warnings.empty());
    }
}

std::string mebibytes_or_dash(const std::optional<Bytes>& bytes) {
    return bytes ? std::to_string(bytes->value() >> 20) : "-";
}

}  // namespace

TEST_CASE("Slurm conf: of two keys of a node Slurm takes the one it prefers", "[dialect][slurm]") {
    check_nodes({
        {"NodeName=n Procs=48 CPUs=96 Sockets=2 CoresPerSocket=24 ThreadsPerCore=2",
         "2x24x2 1M  spec=0 limit=0", 1, "CPUs, in whatever order"},
        {"NodeName=n Procs=48 Sockets=2 CoresPerSocket=24", "2x24x1 1M  spec=0 limit=0", 0,
         "Procs alone"},
        {"NodeName=DEFAULT Procs=8\nNodeName=n CPUs=4", "4x1x1 1M  spec=0 limit=0", 0,
         "the line's own"},
        {"NodeName=DEFAULT CPUs=16\nNodeName=n Procs=2", "16x1x1 1M  spec=0 limit=0", 1,
         "CPUs of a DEFAULT line goes before Procs of the line"},
        {"NodeName=DEFAULT Procs=8\nNodeName=DEFAULT CPUs=16\nNodeName=n",
         "16x1x1 1M  spec=0 limit=0", 0, "two DEFAULT lines"},
        {"NodeName=DEFAULT CPUs=16\nNodeName=DEFAULT Procs=8\nNodeName=n",
         "16x1x1 1M  spec=0 limit=0", 1, "the other way round"},
        {"NodeName=n Features=y Feature=x", "1x1x1 1M x spec=0 limit=0", 1, "Feature"},
        {"NodeName=DEFAULT Feature=e\nNodeName=n Features=y", "1x1x1 1M y spec=0 limit=0", 0,
         "but the line's Features go before Feature of a DEFAULT line"},
        {"NodeName=DEFAULT Features=d\nNodeName=n Feature=x", "1x1x1 1M x spec=0 limit=0", 0,
         "the line's own"},
        {"NodeName=DEFAULT Feature=e\nNodeName=DEFAULT Features=d\nNodeName=n",
         "1x1x1 1M e spec=0 limit=0", 1, "of DEFAULT lines Feature"},
        {"NodeName=n Sockets=4 SocketsPerBoard=2 CoresPerSocket=2", "2x2x1 1M  spec=0 limit=0", 1,
         "SocketsPerBoard"},
        {"NodeName=n Sockets=4 Boards=2 CoresPerSocket=2", "4x2x1 1M  spec=0 limit=0", 0,
         "Sockets are those of all boards"},
        {"NodeName=n SocketsPerBoard=4 Boards=2 CoresPerSocket=2", "8x2x1 1M  spec=0 limit=0", 0,
         "SocketsPerBoard are of one"},
        {"NodeName=n CPUs=8 CPUSpecList=0-1 CoreSpecCount=1", "8x1x1 1M  spec=2 limit=0", 1,
         "CpuSpecList"},
        {"NodeName=DEFAULT CoreSpecCount=1\nNodeName=n CPUs=8 CPUSpecList=0-2",
         "8x1x1 1M  spec=3 limit=0", 0, "the same with a DEFAULT line"},
    });
}

TEST_CASE("Slurm conf: of two keys of a partition Slurm takes the one it prefers",
          "[dialect][slurm]") {
    struct Row {
        std::string lines;
        std::string expected;
        std::size_t warnings;
    };
    const std::vector<Row> rows{
        {"PartitionName=p Nodes=n OverSubscribe=FORCE:3 Shared=EXCLUSIVE", "force:3 1 1 - -", 1},
        {"PartitionName=p Nodes=n Shared=EXCLUSIVE OverSubscribe=FORCE:3", "force:3 1 1 - -", 1},
        {"PartitionName=DEFAULT Shared=FORCE:2\nPartitionName=p OverSubscribe=NO", "no:4 1 1 - -",
         0},
        {"PartitionName=DEFAULT Shared=FORCE:2\nPartitionName=p", "force:2 1 1 - -", 0},
        {"PartitionName=DEFAULT OverSubscribe=YES:5\nPartitionName=p Shared=NO", "yes:5 1 1 - -",
         1},
        {"PartitionName=p OverSubscribe=FORCE:0", "no:4 1 1 - -", 1},
        {"PartitionName=p OverSubscribe=FORCE:1", "force:1 1 1 - -", 0},
        {"PartitionName=p OverSubscribe=YES:1", "no:4 1 1 - -", 1},
        {"PartitionName=p OverSubscribe=YES:2", "yes:2 1 1 - -", 0},
        {"PartitionName=p OverSubscribe=YES:x", "no:4 1 1 - -", 1},
        {"PartitionName=p OverSubscribe=YES:", "no:4 1 1 - -", 1},
        {"PartitionName=p Shared=FORCE:x", "no:4 1 1 - -", 1},
        {"PartitionName=p OverTimeLimit=-1", "no:4 1 1 - -", 1},
        {"PartitionName=p OverTimeLimit=70000", "no:4 1 1 - -", 1},
        {"PartitionName=p OverTimeLimit=65535", "no:4 1 1 - -", 0},
        {"PartitionName=p Priority=5 PriorityTier=7", "no:4 5 5 - -", 1},
        {"PartitionName=p PriorityJobFactor=9 Priority=5", "no:4 5 5 - -", 1},
        {"PartitionName=p PriorityJobFactor=9 PriorityTier=5", "no:4 5 9 - -", 0},
        {"PartitionName=DEFAULT Priority=3\nPartitionName=p PriorityTier=7", "no:4 3 3 - -", 1},
        {"PartitionName=DEFAULT PriorityTier=20\nPartitionName=p Priority=6", "no:4 6 6 - -", 0},
        {"PartitionName=p DefMemPerCPU=5 DefMemPerNode=7", "no:4 1 1 - 7", 1},
        {"PartitionName=p DefMemPerNode=7 DefMemPerCPU=5", "no:4 1 1 - 7", 1},
        {"PartitionName=DEFAULT DefMemPerNode=9\nPartitionName=p DefMemPerCPU=4", "no:4 1 1 - 9",
         1},
        {"PartitionName=DEFAULT DefMemPerCPU=3\nPartitionName=p DefMemPerNode=2", "no:4 1 1 - 2",
         0},
        {"PartitionName=DEFAULT DefMemPerCPU=3\nPartitionName=p", "no:4 1 1 3 -", 0},
    };
    for (const Row& row : rows) {
        INFO(row.lines);
        const auto reading = slurm::read_slurm_conf(row.lines);
        CHECK(reading.errors.empty());
        CHECK(reading.warnings.size() == row.warnings);
        REQUIRE(reading.conf.partitions.size() == 1);
        const slurm::PartitionLine& line = reading.conf.partitions.front();
        CHECK(fmt::format("{}:{} {} {} {} {}", to_text(line.oversubscribe), line.jobs_per_resource,
                          line.priority_tier, line.priority_job_factor,
                          mebibytes_or_dash(line.defaults.memory_per_cpu),
                          mebibytes_or_dash(line.defaults.memory_per_node)) == row.expected);
    }
}

TEST_CASE("Slurm conf: of two keys of the cluster Slurm takes the one it prefers",
          "[dialect][slurm]") {
    struct Row {
        std::string lines;
        std::string expected;  ///< DefMemPerCPU DefMemPerNode MaxMemPerCPU MaxMemPerNode
        std::string warning;
    };
    const std::vector<Row> rows{
        {"DefMemPerNode=1000\n\nDefMemPerCPU=100\n", "- 1000 - -",
         "slurm.conf line 3: DefMemPerCPU: DefMemPerNode goes before it, Slurm takes "
         "DefMemPerNode=1000"},
        {"DefMemPerCPU=100\nDefMemPerNode=1000\n", "- 1000 - -",
         "slurm.conf line 2: DefMemPerNode: DefMemPerCPU stands before it, Slurm takes "
         "DefMemPerNode=1000"},
        {"maxmempernode=7 MaxMemPerCPU=100\n", "- - - 7",
         "slurm.conf line 1: MaxMemPerCPU: MaxMemPerNode goes before it, Slurm takes "
         "MaxMemPerNode=7"},
        {"MaxMemPerCPU=100\nMaxMemPerNode=7\n", "- - - 7",
         "slurm.conf line 2: MaxMemPerNode: MaxMemPerCPU stands before it, Slurm takes "
         "MaxMemPerNode=7"},
        {"DefMemPerCPU=1\nMaxMemPerNode=7\n", "1 - - 7", ""},
        {"MaxMemPerCPU=1\nDefMemPerNode=7\n", "- 7 1 -", ""},
        {"DefMemPerCPU=1\nMaxMemPerCPU=2\n", "1 - 2 -", ""},
    };
    for (const Row& row : rows) {
        INFO(row.lines);
        const auto reading = slurm::read_slurm_conf(row.lines);
        CHECK(reading.errors.empty());
        const slurm::JobDefaults& defaults = reading.conf.parameters.defaults;
        CHECK(fmt::format("{} {} {} {}", mebibytes_or_dash(defaults.memory_per_cpu),
                          mebibytes_or_dash(defaults.memory_per_node),
                          mebibytes_or_dash(defaults.max_memory_per_cpu),
                          mebibytes_or_dash(defaults.max_memory_per_node)) == row.expected);
        REQUIRE(reading.warnings.size() == (row.warning.empty() ? 0u : 1u));
        if (!row.warning.empty()) CHECK(to_text(reading.warnings.front()) == row.warning);
        CHECK(slurm::read_slurm_conf(row.lines, {}, MendedMistakes::errors).errors.size() ==
              reading.warnings.size());
    }
}

TEST_CASE("Slurm conf: what Slurm mends of a node is a warning", "[dialect][slurm]") {
    check_nodes({
        {"NodeName=n CPUs=7 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2",
         "2x4x2 1M  spec=0 limit=0", 1, "CPUs that are none of the products"},
        {"NodeName=n CPUs=30 CoresPerSocket=4 ThreadsPerCore=2", "1x4x2 1M  spec=0 limit=0", 1,
         "no whole number of sockets"},
        {"NodeName=n CPUs=32 CoresPerSocket=4 ThreadsPerCore=2", "4x4x2 1M  spec=0 limit=0", 0,
         "a whole number"},
        {"NodeName=n CPUs=2 CoresPerSocket=4 ThreadsPerCore=2", "1x4x2 1M  spec=0 limit=0", 1,
         "fewer than one socket has"},
        {"NodeName=n CPUs=64 Boards=2 CoresPerSocket=16 ThreadsPerCore=2",
         "2x16x2 1M  spec=0 limit=0", 0, "sockets of two boards"},
        {"NodeName=n CPUs=48 Boards=2 CoresPerSocket=16", "3x16x1 1M  spec=0 limit=0", 0,
         "that do not divide by the boards"},
        {"NodeName=n CPUs=33 Boards=1 CoresPerSocket=16 ThreadsPerCore=2",
         "1x16x2 1M  spec=0 limit=0", 1, "boards and CPUs that do not add up"},
        {"NodeName=n CPUs=3 ThreadsPerCore=2", "1x1x2 1M  spec=0 limit=0", 1, "threads alone"},
        {"NodeName=n CPUs=0", "1x1x1 1M  spec=0 limit=0", 1, "none: one"},
        {"NodeName=n Sockets=0 CoresPerSocket=0 ThreadsPerCore=0", "1x1x1 1M  spec=0 limit=0", 3,
         "each of them"},
        {"NodeName=n CPUs=4 CPUs=8 Weight=1 Weight=5", "8x1x1 1M  spec=0 limit=0", 2,
         "a key twice: the last"},
        {"NodeName=n CPUs=8 CoreSpecCount=8", "8x1x1 1M  spec=1 limit=0", 1, "all cores: one"},
        {"NodeName=n CPUs=8 CoreSpecCount=7", "8x1x1 1M  spec=7 limit=0", 0, "all but one"},
        {"NodeName=n CPUs=8 CPUSpecList=8", "8x1x1 1M  spec=0 limit=0", 1, "a CPU that is none"},
        {"NodeName=n CPUs=8 CPUSpecList=99 CoreSpecCount=2", "8x1x1 1M  spec=2 limit=0", 2,
         "the list is dropped, so the count stays"},
        {"NodeName=DEFAULT CoreSpecCount=2\nNodeName=n CPUs=8 CPUSpecList=99",
         "8x1x1 1M  spec=2 limit=0", 1, "the same with a DEFAULT line"},
        {"NodeName=n Boards=4 Sockets=2", "2x1x1 1M  spec=0 limit=0", 1, "one board"},
        {"NodeName=n Boards=3 Sockets=4 CoresPerSocket=2", "4x2x1 1M  spec=0 limit=0", 0,
         "more sockets than boards"},
        {"NodeName=n CPUs=8 CPUSpecList=[0-1]", "8x1x1 1M  spec=2 limit=0", 0, "brackets"},
        {"NodeName=n RealMemory=1000 MemSpecLimit=1000", "1x1x1 1000M  spec=0 limit=0", 1,
         "all memory: none"},
        {"NodeName=n Gres=,gpu:4,", "1x1x1 1M  spec=0 limit=0 gpu:4", 2, "empty items"},
        {"NodeName=n Gres=gpu:", "1x1x1 1M  spec=0 limit=0 gpu:1", 0, "a colon without a count"},
        {"NodeName=n Features=a,,b,", "1x1x1 1M a,b spec=0 limit=0", 2, "empty items"},
    });
    const auto reading = slurm::read_slurm_conf("NodeName=n CPUs=16 Sockets=2 CoresPerSocket=4\n");
    REQUIRE(reading.warnings.size() == 1);
    CHECK(to_text(reading.warnings.front()) ==
          "slurm.conf line 1: CPUs=16: CPUs that do not add up, Slurm takes CPUs=8");
    CHECK(slurm::read_slurm_conf("NodeName=n CPUs=2 Sockets=2 CoresPerSocket=8\n").errors.size() ==
          1);  // slurmctld stops
}

TEST_CASE("Slurm conf: what Slurm mends of partitions, of the cluster and of gres.conf",
          "[dialect][slurm]") {
    const auto limits = slurm::read_cluster(
        {.slurm_conf = "NodeName=n\nPartitionName=p Nodes=n Default=YES MinNodes=5 MaxNodes=3\n"});
    CHECK(limits.errors.empty());
    CHECK(limits.built.warnings.size() == 1);
    auto controller = slurm::Controller::of(limits, slurm::Release::v22_05);
    REQUIRE(controller.ok());
    const auto answer = controller->submit("-N1");
    REQUIRE(answer.ok());
    CHECK(answer->reason == slurm::Reason::partition_config);

    const auto cluster = slurm::read_slurm_conf(
        "MaxArraySize=1\nTopologyParam=Foo,TopoOptional,\nSelectType=select/cons_tres\n"
        "SelectTypeParameters=CR_Core\nSelectTypeParameters=CR_Core_Memory,\nLicenses=a:1,,b:2,\n");
    CHECK(cluster.errors.empty());
    CHECK(cluster.warnings.size() == 6);
    CHECK(cluster.conf.parameters.topology.is_optional);
    CHECK(cluster.conf.parameters.select.counts_memory);
    CHECK(cluster.conf.parameters.licenses.size() == 2);

    struct Row {
        std::string line;
        std::string cores;
        std::size_t links;
        std::size_t warnings;
    };
    const std::vector<Row> rows{
        {"Name=gpu File=/dev/nvidia0 Cores=[0-3,8] CPUs=4-5", "0-3,8", 0, 1},
        {"Name=gpu File=/dev/nvidia0 CPUs=4-5", "4-5", 0, 0},
        {"Name=gpu File=/dev/nvidia0 Cores=0-3,", "0-3", 0, 1},
        {"Name=gpu File=/dev/nvidia9 File=/dev/nvidia0 Cores=1", "1", 0, 1},
        {"Name=gpu File=/dev/nvidia0 Cores=[1] Links=0,4", "1", 0, 1},
        {"Name=gpu File=/dev/nvidia0 Cores=[1] Links=-1,4", "1", 2, 0},
        {"Name=gpu File=/dev/nvidia0 Cores=1 Flags=no_such_flag", "1", 0, 1},
    };
    for (const Row& row : rows) {
        INFO(row.line);
        const auto reading = slurm::read_gres_conf(row.line);
        CHECK(reading.errors.empty());
        CHECK(reading.warnings.size() == row.warnings);
        REQUIRE(reading.lines.size() == 1);
        CHECK(to_text(reading.lines.front().files) == "/dev/nvidia0");
        CHECK(to_text(*reading.lines.front().cores) == row.cores);
        CHECK(reading.lines.front().links.size() == row.links);
        CHECK(slurm::read_gres_conf(row.line, {}, MendedMistakes::errors).errors.size() ==
              row.warnings);
    }
    CHECK(slurm::read_gres_conf("AutoDetect=foo\nName=gpu File=/dev/a\n").lines.size() == 1);
}

TEST_CASE("Slurm conf: strict reading refuses what is mended", "[dialect][slurm]") {
    const std::string conf = "NodeName=n CPUs=16 Sockets=2 CoresPerSocket=4\nPartitionName=p\n";
    CHECK(slurm::Controller::create({.slurm_conf = conf}).ok());
    const auto strict =
        slurm::Controller::create({.slurm_conf = conf, .mended = MendedMistakes::errors});
    CHECK_THAT(std::string(message(strict.status())),
               Catch::Matchers::ContainsSubstring("CPUs that do not add up"));
    CHECK_FALSE(slurm::parse_slurm_conf(conf).ok());  // which could not tell of it
    CHECK(slurm::parse_slurm_conf(conf, {}, MendedMistakes::warnings).ok());
    const std::string gres = "Name=gpu File=/dev/a File=/dev/b\n";
    CHECK_FALSE(slurm::parse_gres_conf(gres).ok());
    CHECK(slurm::parse_gres_conf(gres, {}, MendedMistakes::warnings).ok());
    const auto reading = slurm::read_cluster({.slurm_conf = "NodeName=n Gres=gpu:1\n",
                                              .gres_conf = "Name=gpu File=/dev/a Cores=9\n",
                                              .mended = MendedMistakes::errors});
    REQUIRE(reading.errors.size() == 1);
    CHECK(reading.errors.front().taken == "no cores");
}

TEST_CASE("Slurm conf: a backslash joins lines wherever it stands", "[dialect][slurm]") {
    check_nodes({
        {"NodeName=n CPUs=4\\\n RealMemory=5\n", "4x1x1 5M  spec=0 limit=0", 0, "behind a value"},
        {"NodeName=n CPUs=4 RealMemory=5\\\n6\n", "4x1x1 56M  spec=0 limit=0", 0, "in a value"},
        {"NodeName=n CPUs=4 Real\\\nMemory=5\n", "4x1x1 5M  spec=0 limit=0", 0, "in a key"},
        {"NodeName=n CPUs=\\\n4 RealMemory=5\n", "4x1x1 5M  spec=0 limit=0", 0, "behind the ="},
        {"NodeName=n CPUs=4 \\ \t\n RealMemory=5 \\\r\n \n", "4x1x1 5M  spec=0 limit=0", 0,
         "blanks behind it"},
        {"NodeName=n CPUs=4 \\ # why\n RealMemory=5\n", "4x1x1 5M  spec=0 limit=0", 0,
         "a comment behind it"},
        {"NodeName=n CPUs=4 Reason=\"a \\\n b\" RealMemory=5\n", "4x1x1 5M  spec=0 limit=0", 0,
         "inside quotes"},
        {"NodeName=n CPUs=4 \\ RealMemory=5\n", "4x1x1 5M  spec=0 limit=0", 0,
         "one that stands alone is nothing"},
        {"NodeName=n CPUs=4 Reason=a\\#b RealMemory=5\n", "4x1x1 5M  spec=0 limit=0", 0,
         "one before a # takes its meaning"},
        {"NodeName=n CPUs=4 RealMemory=5 Reason=a\\\\#b Weigth=7\n", "4x1x1 5M  spec=0 limit=0", 0,
         "two of them do not"},
        {"NodeName=n CPUs=4 Reason=a\\\\\\#b RealMemory=5\n", "4x1x1 5M  spec=0 limit=0", 0,
         "three do"},
        {"NodeName=n CPUs=4 RealMemory=5 \\", "4x1x1 5M  spec=0 limit=0", 0, "the last line"},
    });
    for (const char* text :
         {"NodeName=n CPUs=4\\\nRealMemory=5\n", "NodeName=n CPUs=4 # why \\\n RealMemory=5\n",
          "NodeName=n CPUs=4 \\\n# why \\\n RealMemory=5\n",
          "NodeName=n CPUs=4 \\\n\nRealMemory=5\n", "NodeName=n CPUs=4 \\\\\n RealMemory=5\n"}) {
        INFO(text);
        CHECK(slurm::read_slurm_conf(text).errors.size() >= 1);  // slurmctld stops at each
    }
    const auto gres = slurm::read_gres_conf("Name=gpu File=/dev/nvidia[0,\\\n1] Cores=0-\\\n3\n");
    REQUIRE(gres.lines.size() == 1);
    CHECK(to_text(gres.lines.front().files) == "/dev/nvidia[0-1]");
    CHECK(to_text(*gres.lines.front().cores) == "0-3");
    const auto wrong = slurm::read_slurm_conf("NodeName=n \\\n CPUs=4 \\\n  Weigth=1\n");
    REQUIRE(wrong.errors.size() == 1);
    CHECK(wrong.errors.front().place.line == 3);
    CHECK(wrong.errors.front().error.offset == 2);
}

TEST_CASE("Slurm conf: keys of all releases, and %c of included files", "[dialect][slurm]") {
    for (const char* line :
         {"SlurmdPlugstack=x", "DynAllocPort=1", "Layouts=x", "ChosLoc=x", "SerializerParameters=x",
          "SlurmctldHttpAuthParameters=x", "SlurmrestdParameters=x", "SlurmstepdParameters=x",
          "PowerAction=a Program=/b", "FrontendName=f Port=1", "NodeName=n SuspendTime=60",
          "PartitionName=p Exclusive=USER,TOPO"}) {
        INFO(line);
        CHECK(slurm::read_slurm_conf(line).errors.empty());
    }
    for (const char* line : {"OverTimeLimit=-1", "OverTimeLimit=70000"}) {
        CHECK(slurm::read_slurm_conf(line).errors.size() == 1);  // of the cluster: Slurm stops
    }
    const auto exclusive = slurm::read_slurm_conf("PartitionName=p Exclusive=NODE\n");
    REQUIRE(exclusive.conf.partitions.size() == 1);
    CHECK(exclusive.conf.partitions.front().oversubscribe == Partition::OverSubscribe::exclusive);
    const slurm::ConfFiles files = [](std::string_view name) -> std::optional<std::string> {
        if (name == "dir/west-west.conf") return "NodeName=a\n";
        return std::nullopt;
    };
    CHECK(slurm::read_slurm_conf("ClusterName=west\nInclude dir/%c-%c.conf\n", files)
              .conf.nodes.size() == 1);
    CHECK(slurm::read_slurm_conf("ClusterName=West\nInclude dir/%c-%c.conf\n", files)
              .conf.nodes.size() == 1);  // Slurm opens the name in lower case
    CHECK(slurm::read_slurm_conf("Include dir/%c-%c.conf\n", files).errors.size() == 1);
}

TEST_CASE("Slurm conf: a file whose name is too long is not built", "[dialect][slurm]") {
    std::string many;
    for (int i = 0; i < 32'000; ++i) many += "%c";
    const std::string limit(4096, 'c');
    struct Row {
        std::string cluster;
        std::string file;
        std::string what;
    };
    const std::vector<Row> rows{
        {std::string(64'000, 'c'), many, "name of a file that is too long"},
        {std::string(64'000, 'c'), "%c", "name of a file that is too long"},
        {"c", many, "name of a file that is too long"},
        {"c", std::string(4097, 'x'), "name of a file that is too long"},
        {limit, "%cx", "name of a file that is too long"},
        {limit, "%c", "unknown file"},
        {std::string(64'000, 'c'), "x", "unknown file"},
    };
    for (const Row& row : rows) {
        INFO(row.cluster.size() << " and " << row.file.size());
        const auto reading =
            slurm::read_slurm_conf("ClusterName=" + row.cluster + "\ninclude " + row.file + "\n");
        REQUIRE(reading.errors.size() == 1);
        CHECK(reading.errors.front().error.what == row.what);
    }
}

TEST_CASE("Slurm conf: large files of odd lines are read in one pass", "[dialect][slurm]") {
    const auto times = [](std::size_t count, const std::string& text) {
        std::string all;
        for (std::size_t i = 0; i < count; ++i) all += text;
        return all;
    };
    const std::size_t count = test_rounds(100'000u);
    struct Row {
        std::string text;
        std::size_t errors;
        std::size_t warnings;
        std::string why;
    };
    std::string sets;
    for (std::size_t i = 0; i < count; ++i) sets += fmt::format("NodeSet=s{} Feature=f\n", i);
    const std::vector<Row> rows{
        {times(count, "A=1 \\\n"), count, 0, "a line of many lines"},
        {"NodeName=n Reason=\"" + times(count, "\\#") + "\"\n", 0, 0, "many pieces of a line"},
        {"NodeName=n " + times(count, "Procs=1 ") + "\n", 0, count - 1, "a key often"},
        {"NodeName=n CPUs=1 " + times(count, "Procs=1 ") + "\n", 0, 2 * count - 1,
         "a key often that another one hides"},
        {"NodeName=n CPUs=" + times(count, "1") + times(count, " Procs=1") + "\n", 1, 2 * count - 1,
         "the other one has a long value"},
        {sets, 0, 0, "many names of node sets"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto reading = slurm::read_slurm_conf(row.text);
        CHECK(reading.errors.size() == row.errors);
        CHECK(reading.warnings.size() == row.warnings);
    }
}

}  // namespace trestle
