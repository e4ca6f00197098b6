// SPDX-License-Identifier: Apache-2.0
// Rules of slurm.conf that no recording shows, a row a rule. Where they come from stands beside
// them; what is not looked at has to say so.
#include <algorithm>
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
using slurm_answers::check_rows;
using slurm_answers::controller_of;
using slurm_answers::submit;
using slurm_answers::text_of;

/// Three nodes of two sockets with two GPUs, and lines of the test's own.
std::string three_nodes(std::string_view lines, std::string_view select = "CR_Core_Memory") {
    return fmt::format(
        "SelectType=select/cons_tres\nSelectTypeParameters={}\nGresTypes=gpu,shard\n"
        "DefMemPerCPU=100\n"
        "NodeName=n[0-2] Sockets=2 CoresPerSocket=4 RealMemory=16000 Gres=gpu:2\n{}\n",
        select, lines);
}
constexpr std::string_view gres_of_two_gpus =
    "NodeName=n[0-2] Name=gpu File=/dev/nvidia0 Cores=0-3\n"
    "NodeName=n[0-2] Name=gpu File=/dev/nvidia1 Cores=4-7\n";

std::vector<std::string> warnings_of(const Controller& controller, std::string_view options) {
    Controller trial = controller;
    return submit(trial, options).warnings;
}

}  // namespace

TEST_CASE("Slurm select: MinNodes and MaxCPUsPerSocket", "[dialect][slurm]") {
    // MinNodes raises the fewest nodes of a job; a job that may not have so many is outside of the
    // partition's limits.
    const std::string conf = three_nodes(
        "PartitionName=p Nodes=ALL Default=YES\nPartitionName=two Nodes=ALL MinNodes=2\n"
        "PartitionName=four Nodes=ALL MinNodes=4\n"
        "PartitionName=few Nodes=ALL MaxCPUsPerSocket=2");
    Controller controller = slurm_answers::controller_of_all_keys(conf, gres_of_two_gpus);
    check_rows(controller,
               {{"-p two", "n0:0 100M; n1:0 100M", "a task on each of the fewest nodes"},
                {"-p two -n 5", "n0:0-1,4-5 400M; n1:0 100M", "tasks are on two nodes"},
                {"-p two -N 3", "n0:0 100M; n1:0 100M; n2:0 100M", "more are as asked"},
                {"-p two -N 1-3 --use-min-nodes", "n0:0 100M; n1:0 100M", "no fewer than MinNodes"},
                {"-p two -N 1", "pending PartitionConfig", "fewer than the partition gives"},
                {"-p two -G 1", "refused", "one GPU is on one node"},
                {"-p two -G 2", "n0:0 100M gpu:1(0); n1:0 100M gpu:1(0)", "one for each"},
                {"-p two -n 1", "n0:0 100M; n1:0 100M", "each of the nodes has a task"},
                {"-p four", "pending PartitionConfig", "more nodes than there are"},
                {"-p two,p -N 1", "n0:0 100M", "another partition may take it"},
                {"-p few -n 4", "n0:0-1,4-5 400M", "two CPUs of each socket"},
                {"-p few -n 5", "n0:0-1,4-5 400M; n1:0 100M", "and no more on a node"},
                {"-p few -c 5", "refused", "which five CPUs of a task never are"},
                {"-p few -n 13", "refused", "sockets give twelve"},
                {"-p few --exclusive", "refused", "nor a whole node"}});
    CHECK(submit(controller, "-p two").req_tres == submit(controller, "-p two -N 2").req_tres);
    Controller busy = slurm_answers::controller_of_all_keys(conf, gres_of_two_gpus);
    submit(busy, "-p few -w n0 -m block:block -n 2");
    check_rows(busy, {{"-p few -w n0 -N 1 -n 2", "n0:4-5 200M", "two are used up on that socket"},
                      {"-p few -w n0 -N 1 -n 3", "pending Resources", "and the other has two"},
                      {"-p p -w n0 -N 1 -n 3", "n0:2-4 300M", "others do not count"}});
    CHECK(text_of(submit(controller, "-p two -N 1")) == "pending PartitionConfig");
    Controller strict =
        slurm_answers::controller_of_all_keys("EnforcePartLimits=ALL\n" + conf, gres_of_two_gpus);
    CHECK(text_of(submit(strict, "-p two -N 1")) == "refused");
}

TEST_CASE("Slurm select: --overcommit takes CPUs as for one task a node", "[dialect][slurm]") {
    Controller controller =
        controller_of(three_nodes("PartitionName=p Nodes=ALL Default=YES"), gres_of_two_gpus);
    check_rows(controller,
               {{"-n 6 -O", "n0:0 100M", "six tasks on a CPU"},
                {"-n 6 -c 2 -O", "n0:0-1 200M", "--cpus-per-task is of a node"},
                {"-N 2 -n 6 -O", "n0:0 100M; n1:0 100M", "one CPU on each"},
                {"-n 100 -O", "n0:0 100M", "there are never too few CPUs"},
                {"-O --mincpus=4", "n0:0 100M", "--mincpus says which nodes"},
                {"-O --mincpus=4 -c 2", "n0:0-1 200M", "beside CPUs of a task too"},
                {"-O -N 2 -n 6 --mincpus=4", "n0:0 100M; n1:0 100M", "on each node"},
                {"-n 6 --ntasks-per-node=2 -O", "n0:0 100M; n1:0 100M; n2:0 100M",
                 "tasks of a node say how many nodes"},
                {"-N 2 -n 6 -O --exclusive", "n0:0-7 800M gpu:2(0-1); n1:0-7 800M gpu:2(0-1)",
                 "whole nodes stay whole"},
                {"-n 2 -O --gpus-per-task=1", "n0:4 100M gpu:2(0-1)", "devices are not shared"},
                {"-N 1 -n 3 -O --gpus-per-task=1", "refused", "so that they may be too few"},
                {"-n 4 -O -G 2", "n0:4 100M gpu:2(0-1)", "nor do tasks bring CPUs to them"},
                {"-c 9 -O", "refused", "a task has its CPUs"},
                {"-n 2147483647 -O", "n0:0 100M", "any number of them"}});
    const Decision two = submit(controller, "-N 2 -n 7 -O");
    REQUIRE(two.placement.nodes.size() == 2);
    CHECK(two.placement.nodes[0].tasks == Count(4));
    CHECK(two.placement.nodes[1].tasks == Count(3));
    CHECK(two.warnings.empty());
    Controller cores = controller_of(
        three_nodes("PartitionName=p Nodes=ALL Default=YES", "CR_Core,CR_ONE_TASK_PER_CORE"),
        gres_of_two_gpus);
    CHECK(submit(cores, "-n 6 -O").grants.front().cpus == Count(1));
}

TEST_CASE("Slurm select: whole nodes by partition, or by job where the partition lets it",
          "[dialect][slurm]") {
    Controller controller =
        controller_of(three_nodes("PartitionName=p Nodes=ALL Default=YES\n"
                                  "PartitionName=alone Nodes=ALL OverSubscribe=EXCLUSIVE\n"
                                  "PartitionName=all Nodes=ALL OverSubscribe=FORCE:2"),
                      gres_of_two_gpus);
    submit(controller, "-w n1 -n 1");
    check_rows(controller,
               {{"-p alone -n 1", "n0:0-7 800M gpu:2(0-1)", "no node that somebody has a part of"},
                {"-p alone -n 1 -s", "n0:0-7 800M gpu:2(0-1)", "whatever the job says"},
                {"-p alone -N 3", "pending Resources", "the third is used"},
                {"-p all -n 1 --exclusive", "n0:0-7 800M gpu:2(0-1)", "all of a row"}});
}

TEST_CASE("Slurm select: jobs that share cores have rows of them", "[dialect][slurm]") {
    // 4.2: cores that nobody has first, then row by row of the own partition. On a node jobs either
    // share or have their cores alone.
    const std::string lines =
        "PartitionName=p Nodes=ALL Default=YES\nPartitionName=all Nodes=n0 OverSubscribe=FORCE:2\n"
        "PartitionName=some Nodes=n[0-1] OverSubscribe=YES:3";
    Controller controller = controller_of(three_nodes(lines), gres_of_two_gpus);
    const auto row_of = [](const Decision& decision) {
        REQUIRE(!decision.placement.nodes.empty());
        return decision.placement.nodes.front().row;
    };
    const Decision first = submit(controller, "-p all -n 6");
    CHECK(text_of(first) == "n0:0-2,4-6 600M");
    CHECK(row_of(first) == 0U);
    const Decision rest = submit(controller, "-p all -n 2");
    CHECK(text_of(rest) == "n0:3,7 200M");
    CHECK(row_of(rest) == 0U);
    check_rows(controller,
               {{"-p p -w n0 -n 1", "pending Resources", "no core is left to have alone"},
                {"-p some -w n0 -s -n 4", "n0:0-1,4-5 400M", "rows of another partition"},
                {"-p some -n 1", "n1:0 100M", "does not ask to share"},
                {"-p all --exclusive", "n0:0-7 800M gpu:2(0-1)", "the second row is free"},
                {"-p all -n 2 --gres=gpu:2", "n0:0,4 200M gpu:2(0-1)", "devices of its own"}});
    const Decision second = submit(controller, "-p all -n 8 --mem=1000");
    CHECK(text_of(second) == "n0:0-7 1000M");
    CHECK(row_of(second) == 1U);
    const Decision third = submit(controller, "-p some -w n0 -s -n 4");
    CHECK(row_of(third) == 2U);
    check_rows(controller, {{"-p all -n 1", "pending Resources", "both rows are full"},
                            {"-p all --mem=15000", "pending Resources", "memory is not shared"}});
    REQUIRE(controller.release(*first.owner).ok());
    check_rows(controller,
               {{"-p all -n 1", "n0:0 100M", "a row has room again"},
                {"-p p -w n0 -n 1", "pending Resources", "where jobs share nobody is alone"}});
    // Recorded grants of a partition that shares go to the first row with room.
    Controller other = controller_of(three_nodes(lines), gres_of_two_gpus);
    REQUIRE(other.adopt(first.grants, "all").ok());
    REQUIRE(other.adopt(rest.grants, "all").ok());
    const auto adopted = other.adopt(second.grants, "all");
    REQUIRE(adopted.ok());
    CHECK(other.cluster().find_allocation(*adopted)->placement.nodes.front().row == 1U);
    CHECK(other.adopt(second.grants, "all").status().code() == StatusCode::kFailedPrecondition);
    // The other way round: who is alone on a node keeps those out that share.
    Controller alone = controller_of(three_nodes(lines), gres_of_two_gpus);
    submit(alone, "-p p -w n0 -n 1");
    check_rows(alone, {{"-p all -n 1", "pending Resources", "a job has cores of n0 alone"},
                       {"-p some -s -n 1", "n1:0 100M", "n1 is free for it"}});
}

TEST_CASE("Slurm select: jobs of one CPU from the last node on", "[dialect][slurm]") {
    const std::string lines = "PartitionName=p Nodes=ALL Default=YES";
    const std::string first = three_nodes(lines);
    Controller controller =
        controller_of("SchedulerParameters=pack_serial_at_end\n" + first, gres_of_two_gpus);
    check_rows(controller, {{"-n 1", "n2:0 100M", "the last one"},
                            {"-n 2", "n0:0,4 200M", "two CPUs are not one"},
                            {"-N 2", "n0:0 100M; n1:0 100M", "nor are two nodes"},
                            {"-n 1 -w n1", "n1:0 100M", "a node that was asked for"},
                            {"-n 1 -x n2", "n1:0 100M", "or excluded"},
                            {"-n 1 --spread-job", "n0:0 100M", "goes before it"}});
    submit(controller, "-w n2 --exclusive");
    check_rows(controller, {{"-n 1", "n1:0 100M", "the last with room"}});
    Controller weighed = controller_of(
        "SchedulerParameters=pack_serial_at_end\nSelectTypeParameters=CR_Core\n"
        "NodeName=a[0-1] CPUs=4\nNodeName=b[0-1] CPUs=4 Weight=9\n"
        "PartitionName=p Nodes=ALL Default=YES\n");
    CHECK(submit(weighed, "-n 1").grants.front().node == "a1");
}

TEST_CASE("Slurm select: cores of the system from the first one on", "[dialect][slurm]") {
    const std::string conf =
        "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\nAllowSpecResourcesUsage=YES\n"
        "SchedulerParameters=spec_cores_first\n"
        "NodeName=n0 Sockets=2 CoresPerSocket=4 RealMemory=32000 CoreSpecCount=2\n"
        "PartitionName=p Nodes=ALL Default=YES\n";
    check_rows(controller_of(conf),
               {{"--exclusive", "n0:1-3,5-7 6000M", "the first core of each socket"},
                {"-S 4", "n0:2-3,6-7 4000M", "and the next of each"},
                {"-S 3", "n0:2-3,5-7 5000M", "the first socket before the second"},
                {"-S 0", "n0:0-7 8000M", "or none"}});
}

TEST_CASE("Slurm select: parts of the least loaded GPU", "[dialect][slurm]") {
    const auto shards = [](std::string_view select) {
        return slurm_answers::controller_of_all_keys(
            fmt::format("SelectTypeParameters=CR_Core_Memory{}\nGresTypes=gpu,shard\n"
                        "DefMemPerCPU=100\nNodeName=n0 CoresPerSocket=8 RealMemory=16000 "
                        "Gres=gpu:2,shard:8\nPartitionName=p Nodes=ALL Default=YES\n",
                        select),
            "Name=gpu File=/dev/nvidia[0-1]\nName=shard Count=8\n");
    };
    Controller first = shards("");
    Controller least = shards(",LL_SHARED_GRES");
    for (Controller* controller : {&first, &least}) submit(*controller, "--gres=shard:1");
    check_rows(first, {{"--gres=shard:1", "n0:1 100M shard:1(0)", "the first with room"}});
    check_rows(least, {{"--gres=shard:1", "n0:1 100M shard:1(1)", "of which more is free"},
                       {"--gres=shard:4", "n0:1 100M shard:4(1)", "the one that has so many"}});
    submit(least, "--gres=shard:2");
    check_rows(least, {{"--gres=shard:1", "n0:2 100M shard:1(0)", "three quarters against half"}});
}

TEST_CASE("Slurm select: binding to devices as a rule of the cluster", "[dialect][slurm]") {
    const std::string lines = "PartitionName=p Nodes=ALL Default=YES";
    check_rows(controller_of(three_nodes(lines, "CR_Core_Memory,ENFORCE_BINDING_GRES"),
                             gres_of_two_gpus, "", slurm::Release::v24_11),
               {{"--gres=gpu:2", "n0:0-7 800M gpu:2(0-1)", "all cores beside them"},
                {"--gres=gpu:2 -n 1", "n0:0,4 200M gpu:2(0-1)", "a core beside each"},
                {"--gres=gpu:2 --gres-flags=disable-binding", "n0:0 100M gpu:2(0-1)",
                 "unless the job does not want it"}});
    // Tasks are packed when they start; what is given is as recorded without it.
    check_rows(controller_of(three_nodes(lines, "CR_Core_Memory,CR_PACK_NODES"), gres_of_two_gpus),
               {{"-N 2 -n 5", "n0:0-1,4-5 400M; n1:0 100M", "CR_PACK_NODES changes nothing"}});
}

TEST_CASE("Slurm select: what is preferred is tried first", "[dialect][slurm]") {
    Controller controller = controller_of(
        "SelectTypeParameters=CR_Core\nNodeName=a CPUs=4 Feature=old\n"
        "NodeName=b CPUs=4 Feature=new,ib\nPartitionName=p Nodes=ALL Default=YES\n");
    const auto node_of = [&](std::string_view options) {
        Controller trial = controller;
        const Decision decision = submit(trial, options);
        return decision.grants.empty() ? text_of(decision) : decision.grants.front().node;
    };
    CHECK(node_of("-n 1") == "a");
    CHECK(node_of("-n 1 --prefer=new") == "b");
    CHECK(node_of("-n 1 --prefer=none") == "refused");
    CHECK(node_of("-n 1 --prefer=old&ib") == "refused");
    CHECK(node_of("-n 1 -C old --prefer=new") == "b");
    CHECK(node_of("-n 1 -C ib --prefer=old") == "a");
    submit(controller, "-w b --exclusive");
    CHECK(node_of("-n 1 --prefer=new") == "a");
    CHECK(node_of("-n 1 -C new --prefer=ib") == "pending Resources");
}

TEST_CASE("Slurm select: rules of a cluster that are not looked at are named", "[dialect][slurm]") {
    const auto count = [](std::string_view lines, std::string_view options,
                          std::string_view select = "CR_Core_Memory") {
        return warnings_of(slurm_answers::controller_of_all_keys(three_nodes(lines, select),
                                                                 gres_of_two_gpus),
                           options)
            .size();
    };
    const std::string_view plain = "PartitionName=p Nodes=ALL Default=YES";
    const auto with = [&](std::string_view more) { return fmt::format("{} {}", plain, more); };
    const auto below = [&](std::string_view more) { return fmt::format("{}\n{}", plain, more); };
    CHECK(count(plain, "--gres=gpu:1") == 0);
    CHECK(count(with("ExclusiveUser=YES"), "-n 1") == 1);
    CHECK(count(with("DefCpuPerGPU=2"), "--gres=gpu:1") == 0);
    CHECK(count(below("DefMemPerGPU=2000"), "-G 1") == 0);
    CHECK(count(below("PreemptType=preempt/partition_prio\nPreemptMode=CANCEL"), "-n 1") == 0);
    CHECK(count(plain, "-n 1", "CR_Memory") == 1);
    CHECK(count(below("TopologyPlugin=topology/block"), "-n 1") == 1);
    CHECK(count(below("TopologyParam=Dragonfly"), "-n 1") == 1);
    CHECK(count(below("NodeFeaturesPlugins=node_features/helpers"), "-n 1 -C new") == 1);
    CHECK(count(below("NodeFeaturesPlugins=node_features/helpers"), "-n 1") == 0);
    CHECK(count(plain, "-n 1 -H -b now+1hour -d afterok:1") == 3);
}

TEST_CASE("Slurm select: one task a core, beyond the cores near the GPUs", "[dialect][slurm]") {
    // As asked of 22.05.8, 24.11.5 and 26.05.5.
    for (const auto release :
         {slurm::Release::v22_05, slurm::Release::v24_11, slurm::Release::v26_05}) {
        INFO(trestle::to_text(release));
        const slurm::Controller controller = slurm_answers::controller_of(
            "SelectType=select/cons_tres\n"
            "SelectTypeParameters=CR_Core_Memory,CR_ONE_TASK_PER_CORE\nGresTypes=gpu\n"
            "DefMemPerCPU=1000\nNodeName=n[0-2] Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 "
            "RealMemory=32000 Gres=gpu:4\nPartitionName=p Nodes=ALL Default=YES\n",
            "Name=gpu File=/dev/nvidia[0-1] Cores=0-3\nName=gpu File=/dev/nvidia[2-3] Cores=4-7\n",
            "", release);
        slurm_answers::check_rows(
            controller,
            {{"-n 4 --gres=gpu:1", "n0:0-7 8000M gpu:1(0)", "a core each"},
             {"-n 5 --gres=gpu:1", "pending Resources",
              "dealt to sockets in turn: no core is left"},
             {"-n 9 --gres=gpu:1", "pending Resources", "on one of the nodes"},
             {"-N 2 -n 6 --gres=gpu:1", "pending Resources", "five and one"},
             {"-n 6 -G 1", "pending Resources", "a count of the job"},
             {"-n 6 --gres=gpu:3", "n0:0-5,8-13 12000M gpu:3(0-2)", "both sockets serve"},
             {"-n 6 -c 2 --gres=gpu:1", "n0:0-7 8000M gpu:1(0); n1:0-3 4000M gpu:1(0)",
              "tasks of a whole core never crowd"},
             {"-n 5 --gres=gpu:1 -m block:block", "n0:0-7 5000M gpu:1(0)",
              "in blocks: charged by task"},
             {"-n 8 --gres=gpu:1 -m block:block", "n0:0-7 8000M gpu:1(0)", "two a core"},
             {"-n 10 --gres=gpu:1 -m block:block", "n0:0-7 8000M gpu:1(0); n1:0-7 2000M gpu:1(0)",
              "all cores of the other node too"},
             {"-N 2 -n 6 --gres=gpu:1 -m block:block",
              "n0:0-7 5000M gpu:1(0); n1:0-7 1000M gpu:1(0)", "five and one"},
             {"-n 6 --gres=gpu:1 -m cyclic:block", "n0:0-7 6000M gpu:1(0)", "sockets in blocks"},
             {"-n 6 --gres=gpu:1 -m plane=2", "n0:0-7 6000M gpu:1(0)", "planes are blocks"}});
    }
}

TEST_CASE("Slurm select: tasks of a node beside CPUs per GPU, and GPUs for nodes",
          "[dialect][slurm]") {
    for (const auto release :
         {slurm::Release::v22_05, slurm::Release::v24_11, slurm::Release::v26_05}) {
        INFO(trestle::to_text(release));
        const slurm::Controller controller = slurm_answers::controller_of(
            "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
            "DefMemPerCPU=1000\nNodeName=n[0-3] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 "
            "RealMemory=64000 Gres=gpu:4\nPartitionName=p Nodes=ALL Default=YES\n",
            "Name=gpu File=/dev/nvidia[0-1] Cores=0-7\nName=gpu File=/dev/nvidia[2-3] "
            "Cores=8-15\n",
            "", release);
        const std::string two = "n0:0-3 4000M gpu:1(0); n1:0-3 4000M gpu:1(0)";
        slurm_answers::check_rows(
            controller,
            {{"-N 2 --ntasks-per-node=4 --cpus-per-gpu=1 -G 2", two, "the node's tasks stand fast"},
             {"-N 2 -n 8 --ntasks-per-node=4 --cpus-per-gpu=1 -G 2", two, "beside -n"},
             {"-N 2 --ntasks-per-node=4 --cpus-per-gpu=1 --gres=gpu:1", two, "of each node"},
             {"-n 4 --ntasks-per-node=4 --cpus-per-gpu=1 --gres=gpu:1", "n0:0-3 4000M gpu:1(0)",
              "one node"},
             {"-N 2 --ntasks-per-gpu=4", two, "a GPU for each node"},
             {"-N 2 -n 8 --ntasks-per-gpu=4", two, "as with the tasks"},
             {"-N 2-3 --ntasks-per-gpu=4", "refused", "of how many nodes"},
             {"-N 2 --ntasks-per-gpu=33", "refused", "more than a node has CPUs"}});
    }
}

TEST_CASE("Slurm select: 22.05 leaves tasks open where one has as many CPUs", "[dialect][slurm]") {
    // As asked of 22.05.8.
    const slurm::Controller controller = slurm_answers::controller_of(
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
        "DefMemPerCPU=1000\nNodeName=n[0-3] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 "
        "RealMemory=64000 Gres=gpu:4\nPartitionName=p Nodes=ALL Default=YES\n",
        "Name=gpu File=/dev/nvidia[0-1] Cores=0-7\nName=gpu File=/dev/nvidia[2-3] Cores=8-15\n", "",
        slurm::Release::v22_05);
    slurm_answers::check_rows(
        controller,
        {{"-c 32 -G 4 --gpus-per-task=1", "n0:0-31 32000M gpu:1(0)", "a task for the node"},
         {"-c 32 -G 5 --gpus-per-task=1", "n0:0-31 32000M gpu:1(0); n1:0-31 32000M gpu:1(0)",
          "two nodes have five"},
         {"-c 3 -G 3 --gpus-per-task=1", "n0:0-3 4000M gpu:1(0)", "as many"},
         {"-c 3 -G 4 --gpus-per-task=1", "n0:0-5,16-21 12000M gpu:4(0-3)", "more tasks"},
         {"-N 2 -c 3 -G 6 --gpus-per-task=1", "n0:0-3 4000M gpu:1(0); n1:0-3 4000M gpu:1(0)",
          "CPUs of a task on each node"},
         {"-N 2-3 -c 3 -G 4 --gpus-per-task=1",
          "n0:0-5,16-19 10000M gpu:3(0-2); n1:0-3 4000M gpu:1(0)", "in a range of one"},
         {"-c 2 -G 4 --gpus-per-task=1", "n0:0-3,16-19 8000M gpu:4(0-3)", "two CPUs, four tasks"},
         {"-c 3 -n 3 -G 3 --gpus-per-task=1", "n0:0-5,16-19 10000M gpu:3(0-2)", "unless said"}});
}

TEST_CASE("Slurm select: bound devices of a node after others were passed over",
          "[dialect][slurm]") {
    // As asked of 26.05.5: its cores are for what the others lack.
    slurm::Controller controller = slurm_answers::controller_of(
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
        "DefMemPerCPU=1000\nNodeName=n[0-3] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 "
        "RealMemory=64000 Gres=gpu:4\nPartitionName=p Nodes=ALL Default=YES\n",
        "Name=gpu File=/dev/nvidia[0-1] Cores=0-7\nName=gpu File=/dev/nvidia[2-3] Cores=8-15\n", "",
        slurm::Release::v26_05);
    slurm_answers::submit(controller, "-w n0 -n 1 --gres=gpu:2");
    slurm_answers::check_rows(
        controller,
        {{"-n 1 -G 2 --gres-flags=enforce-binding", "n0:16-17 2000M gpu:2(2-3)", "n0 has two"},
         {"-n 1 -G 3 --gres-flags=enforce-binding", "n1:0-1 2000M gpu:3(0-2)", "one of socket 1"},
         {"-n 1 -G 4 --gres-flags=enforce-binding", "n1:0-1 2000M gpu:4(0-3)", "and both"},
         {"-N 1 -G 3 --gres-flags=enforce-binding", "n1:0-15 16000M gpu:3(0-2)", "all of socket 0"},
         {"-N 1 -n 2 -G 3 --gres-flags=enforce-binding", "n1:0-1 2000M gpu:3(0-2)", "two tasks"}});
}

}  // namespace trestle
