// SPDX-License-Identifier: Apache-2.0
// What the controller says of jobs that wait: which resource, what is asked, the most that is free.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"

namespace trestle {
namespace {

using slurm::Answer;
using slurm::Controller;
using slurm::Decision;
using slurm::Reason;

/// A job that waits, and what is said of it.
struct WaitingRow {
    const char* options;
    const char* message;
    const char* why;
    Reason reason = Reason::resources;
};

template <std::size_t N>
void check_waiting(const Controller& controller, const WaitingRow (&rows)[N]) {
    for (const WaitingRow& row : rows) {
        Controller trial = controller;
        const Decision decision = slurm_answers::submit(trial, row.options);
        INFO(row.options << ": " << row.why);
        CHECK(decision.answer == Answer::pending);
        CHECK(decision.reason == row.reason);
        CHECK(decision.message == row.message);
    }
}

void run(Controller& controller, const std::vector<std::string>& jobs) {
    for (const std::string& options : jobs) {
        const Decision decision = slurm_answers::submit(controller, options);
        INFO(options << ": " << decision.message);
        REQUIRE(decision.answer == Answer::allocated);
    }
}

}  // namespace

TEST_CASE("Slurm controller: a job that waits is said to lack what is in use", "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\nGresTypes=gpu,shard\n"
        "Licenses=matlab:2,abaqus:3\nAllowSpecResourcesUsage=yes\n"
        "NodeName=n[0-1] Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=32000 "
        "Gres=gpu:a100:4,shard:16 Feature=fast\n"
        "NodeName=n[2-3] Sockets=2 CoresPerSocket=4 RealMemory=32000 Gres=gpu:a100:2 "
        "Feature=slow\n"
        "NodeName=m0 Sockets=1 CoresPerSocket=4 RealMemory=64000\n"
        "PartitionName=p Nodes=ALL Default=YES\nPartitionName=n Nodes=n[0-1]\n"
        "PartitionName=limited Nodes=n[0-3] MaxCPUsPerNode=6\n"
        "PartitionName=shared Nodes=m0,n3 OverSubscribe=FORCE:2\n"
        "PartitionName=down Nodes=ALL State=DOWN\n";
    constexpr std::string_view gres =
        "NodeName=n[0-1] Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-3\n"
        "NodeName=n[0-1] Name=gpu Type=a100 File=/dev/nvidia[2-3] Cores=4-7\n"
        "NodeName=n[0-1] Name=shard Count=16\n"
        "NodeName=n[2-3] Name=gpu Type=a100 File=/dev/nvidia[0-1]\n";
    Controller controller = slurm_answers::controller_of(conf, gres, "", slurm::Release::v24_11);
    run(controller, {"-w n0 -n 10 --gres=gpu:3", "-w n1 -n 2 --gres=gpu:1",
                     "-w n2 -n 5 --mem=31000", "-w m0 -n 2", "-w n3 -n 1 -L matlab:1"});
    check_waiting(
        controller,
        {{"--gres=gpu:4",
          "--gres=gpu:4: a node of partition p has at most 3 free (n1; 4 when idle)",
          "devices of a node"},
         {"-p n --gres=gpu:a100:4",
          "--gres=gpu:a100:4: a node of partition n has at most 3 free (n1; 4 when idle)",
          "of a type"},
         {"-p n --gres=shard:5",
          "--gres=shard:5: a node of partition n has at most 4 of one GPU free (n0)",
          "shares of one GPU, idle or not"},
         {"-p n -c 15",
          "--cpus-per-task=15: a node of partition n has at most 14 CPUs free (n1; 16 when idle)",
          "CPUs of a task"},
         {"-N 1 -n 15",
          "15 CPUs of the job: 1 node of partition p has at most 14 free (16 when idle)",
          "CPUs of one node"},
         {"-p n -n 24",
          "24 CPUs of the job: 2 nodes of partition n have at most 20 free (32 when idle)",
          "CPUs of two nodes"},
         {"-p limited -N 4 -n 24",
          "24 CPUs of the job: 4 nodes of partition limited have at most 21 free (24 when idle)",
          "MaxCPUsPerNode, and three of n2"},
         {"-p n --mem=31000",
          "--mem=31000M: a node of partition n has at most 30000M free (n1; 32000M when idle)",
          "memory of a node"},
         {"-p n -n 20 --mem-per-cpu=2500",
          "20 CPUs with --mem-per-cpu=2500M of the job: 2 nodes of partition n have at most 18 "
          "free (24 when idle)",
          "memory of all CPUs"},
         {"-p n -c 4 --mem-per-cpu=7900",
          "--mem-per-cpu=7900M for each of 4 CPUs: a node of partition n has at most 30000M free "
          "(n1; 32000M when idle)",
          "memory of one task"},
         {"--mem=0",
          "--mem=0: no node of partition p has all its memory free (at most 62000M of 64000M; m0)",
          "all memory of a node"},
         {"-w n2 --mem=0", "--nodelist, --mem=0: node n2 has 1000M of 32000M free",
          "all memory of a node that is named"},
         {"-w n2 -c 4",
          "--nodelist, --cpus-per-task=4: node n2 has at most 3 CPUs free (8 when idle)",
          "CPUs of a node that is named"},
         {"-w n0 --gres=gpu:2",
          "--nodelist, --gres=gpu:2: node n0 has at most 1 free (4 when idle)",
          "devices of a node that is named"},
         {"-w n[0,2] --mem=2000",
          "--nodelist, --mem=2000M: node n2 has at most 1000M free (32000M "
          "when idle)",
          "the second of two"},
         {"-N 2 --exclusive",
          "--nodes=2: of partition p 0 of 5 nodes are idle, as a job of whole nodes needs them",
          "whole nodes"},
         {"-w n3 --exclusive", "--nodelist: node n3 is in use, and the job has whole nodes",
          "a whole node that is named"},
         {"-p n -S 2",
          "--nodes=1: of partition n 0 of 2 nodes are idle, as a job of whole nodes needs them",
          "cores of the system are of whole nodes"},
         {"-p n --gpus=6",
          "6 gpu of the job: 2 nodes of partition n have at most 4 free (8 when idle)",
          "devices of the job"},
         {"-N 4 --gpus=9",
          "9 gpu of the job: 4 nodes of partition p that meet the other conditions have at most 8 "
          "free (12 when idle)",
          "devices of those that have any"},
         {"-p n --cpus-per-gpu=5 --gres=gpu:3",
          "5 CPUs for each of 3 gpu: a node of partition n that meets the other conditions has at "
          "most "
          "14 CPUs free (n1; 16 when idle)",
          "CPUs of devices"},
         {"-C fast -N 2 -c 8",
          "--nodes=2: of partition p 1 node has free what is asked of each (2 when idle); "
          "--cpus-per-task=8: 1 node has at most 6 CPUs free",
          "nodes with the features, and what the others lack"},
         {"-C [fast|slow] -n 30",
          "--constraint, nodes with fast: 30 CPUs of the job: 2 nodes of partition p have at most "
          "20 free (32 when idle)",
          "nodes with one of several features"},
         {"-N 2 -p n --sockets-per-node=2 --cores-per-socket=4",
          "--sockets-per-node=2: a node of partition n that meets the other conditions has at most "
          "1 socket with 4 cores free (n1; 2 when idle)",
          "sockets, of which cores are in use"},
         {"-p n -N 2 --ntasks-per-node=8",
          "--nodes=2: of partition n 1 node has free what is asked of each (2 when idle); "
          "--ntasks-per-node=8, --cpus-per-task=1: 1 node has at most 6 CPUs free",
          "tasks of a node"},
         {"-p shared -n 12",
          "--nodes=1: of partition shared 0 of 2 nodes are without cores of jobs that do not share",
          "jobs of other partitions have cores alone"},
         {"-p shared -w m0",
          "--nodelist: node m0 has cores of jobs that do not share, and the job shares",
          "the same of a node that is named"},
         {"-N 3 -c 3 --contiguous",
          "--contiguous, --nodes=3: at most 2 free nodes of partition p in a row could serve the "
          "job",
          "n0 and n1, then m0 comes before them"},
         {"-L matlab:2", "--licenses=matlab:2: 1 of 2 matlab is free", "licences",
          Reason::licenses},
         {"-L matlab:2,abaqus:1", "--licenses=abaqus:1,matlab:2: 1 of 2 matlab is free",
          "that one of two which is in use", Reason::licenses},
         {"-p down", "partition down is down: none of its 5 nodes takes jobs", "a partition",
          Reason::partition_down}});
    Controller newer = slurm_answers::controller_of(conf, gres, "", slurm::Release::v26_05);
    run(newer, {"-L abaqus:3", "-L matlab:1"});
    check_waiting(newer,
                  {{"-L matlab:2|abaqus:1",
                    "--licenses=matlab:2|abaqus:1: 1 of 2 matlab is free, 0 of 3 abaqus are free",
                    "either is in use", Reason::licenses}});
}

TEST_CASE("Slurm controller: a job that waits is said to lack nodes that lie together",
          "[dialect][slurm]") {
    constexpr std::string_view nodes =
        "SelectTypeParameters=CR_Core\nNodeName=n[0-7] Sockets=1 CoresPerSocket=4\n"
        "PartitionName=p Nodes=ALL Default=YES\n";
    constexpr std::string_view two_blocks =
        "BlockName=a Nodes=n[0-3]\nBlockName=b Nodes=n[4-7]\nBlockSizes=4,8\n";
    Controller tree = slurm_answers::controller_of(
        fmt::format("TopologyPlugin=topology/tree\n{}", nodes), "",
        "SwitchName=a Nodes=n[0-2]\nSwitchName=b Nodes=n[3-5]\nSwitchName=c Nodes=n[6-7]\n"
        "SwitchName=top Switches=a,b\n",
        slurm::Release::v24_11);
    run(tree, {"-w n0,n3 -n 2", "-w n6 -n 4"});
    check_waiting(
        tree,
        {{"-N 5 -c 4",
          "--nodes=5: at most 4 free nodes of partition p below one switch could serve the job",
          "n7 is below another"},
         {"-N 3 -c 4 --switches=1",
          "--switches=1, --nodes=3: at most 2 free nodes of partition p below 1 leaf switch could "
          "serve the job",
          "nodes of one leaf"},
         {"-N 6 --switches=1 -n 18",
          "--switches=1, --nodes=6: at most 3 free nodes of partition p below 1 leaf switch could "
          "serve the job",
          "six nodes are free"},
         {"-N 3 --switches=1 -n 12",
          "--switches=1, 12 CPUs of the job: free nodes of partition p below 1 leaf switch have at "
          "most 11",
          "CPUs of one leaf"}});
    Controller blocks =
        slurm_answers::controller_of(fmt::format("TopologyPlugin=topology/block\n{}", nodes), "",
                                     two_blocks, slurm::Release::v24_11);
    run(blocks, {"-w n0,n3 -n 2", "-w n6 -n 4"});
    check_waiting(
        blocks, {{"-N 4 -c 4",
                  "--nodes=4: at most 3 free nodes of partition p in one block could serve the job",
                  "five nodes are free"}});
    Controller segments =
        slurm_answers::controller_of(fmt::format("TopologyPlugin=topology/block\n{}", nodes), "",
                                     two_blocks, slurm::Release::v24_11);
    run(segments, {"-w n0 -n 4", "-w n1 -n 4"});
    check_waiting(
        segments,
        {{"-N 6 --segment=3",
          "--segment=3, 2 segments of the job: free nodes of partition p in blocks have room for "
          "1",
          "segments"}});
    Controller rows = slurm_answers::controller_of(nodes, "", "", slurm::Release::v24_11);
    run(rows, {"-w n2 -n 4", "-w n6 -n 4"});
    check_waiting(
        rows, {{"-N 4 --contiguous",
                "--contiguous, --nodes=4: at most 3 free nodes of partition p in a row could serve "
                "the job",
                "n3 to n5"},
               {"-N 2-4 -n 13 --contiguous",
                "--contiguous, 13 CPUs of the job: free nodes of partition p in a row have at most "
                "12",
                "their CPUs"},
               {"-N 3 --contiguous -w n0",
                "--contiguous, --nodes=3: at most 2 free nodes of partition p in a row could serve "
                "the job",
                "those beside the one that is named"}});
}

TEST_CASE("Slurm controller: cores that are set aside are named", "[dialect][slurm]") {
    const Controller controller = slurm_answers::controller_of(
        "SelectTypeParameters=CR_Core\nAllowSpecResourcesUsage=yes\n"
        "NodeName=n[0-1] Sockets=2 CoresPerSocket=4\nPartitionName=p Nodes=ALL Default=YES\n");
    struct Row {
        const char* options;
        const char* message;
    };
    const Row rows[] = {
        {"-S 8", "--core-spec=8 and a core for the job: a node of partition p has at most 8 cores"},
        {"-S 4 -c 5", "--core-spec=4, --cpus-per-task=5: a node of partition p has at most 4 CPUs"},
    };
    for (const Row& row : rows) {
        Controller trial = controller;
        INFO(row.options);
        const Decision decision = slurm_answers::submit(trial, row.options);
        CHECK(decision.answer == Answer::refused);
        CHECK(decision.message == row.message);
    }
}

TEST_CASE("Slurm controller: a job that waits is said to lack layered resources",
          "[dialect][slurm]") {
    auto made = Controller::create(
        {.slurm_conf = "SelectTypeParameters=CR_Core\nNodeName=n[0-3] CPUs=4\n"
                       "PartitionName=p Nodes=ALL Default=YES\n",
         .resources_yaml =
             "- resource: power\n  mode: MODE_3\n  layers:\n"
             "  - {nodes: ['n[0-3]'], count: 3000}\n  - {nodes: ['n[0-1]'], count: 1000}\n"
             "- {resource: flat, mode: MODE_2, layers: [{nodes: ['n[0-3]'], count: 5}]}\n"},
        slurm::Release::v26_05);
    INFO(message(made.status()));
    REQUIRE(made.ok());
    run(*made, {"-w n0 --resources=power:1000", "-w n3 --resources=flat:3"});
    check_waiting(
        *made,
        {{"-N 3 --resources=power:1000",
          "--resources=power:1000 for each of 3 nodes: layers have enough left for 2",
          "n2 and n3, as the first layer has 2000 left and n1 none"},
         {"--resources=flat:3",
          "--nodes=1: of partition p 0 of 4 nodes have layers with enough left for --resources "
          "(flat:3, a layer has at most 2 left)",
          "of a resource by layer", Reason::node_may_be_reserved},
         {"-w n1 --resources=flat:3",
          "--nodelist: node n1 has layers with too little left for --resources (flat:3, a layer "
          "has at most 2 left)",
          "of a node that is named", Reason::node_may_be_reserved}});
}

}  // namespace trestle
