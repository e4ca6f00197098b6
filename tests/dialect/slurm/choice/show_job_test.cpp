// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/choice/show_job.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"

namespace trestle {
namespace {

using slurm::Controller;
using slurm::Decision;

Controller shown_cluster() {
    auto made = Controller::create(
        {.slurm_conf =
             "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\nDefMemPerCPU=1000\n"
             "AccountingStorageTRES=gres/gpu\nLicenses=matlab:3,ansys:2\n"
             "NodeName=n[0-1] Sockets=2 CoresPerSocket=4 RealMemory=64000 Gres=gpu:a100:4 "
             "Feature=ib,no TmpDisk=5000\n"
             "PartitionName=p Nodes=ALL Default=YES MaxTime=1-0 MaxMemPerCPU=2000\n"
             "PartitionName=f Nodes=ALL OverSubscribe=FORCE:2 DefaultTime=30\n"
             "PartitionName=x Nodes=ALL OverSubscribe=EXCLUSIVE\n"
             "PartitionName=t Nodes=ALL ExclusiveTopo=YES\n",
         .gres_conf = "Name=gpu Type=a100 File=/dev/nvidia[0-3]\n"},
        slurm::Release::v26_05);
    INFO(message(made.status()));
    REQUIRE(made.ok());
    return *std::move(made);
}

Decision answer(Controller& controller, std::string_view options) {
    auto decision = controller.submit(options);
    INFO(options << ": " << message(decision.status()));
    REQUIRE(decision.ok());
    return *std::move(decision);
}

TEST_CASE("Slurm show_job: an allocated job, key by key", "[dialect][slurm]") {
    Controller controller = shown_cluster();
    const Decision decision = answer(
        controller,
        "-J train -w n1 --gres=gpu:2 -n 2 -c 2 --mem-per-cpu=3000 -C ib -L matlab:2 "
        "-t 90 --time-min=60 --tmp=100 --ntasks-per-node=2 --threads-per-core=1 --contiguous");
    CHECK(slurm::show_job(decision) ==
          "JobId=1 JobName=train\n"
          "   JobState=RUNNING Reason=None\n"
          "   TimeLimit=01:30:00 TimeMin=01:00:00\n"
          "   Partition=p\n"
          "   ReqNodeList=n1 ExcNodeList=(null)\n"
          "   NodeList=n1\n"
          "   NumNodes=1 NumCPUs=8 NumTasks=2 CPUs/Task=4 ReqB:S:C:T=0:0:*:1\n"
          "   ReqTRES=cpu=8,mem=12000M,node=1,billing=8,gres/gpu=2\n"
          "   AllocTRES=cpu=8,mem=12000M,node=1,billing=8,gres/gpu=2\n"
          "   Socks/Node=* NtasksPerN:B:S:C=2:0:*:* CoreSpec=*\n"
          "   JOB_GRES=gpu:a100:2\n"
          "     Nodes=n1 CPU_IDs=0-7 Mem=12000 GRES=gpu:a100:2(IDX:0-1)\n"
          "   MinCPUsNode=8 MinMemoryCPU=1500M MinTmpDiskNode=100M\n"
          "   Features=ib\n"
          "   OverSubscribe=NO Exclusive=NO Contiguous=1 Licenses=matlab:2\n"
          "   TresPerNode=gres/gpu:2\n"
          "   TresPerTask=cpu=2\n");
    CHECK(slurm::cpu_count_of(decision) == Count(8));
    CHECK(slurm::task_count_of(decision) == Count(2));
}

TEST_CASE("Slurm show_job: a job that waits has what it asks for", "[dialect][slurm]") {
    Controller controller = shown_cluster();
    REQUIRE(answer(controller, "-N 2 --exclusive").answer == slurm::Answer::allocated);
    const Decision waits = answer(controller, "-n 3 -G 4 --mem=1G");
    CHECK(slurm::show_job(waits) ==
          "JobId=0 JobName=(null)\n"
          "   JobState=PENDING Reason=Resources\n"
          "   TimeLimit=1-00:00:00 TimeMin=N/A\n"
          "   Partition=p\n"
          "   ReqNodeList=(null) ExcNodeList=(null)\n"
          "   NodeList=(null)\n"
          "   NumNodes=1 NumCPUs=3 NumTasks=3 CPUs/Task=1 ReqB:S:C:T=0:0:*:*\n"
          "   ReqTRES=cpu=3,mem=1G,node=1,billing=3,gres/gpu=4\n"
          "   AllocTRES=(null)\n"
          "   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*\n"
          "   MinCPUsNode=1 MinMemoryNode=1G MinTmpDiskNode=0\n"
          "   Features=(null)\n"
          "   OverSubscribe=NO Exclusive=NO Contiguous=0 Licenses=(null)\n"
          "   TresPerJob=gres/gpu:4\n");
    const Decision refused = answer(controller, "--gres=gpu:h100:1");
    CHECK(slurm::show_job(refused) == refused.message + "\n");
}

TEST_CASE("Slurm show_job: which other jobs may be there, and for how long", "[dialect][slurm]") {
    struct Row {
        std::string_view options;
        std::string_view expected;
        std::string_view why;
    };
    const Row rows[] = {
        {"", "OverSubscribe=NO Exclusive=NO ", "others beside its cores"},
        {"--exclusive", "OverSubscribe=NO Exclusive=NODE ", "nodes of its own"},
        {"-S 1", "OverSubscribe=NO Exclusive=NO ", "which it may not say here"},
        {"-s", "OverSubscribe=YES Exclusive=NO ", "it may share"},
        {"--exclusive=user", "OverSubscribe=NO Exclusive=USER ", "jobs of its user"},
        {"--exclusive=mcs", "OverSubscribe=NO Exclusive=MCS ", "jobs of its label"},
        {"-p f", "OverSubscribe=YES Exclusive=NO ", "the partition shares whatever the job says"},
        {"-p f --exclusive", "OverSubscribe=YES Exclusive=NO ", "FORCE goes before --exclusive"},
        {"-p x", "OverSubscribe=NO Exclusive=NODE ", "the partition gives whole nodes"},
        {"-p t", "OverSubscribe=NO Exclusive=TOPO ", "the partition gives units of the network"},
        {"-p t -s", "OverSubscribe=NO Exclusive=TOPO ", "whatever the job says"},
        {"--gres=gpu:1 --gpus-per-socket=1 --sockets-per-node=1",
         "TresPerNode=gres/gpu:1\n   TresPerSocket=gres/gpu:1\n", "in two ways"},
        {"-p x -s", "OverSubscribe=NO Exclusive=NODE ", "EXCLUSIVE goes before --oversubscribe"},
        {"", "TimeLimit=1-00:00:00 ", "the partition's MaxTime"},
        {"-p f", "TimeLimit=00:30:00 ", "the partition's DefaultTime"},
        {"-p x", "TimeLimit=UNLIMITED ", "the partition has neither"},
        {"-p x -t 0", "TimeLimit=UNLIMITED ", "none is asked"},
        {"-C ib*2 -N 2", "Features=ib*2\n", "with a count"},
        {"-C [ib|no]", "Features=[ib|no]\n", "all nodes the same one"},
        {"--gpus-per-task=1 -n 2", "TresPerTask=gres/gpu=1\n", "by task"},
        {"--gpus-per-socket=2 --sockets-per-node=1", "TresPerSocket=gres/gpu:2\n", "by socket"},
        {"--gpus-per-node=1", "TresPerNode=gres/gpu:1\n", "by node"},
        {"-L ansys:2|matlab:1", "Licenses=ansys:2|matlab:1\n", "one of them"},
        {"-L matlab|ansys:2", "Licenses=matlab:1|ansys:2\n", "in the order of the options"},
        {"-G 1 --cpus-per-gpu=2", "  CpusPerTres=gres/gpu:2\n   TresPerJob=gres/gpu:1\n", "by GPU"},
        {"--hint=nomultithread", "ReqB:S:C:T=0:0:*:1\n", "one thread of a core"},
        {"--hint=compute_bound", "ReqB:S:C:T=0:0:*:1\n", "likewise"},
        {"--hint=memory_bound", "ReqB:S:C:T=0:0:1:1\n", "and one core of a socket"},
        {"--hint=multithread", "ReqB:S:C:T=0:0:*:*\n", "any"},
        {"-N 1 --ntasks-per-node=2 -O", "  MinCPUsNode=1 ", "all tasks on one CPU"},
        {"-N 1 --ntasks-per-node=2", "  MinCPUsNode=2 ", "each task has its own"},
    };
    for (const Row& row : rows) {
        Controller controller = shown_cluster();
        const std::string text = slurm::show_job(answer(controller, row.options));
        INFO(row.options << ": " << row.why << "\n" << text);
        CHECK(text.find(' ' + std::string(row.expected)) != std::string::npos);
    }
}

TEST_CASE("Slurm show_job: memory is always there, from any source", "[dialect][slurm]") {
    struct Row {
        std::string_view keys;
        std::string_view options;
        std::string_view expected;
        std::string_view why;
    };
    const Row rows[] = {
        {"DefMemPerCPU=1000", "", " MinMemoryCPU=1000M MinTmpDiskNode=0\n", "a default by CPU"},
        {"DefMemPerNode=3000", "", " MinMemoryNode=3000M ", "a default by node"},
        {"", "", " MinMemoryNode=0 ", "none: all of the node"},
        {"DefMemPerCPU=1000", "-p own", " MinMemoryNode=700M ", "the partition's own"},
        {"DefMemPerCPU=1000", "--mem=2G", " MinMemoryNode=2G ", "its own by node"},
        {"DefMemPerCPU=1000", "--mem-per-cpu=500", " MinMemoryCPU=500M ", "its own by CPU"},
        {"DefMemPerCPU=1000 MaxMemPerCPU=2000", "--mem-per-cpu=3000", " MinMemoryCPU=1500M ",
         "what the most of a CPU makes of it"},
        {"", "--mem=0", " MinMemoryNode=0 ", "all of it"},
        {"DefMemPerCPU=1000", "--mem=0", " MinMemoryNode=0 ", "all of it, whatever the default"},
        {"DefMemPerCPU=1000", "-G 1 --mem-per-gpu=4000", " MinMemoryTRES=4000M ", "by GPU"},
        {"DefMemPerCPU=1000", "-G 1 --mem-per-gpu=4000", "\n   MemPerTres=gres/gpu:4000\n",
         "in a line of its own"},
        {"DefMemPerGPU=500", "-G 1", "\n   MemPerTres=gres/gpu:500\n", "a default by GPU"},
        {"SelectTypeParameters=CR_Core", "--mem=2G", " MinMemoryNode=2G ",
         "what a job says where nobody counts"},
        {"SelectTypeParameters=CR_Core", "", " MinMemoryNode=0 ", "and nothing"},
        {"SelectTypeParameters=CR_Core", "--mem-per-cpu=100", " MinMemoryCPU=100M ", "by CPU"},
    };
    for (const Row& row : rows) {
        std::string keys(row.keys);
        std::replace(keys.begin(), keys.end(), ' ', '\n');
        const bool has_parameters = keys.find("Select") != std::string::npos;
        auto controller = Controller::create(
            {.slurm_conf = keys + (has_parameters ? "" : "\nSelectTypeParameters=CR_Core_Memory") +
                           "\nGresTypes=gpu\nNodeName=n CPUs=4 RealMemory=8000 Gres=gpu:1\n"
                           "PartitionName=p Nodes=n Default=YES\n"
                           "PartitionName=own Nodes=n DefMemPerNode=700\n",
             .gres_conf = "Name=gpu File=/dev/nvidia0\n"});
        INFO(row.keys << "; " << row.options << ": " << row.why);
        INFO(message(controller.status()));
        REQUIRE(controller.ok());
        const std::string text = slurm::show_job(answer(*controller, row.options));
        INFO(text);
        CHECK(text.find(row.expected) != std::string::npos);
    }
}

}  // namespace
}  // namespace trestle
