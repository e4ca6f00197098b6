// SPDX-License-Identifier: Apache-2.0
// Limits of memory: which memory MaxMemPerNode and MaxMemPerCPU see, by release.
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"

namespace trestle {
namespace {

using slurm::Release;

struct MemoryRow {
    const char* options;
    const char* of_22_05;
    const char* later;  ///< 24.11 and 26.05
    const char* why;
};

void check_memory_rows(std::string_view conf, std::string_view gres,
                       const std::vector<MemoryRow>& rows) {
    for (const MemoryRow& row : rows) {
        const std::pair<Release, const char*> all[] = {{Release::v22_05, row.of_22_05},
                                                       {Release::v24_11, row.later},
                                                       {Release::v26_05, row.later}};
        for (const auto& [release, expected] : all) {
            slurm::Controller controller = slurm_answers::controller_of(conf, gres, "", release);
            const auto decision = controller.submit(row.options);
            INFO(row.options << " in " << trestle::to_text(release) << ": " << row.why);
            REQUIRE(decision.ok());
            CHECK(slurm_answers::text_of(*decision) == expected);
        }
    }
}

// Three nodes of 8 cores, 16 threads and 32,000 MiB.
constexpr std::string_view equal_nodes =
    "SelectTypeParameters=CR_Core_Memory\n"
    "NodeName=n[0-2] Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=32000\n"
    "PartitionName=p Nodes=ALL Default=YES\n"
    "PartitionName=small Nodes=ALL MaxMemPerNode=8000\n"
    "PartitionName=alone Nodes=ALL MaxMemPerNode=8000 OverSubscribe=EXCLUSIVE\n"
    "PartitionName=cpu Nodes=ALL MaxMemPerCPU=1500\n"
    "PartitionName=def Nodes=ALL MaxMemPerNode=8000 DefMemPerCPU=3000\n";

}  // namespace

TEST_CASE("Slurm select: limits of memory", "[dialect][slurm]") {
    const std::vector<MemoryRow> rows{
        {"-p small --mem=8000", "n0:0-1 8000M", "n0:0-1 8000M", "as much as the limit"},
        {"-p small --mem=8001", "pending PartitionConfig", "pending MaxMemPerLimit", "one more"},
        {"-p small --mem=0", "pending PartitionConfig", "pending MaxMemPerLimit",
         "all of the partition's first node"},
        {"-p small", "pending PartitionConfig", "pending MaxMemPerLimit",
         "without a default a job asks for all memory"},
        {"-p small --mem-per-cpu=2000 -n 5", "n0:0-3,8-9 12000M", "n0:0-3,8-9 12000M",
         "tasks may be on other nodes, so they are not counted"},
        {"-p small --mem-per-cpu=2000 -N 1 -n 5", "pending PartitionConfig",
         "pending MaxMemPerLimit", "on one node all tasks are"},
        {"-p small --mem-per-cpu=2000 -N 2 -n 9", "pending PartitionConfig",
         "pending MaxMemPerLimit", "one of two nodes has five of nine CPUs"},
        {"-p small --mem-per-cpu=2000 -N 1-3 -n 13", "pending PartitionConfig",
         "pending MaxMemPerLimit", "one of at most three nodes has five of thirteen"},
        {"-p small --mem-per-cpu=2000 -c 5", "pending PartitionConfig", "pending MaxMemPerLimit",
         "a task is on one node"},
        {"-p small --mem-per-cpu=2000 --ntasks-per-node=2 -c 3", "pending PartitionConfig",
         "pending MaxMemPerLimit", "two tasks of three CPUs"},
        {"-p small --mem-per-cpu=2000 --mincpus=5", "pending PartitionConfig",
         "pending MaxMemPerLimit", "CPUs that every node gives"},
        {"-p small --mem-per-cpu=500 --exclusive", "n0:0-15 8000M", "n0:0-15 8000M",
         "16 CPUs of a whole node"},
        {"-p small --mem-per-cpu=501 --exclusive", "pending PartitionConfig",
         "pending MaxMemPerLimit", "of all CPUs of a whole node"},
        {"-p alone --mem-per-cpu=501", "pending PartitionConfig", "pending MaxMemPerLimit",
         "the partition gives whole nodes"},
        {"-p alone --mem-per-cpu=4001", "pending PartitionConfig", "refused",
         "beyond the limit, and more than any node has"},
        {"-p def -c 3", "pending PartitionConfig", "pending MaxMemPerLimit",
         "the default memory counts"},
        {"-p p --exclusive --mem-per-cpu=2000", "n0:0-15 32000M", "n0:0-15 32000M",
         "16 CPUs fill the node"},
        {"-p p --exclusive --mem-per-cpu=2001", "refused", "refused",
         "no node has the memory of all its CPUs"},
        {"-p p --exclusive --mem-per-cpu=4000 --threads-per-core=1", "n0:0-15 32000M",
         "n0:0-15 32000M", "memory of one thread a core"},
        {"-p p --exclusive --mem-per-cpu=4001 --threads-per-core=1", "refused", "refused",
         "one more"},
        {"-p cpu --mem-per-cpu=3000 -n 3", "n0:0-5 9000M", "n0:0-5 9000M",
         "twice the CPUs, half the memory by CPU"},
        {"-p cpu --mem-per-cpu=3000 --mincpus=5", "n0:0-1 3000M", "n0:0-1 3000M",
         "of --mincpus nothing is left"},
        {"-p cpu --mem=24001", "refused", "refused", "17 CPUs of a node of 16"},
        {"-p cpu --mem=3001 -c 2", "n0:0-1 3001M", "n0:0-3 3001M",
         "three CPUs: for whole tasks, or each task has them"},
        {"-p cpu --mem=9000 -n 2", "n0:0-3,8-9 9000M", "n0:0-5 9000M",
         "six CPUs: of the node, or three of each task"},
    };
    check_memory_rows(equal_nodes, "", rows);
}

TEST_CASE("Slurm select: limits of memory where memory is not counted", "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_CPU\nNodeName=n0 CPUs=4 RealMemory=32000\n"
        "PartitionName=p Nodes=ALL Default=YES\n"
        "PartitionName=small Nodes=ALL MaxMemPerNode=8000\n";
    const std::vector<MemoryRow> rows{
        {"--mem=32000", "n0:0 0M", "n0:0 0M", "what the node has"},
        {"--mem=32001", "refused", "refused", "no node is so large"},
        {"--mem-per-cpu=32001", "refused", "refused", "nor for one CPU"},
        {"--mem-per-cpu=20000 -n 4", "n0:0-3 0M", "n0:0-3 0M", "the sum is not looked at"},
        {"-p small --mem=8001", "pending PartitionConfig", "pending MaxMemPerLimit",
         "limits hold all the same"},
        {"-p small --mem-per-cpu=2001 --exclusive", "pending PartitionConfig",
         "pending MaxMemPerLimit", "those of whole nodes too"},
        {"--mem-per-cpu=9000 --exclusive", "n0:0-3 0M", "n0:0-3 0M", "no limit and no memory"},
    };
    check_memory_rows(conf, "", rows);
}

TEST_CASE("Slurm select: limits of memory where nodes are unlike", "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_Core_Memory\n"
        "NodeName=a0 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=24000\n"
        "NodeName=m[0-1] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=48000\n"
        "PartitionName=all Nodes=ALL Default=YES MaxMemPerNode=30000\n"
        "PartitionName=m Nodes=m[0-1] MaxMemPerNode=40000\n";
    const std::vector<MemoryRow> rows{
        {"-p all --mem=0 -N 2", "a0:0-1 24000M; m0:0-1 48000M", "a0:0-1 24000M; m0:0-1 48000M",
         "the first node is within the limit, and no other is looked at"},
        {"-p m --mem=0", "pending PartitionConfig", "pending MaxMemPerLimit",
         "the first node is beyond it"},
        {"-p all --exclusive --mem-per-cpu=937", "a0:0-15 14992M", "a0:0-15 14992M",
         "32 CPUs are within the limit"},
        {"-p all --exclusive --mem-per-cpu=938", "a0:0-15 15008M", "pending MaxMemPerLimit",
         "CPUs of the first node, or of the one that has most"},
    };
    check_memory_rows(conf, "", rows);
}

TEST_CASE("Slurm select: limits of the partition hide those of the cluster", "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_Core_Memory\nMaxMemPerNode=9000\nDefMemPerCPU=1000\n"
        "NodeName=n0 CPUs=16 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=32000\n"
        "PartitionName=p Nodes=ALL Default=YES\nPartitionName=cpu Nodes=ALL MaxMemPerCPU=3000\n";
    const std::vector<MemoryRow> rows{
        {"--mem=9001", "pending PartitionConfig", "pending MaxMemPerLimit", "of the cluster"},
        {"-p cpu --mem=9001", "n0:0-1,8-9 9001M", "n0:0-3 9001M", "another limit of the partition"},
    };
    check_memory_rows(conf, "", rows);
}

TEST_CASE("Slurm select: MaxMemPerNode and memory by GPU", "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
        "NodeName=n0 CPUs=8 RealMemory=32000 Gres=gpu:4\n"
        "PartitionName=p Nodes=ALL Default=YES MaxMemPerNode=8000\n"
        "PartitionName=d Nodes=ALL MaxMemPerNode=8000 DefMemPerCPU=1000\n";
    constexpr std::string_view gres = "Name=gpu File=/dev/nvidia[0-3]\n";
    const std::vector<MemoryRow> rows{
        {"--mem-per-gpu=100 -G 1", "pending PartitionConfig", "pending MaxMemPerLimit",
         "all memory of a node is the default, and the limit sees that"},
        {"-p d --mem-per-gpu=9000 -G 1", "n0:0 9000M gpu:1(0)", "n0:0 9000M gpu:1(0)",
         "the limit sees the default by CPU and not what the GPU brings"},
        {"--mem-per-gpu=40000 -G 1", "pending PartitionConfig", "refused", "no node has so much"},
    };
    check_memory_rows(conf, gres, rows);
}

}  // namespace trestle
