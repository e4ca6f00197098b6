// SPDX-License-Identifier: Apache-2.0
// Choosing as Slurm chooses: a row a rule, on small clusters. The recorded decisions of a real
// slurmctld stand in oracle_test.cpp.
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

/// Four nodes of two sockets, two GPUs near each.
constexpr std::string_view four_nodes =
    "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
    "DefMemPerCPU=1000\n"
    "NodeName=n[0-3] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=64000 "
    "Gres=gpu:a100:4\n"
    "PartitionName=p Nodes=ALL Default=YES\n";
constexpr std::string_view four_gres =
    "NodeName=n[0-3] Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-7\n"
    "NodeName=n[0-3] Name=gpu Type=a100 File=/dev/nvidia[2-3] Cores=8-15\n";

constexpr std::string_view rack_conf =
    "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\nTopologyPlugin=topology/tree\n"
    "NodeName=t[0-5] CoresPerSocket=2 RealMemory=8000\n"
    "PartitionName=p Nodes=ALL Default=YES\n";
constexpr std::string_view rack_topology =
    "SwitchName=l0 Nodes=t[0-1]\nSwitchName=l1 Nodes=t[2-4]\nSwitchName=l2 Nodes=t5\n"
    "SwitchName=top Switches=l[0-2]\n";

}  // namespace

TEST_CASE("Slurm select: CPUs, tasks and cores of an idle cluster", "[dialect][slurm]") {
    check_rows(
        controller_of(four_nodes, four_gres),
        {{"-n 3", "n0:0-1,16-17 4000M", "the sockets' cores in turn, whole cores charged"},
         {"-c 3", "n0:0-3 4000M", "a task of several CPUs stays on one socket"},
         {"-n 4 -m block:block", "n0:0-3 4000M", "block fills a socket"},
         {"-n 4 -m block:cyclic", "n0:0-1,16-17 4000M", "cyclic takes turns"},
         {"-n 4 --hint=nomultithread", "n0:0-3,16-19 4000M",
          "a core a task, memory for one thread of each"},
         {"-n 4 --ntasks-per-core=1", "n0:0-3,16-19 8000M",
          "a core a task, memory for all threads"},
         {"-n 4 --ntasks-per-socket=2", "n0:0-1,16-17 4000M", "two tasks a socket"},
         {"-N 3 -n 10", "n0:0-3,16-17 6000M; n1:0-1 2000M; n2:0-1 2000M",
          "a core is kept for each later node"},
         {"-N 2-3", "n0:0-1 2000M; n1:0-1 2000M; n2:0-1 2000M", "the upper end is aimed at"},
         {"-N 2-3 --use-min-nodes", "n0:0-1 2000M; n1:0-1 2000M", "unless told otherwise"},
         {"-N 2 -n 10 -m plane=4", "n0:0-7 8000M; n1:0-1 2000M", "planes of tasks, in blocks"},
         {"-n 33", "n0:0-31 32000M; n1:0-1 2000M", "a second node for the 33rd task"},
         {"-n 5 --ntasks-per-node=2", "n0:0-1 2000M; n1:0-1 2000M; n2:0-1 2000M",
          "two tasks on every node"},
         {"-n 1 --mincpus=5", "n0:0-3,16-17 6000M", "CPUs that each node has at least"},
         {"-N 2 --spread-job -n 4", "n0:0-1 2000M; n1:0-1 2000M", "a fixed count stays one"},
         {"-w n2 -n 1", "n2:0-1 2000M", "a required node"},
         {"-x n[0-1] -n 1", "n2:0-1 2000M", "excluded nodes"},
         {"-N 2 --contiguous -w n1", "n1:0-1 2000M; n2:0-1 2000M", "neighbours upwards"}});
}

TEST_CASE("Slurm select: GPUs of an idle cluster", "[dialect][slurm]") {
    check_rows(
        controller_of(four_nodes, four_gres),
        {{"--gres=gpu:1", "n0:0-1 2000M gpu:a100:1(0)", "the lowest one near the cores"},
         {"--gres=gpu:3", "n0:0-1 2000M gpu:a100:3(0-2)", "near first, then far"},
         {"--gres=gpu:3 --gres-flags=enforce-binding", "n0:0-1 2000M gpu:a100:3(0-2)",
          "nodes are bound, devices are not"},
         {"--gres=gpu:3 --gres-flags=enforce-binding -n 1", "n0:0-1,16-17 4000M gpu:a100:3(0-2)",
          "a lone task has a core on each socket that has one"},
         {"--gres=gpu:3 -c 5 --gres-flags=enforce-binding", "n0:0-5 6000M gpu:a100:3(0-2)",
          "its CPUs may be on one socket"},
         {"--gres=gpu:h100:1", "refused", "no such type"},
         {"--gres=gpu:1 -n 17", "n0:0-15 16000M gpu:a100:1(0); n1:0-1 2000M gpu:a100:1(0)",
          "first only sockets near the GPU, so two nodes"},
         {"--gres=gpu:1 -c 17", "n0:0-17 18000M gpu:a100:1(0)", "then any socket"},
         {"--gpus-per-task=2 -n 2", "n0:16-17 2000M gpu:a100:4(0-3)",
          "surplus leaves the first socket first"},
         {"-G 5", "n0:0-1 2000M gpu:a100:3(0-2); n1:0-1 2000M gpu:a100:2(0-1)",
          "near devices of all nodes before far ones"},
         {"-G 3 -N 4", "refused", "fewer devices than nodes"},
         {"-G 4 --gpus-per-node=2", "n0:0-1 2000M gpu:a100:2(0-1); n1:0-1 2000M gpu:a100:2(0-1)",
          "the two counts make two nodes"},
         {"--gpus-per-socket=1 --sockets-per-node=2", "n0:0-1 2000M gpu:a100:2(0,2)",
          "one on each socket, whether or not the job has cores there"},
         {"--gres=gpu:2 --cpus-per-gpu=4", "n0:0-7 8000M gpu:a100:2(0-1)",
          "CPUs come with the devices"},
         {"--gres=gpu:2 --mem-per-gpu=3000", "n0:0-1 6000M gpu:a100:2(0-1)", "so does memory"},
         {"-n 8 --ntasks-per-gpu=4", "n0:0-7 8000M gpu:a100:2(0-1)", "GPUs follow from tasks"},
         {"--exclusive", "n0:0-31 32000M gpu:a100:4(0-3)", "every core and device of the node"},
         {"--gres=fpga:1", "refused", "not among GresTypes"}});
}

TEST_CASE("Slurm select: what is refused and what waits", "[dialect][slurm]") {
    Controller controller = controller_of(four_nodes, four_gres);
    check_rows(controller,
               {{"-n 129", "pending PartitionConfig", "more CPUs than the partition has"},
                {"-N 5", "pending PartitionConfig", "more nodes than it has"},
                {"-N 2 -n 65", "refused", "two nodes never hold 65 CPUs"},
                {"-c 33", "refused", "no node has so many"},
                {"--mem=65000", "refused", "no node has so much memory"},
                {"-n 4 -N 1 --mem-per-cpu=20000", "refused", "nor for four CPUs"},
                {"-w n9", "refused", "an unknown node"},
                {"-p other", "refused", "an unknown partition"},
                {"-w n1 -x n1", "refused", "both required and excluded"},
                {"-C fast", "refused", "a feature that no node has"},
                {"--switches=1 -n 1", "n0:0-1 2000M", "without switches they do not matter"}});
    const Decision all = submit(controller, "--exclusive -N 4");
    REQUIRE(all.owner);
    check_rows(controller, {{"-n 1", "pending Resources", "what would fit an empty cluster"},
                            {"-c 33", "refused", "and what would not"}});
    REQUIRE(controller.release(*all.owner).ok());
    check_rows(controller, {{"-n 1", "n0:0-1 2000M", "everything is back"}});
}

TEST_CASE("Slurm select: nodes in use", "[dialect][slurm]") {
    Controller controller = controller_of(four_nodes, four_gres);
    submit(controller, "-w n2 -c 4 --mem=100");
    check_rows(controller,
               {{"-c 4 --mem=100", "n2:4-7 100M", "the node with the fewest CPUs that suffice"},
                {"--exclusive -N 3 -n 3",
                 "n0:0-31 32000M gpu:a100:4(0-3); n1:0-31 32000M gpu:a100:4(0-3); "
                 "n3:0-31 32000M gpu:a100:4(0-3)",
                 "a whole node is one that nobody has a part of"},
                {"--exclusive -N 4", "pending Resources", "so the fourth has to wait"},
                {"-w n2 --mem=0 -n 1", "pending Resources", "nor is all its memory free"}});
    submit(controller, "-w n0 --gres=gpu:3 -n 1");
    check_rows(controller, {{"--gres=gpu:2", "n1:0-1 2000M gpu:a100:2(0-1)", "n0 has one left"},
                            {"-w n0 --gres=gpu:1", "n0:0-1 2000M gpu:a100:1(1)",
                             "which is near the first socket: that job's core is on the second"}});
}

TEST_CASE("Slurm select: weights, features and packing", "[dialect][slurm]") {
    const Controller controller = controller_of(
        "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\nDefMemPerCPU=1000\n"
        "NodeName=x[0-1] CoresPerSocket=4 RealMemory=16000 Weight=5 Feature=big,ib\n"
        "NodeName=a[0-1] CoresPerSocket=4 RealMemory=8000 Weight=1 Feature=small\n"
        "PartitionName=p Nodes=ALL Default=YES\n");
    check_rows(controller,
               {{"-n 1", "a0:0 1000M", "the lightest first"},
                {"-n 1 -C big", "x0:0 1000M", "a feature"},
                {"-n 1 -C 'big|small'", "a0:0 1000M", "one of two"},
                {"-n 1 -C 'big&ib'", "x0:0 1000M", "both"},
                {"-n 1 -C 'small&ib'", "refused", "both, which no node has"},
                {"-N 2 -C '[big|small]'", "x0:0 1000M; x1:0 1000M", "the same one on all nodes"},
                {"-N 2 -C '[big*1&small*1]'", "a0:0 1000M; x0:0 1000M", "so many of each"},
                {"-n 9", "a0:0-3 4000M; a1:0-3 4000M; x0:0 1000M", "heavier ones when needed"},
                {"--mem=10000", "x0:0 10000M", "or when the light ones do not do"}});
    CHECK(controller.rules().node_order == std::vector{NodeId(2), NodeId(3), NodeId(0), NodeId(1)});
}

TEST_CASE("Slurm select: the least loaded node", "[dialect][slurm]") {
    Controller controller = controller_of(
        "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=100\n"
        "NodeName=n[0-2] CoresPerSocket=4 RealMemory=16000\n"
        "PartitionName=p Nodes=ALL Default=YES\nPartitionName=lln Nodes=ALL LLN=YES\n");
    submit(controller, "-n 2");
    check_rows(controller, {{"-n 1", "n0:2 100M", "else the tightest that suffices"},
                            {"-n 1 -p lln", "n1:0 100M", "the first of those that nobody uses"},
                            {"-n 3 -p lln", "n1:0-2 300M", "all of it on that node"}});
}

TEST_CASE("Slurm select: nodes under switches", "[dialect][slurm]") {
    Controller controller = controller_of(rack_conf, "", rack_topology);
    check_rows(
        controller,
        {{"-N 1", "t5:0 1000M", "the tightest leaf that is enough"},
         {"-N 2", "t0:0 1000M; t1:0 1000M", "two on one leaf"},
         {"-N 3", "t2:0 1000M; t3:0 1000M; t4:0 1000M", "three on another"},
         {"-N 4", "t2:0 1000M; t3:0 1000M; t4:0 1000M; t5:0 1000M",
          "no leaf is enough: the largest, then the tightest for the rest"},
         {"-N 4 --switches=1", "pending Resources", "which is more than one switch"},
         {"-N 4 --switches=2", "t2:0 1000M; t3:0 1000M; t4:0 1000M; t5:0 1000M", "two will do"},
         {"-N 2 -w t4", "t2:0 1000M; t4:0 1000M", "the leaf of a required node"}});
    submit(controller, "-w t3 --exclusive");
    check_rows(controller, {{"-N 3", "t0:0 1000M; t1:0 1000M; t5:0 1000M",
                             "free nodes count, not all that there are"}});
}

TEST_CASE("Slurm select: what is given out together", "[dialect][slurm]") {
    const auto conf = [](std::string_view parameters) {
        return fmt::format(
            "SelectTypeParameters={}\nDefMemPerCPU=1000\n"
            "NodeName=n0 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=32000\n"
            "PartitionName=p Nodes=ALL Default=YES\n",
            parameters);
    };
    check_rows(controller_of(conf("CR_Core_Memory,CR_CORE_DEFAULT_DIST_BLOCK")),
               {{"-n 4", "n0:0-3 4000M", "cores of one socket"}});
    check_rows(controller_of(conf("CR_Core_Memory,CR_ONE_TASK_PER_CORE")),
               {{"-n 2", "n0:0-1,8-9 4000M", "a core for each task"}});
    check_rows(controller_of(conf("CR_Socket_Memory")),
               {{"-n 1", "n0:0-7 8000M", "a whole socket"}, {"-c 9", "n0:0-15 16000M", "or two"}});
    Controller by_cpu = controller_of(conf("CR_CPU_Memory"));
    check_rows(by_cpu, {{"-c 3", "n0:0-3 3000M", "memory for the CPUs that were asked"}});
    CHECK(submit(by_cpu, "-c 3").grants.front().cpus == Count(3));
    Controller by_core = controller_of(conf("CR_Core_Memory"));
    CHECK(submit(by_core, "-c 3").grants.front().cpus == Count(4));
}

TEST_CASE("Slurm select: limits of partitions", "[dialect][slurm]") {
    Controller controller = controller_of(
        "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\nLicenses=matlab:2,abaqus:1\n"
        "NodeName=n[0-1] Sockets=2 CoresPerSocket=4 RealMemory=32000\n"
        "PartitionName=p Nodes=ALL Default=YES\n"
        "PartitionName=few Nodes=ALL MaxCPUsPerNode=3\n"
        "PartitionName=mem Nodes=ALL MaxMemPerCPU=2000\n"
        "PartitionName=node Nodes=ALL MaxMemPerNode=4000\n"
        "PartitionName=one Nodes=ALL MaxNodes=1\n"
        "PartitionName=alone Nodes=ALL OverSubscribe=EXCLUSIVE\n"
        "PartitionName=off Nodes=ALL State=DOWN\n"
        "PartitionName=gone Nodes=ALL State=INACTIVE\n");
    check_rows(controller,
               {{"-p few -n 4", "n0:0-1,4 3000M; n1:0 1000M", "three CPUs a node"},
                {"-p few -c 4", "refused", "which four CPUs of one task never are"},
                {"-p few -n 7", "pending PartitionConfig", "nor seven of both"},
                {"-p mem --mem-per-cpu=3000", "n0:0-1 3000M", "much memory makes more CPUs"},
                {"-p mem --mem=5000", "n0:0-1,4 5000M", "so does memory of a node"},
                {"-p node --mem=5000", "pending PartitionConfig", "more than a node may give"},
                {"-p one -N 2", "pending PartitionConfig", "more nodes than one"},
                {"-p alone -n 1", "n0:0-7 8000M", "a node of its own"},
                {"-p off -n 1", "pending PartitionDown", "nothing starts there"},
                {"-p gone -n 1", "refused", "nothing is taken there"},
                {"-p off,few -n 1", "n0:0 1000M", "the first partition that can"},
                {"-p one,p -N 2", "n0:0 1000M; n1:0 1000M", "whichever it is"},
                {"-L matlab:3", "refused", "more licences than there are"},
                {"-L matlab:2", "n0:0 1000M", "licences come with the nodes"},
                {"-L abaqus:1|matlab:1", "refused", "either is of a later release"},
                {"-L abaqus:9|matlab:1", "refused", "each has to be there"}});
    submit(controller, "-p few -n 2 -w n0");
    check_rows(controller,
               {{"-p few -n 2 -w n0", "n0:1 1000M; n1:0 1000M",
                 "what other jobs of the partition have counts"},
                {"-w n0 -n 4", "n0:1-2,5-6 4000M", "for other partitions it does not"}});
    const Decision licensed = submit(controller, "-L matlab:2");
    CHECK(licensed.placement.cluster_counts == std::vector{ClusterCount{"matlab", Count(2)}});
    check_rows(controller, {{"-L matlab:1", "pending Licenses", "the licences are in use"}});
}

TEST_CASE("Slurm select: shards, counters and links", "[dialect][slurm]") {
    Controller shards = controller_of(
        "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu,shard\nDefMemPerCPU=1000\n"
        "NodeName=n[0-1] Sockets=2 CoresPerSocket=4 RealMemory=32000 Gres=gpu:a100:2,shard:8\n"
        "PartitionName=p Nodes=ALL Default=YES\n",
        "NodeName=n[0-1] Name=gpu Type=a100 File=/dev/nvidia0 Cores=0-3\n"
        "NodeName=n[0-1] Name=gpu Type=a100 File=/dev/nvidia1 Cores=4-7\n"
        "NodeName=n[0-1] Name=shard Count=8\n");
    check_rows(shards, {{"--gres=shard:2", "n0:0 1000M shard:2(0)", "parts of one GPU"},
                        {"--gres=shard:5", "pending Resources", "no GPU has so many; it waits"},
                        {"--gres=gpu:1,shard:1", "refused", "a GPU or parts of one"}});
    submit(shards, "--gres=shard:3");
    check_rows(shards, {{"-w n0 --gres=gpu:2", "pending Resources", "a GPU in parts is no GPU"},
                        {"-w n0 --gres=gpu:1", "n0:4 1000M gpu:a100:1(1)", "the other one is"},
                        {"-w n0 --gres=shard:1", "n0:4 1000M shard:1(1)",
                         "the socket with more free cores comes first"}});

    Controller counters = controller_of(
        "SelectTypeParameters=CR_Core_Memory\nGresTypes=lic,bandwidth\nDefMemPerCPU=1000\n"
        "NodeName=n0 CoresPerSocket=4 RealMemory=8000 Gres=lic:10,bandwidth:lustre:no_consume:4G\n"
        "PartitionName=p Nodes=ALL Default=YES\n");
    submit(counters, "--gres=lic:7");
    check_rows(counters, {{"--gres=lic:3", "n0:1 1000M lic:3", "numbers are used up"},
                          {"--gres=lic:4", "pending Resources", "and waited for"},
                          {"--gres=bandwidth:lustre:3G", "n0:1 1000M", "others are only there"},
                          {"--gres=bandwidth:lustre:5G", "refused", "if they are"}});

    Controller links = controller_of(
        "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\nDefMemPerCPU=1000\n"
        "NodeName=n0 CoresPerSocket=8 RealMemory=64000 Gres=gpu:4\n"
        "PartitionName=p Nodes=ALL Default=YES\n",
        "NodeName=n0 Name=gpu File=/dev/nvidia0 Links=-1,1,4,1\n"
        "NodeName=n0 Name=gpu File=/dev/nvidia1 Links=1,-1,1,4\n"
        "NodeName=n0 Name=gpu File=/dev/nvidia2 Links=4,1,-1,1\n"
        "NodeName=n0 Name=gpu File=/dev/nvidia3 Links=1,4,1,-1\n");
    check_rows(links, {{"--gres=gpu:2", "n0:0 1000M gpu:2(0,2)", "the first, and its best peer"},
                       {"-G 1", "n0:0 1000M gpu:1(0)", "one of the best pair"},
                       {"-G 2", "n0:0 1000M gpu:2(0,2)", "the best pair of all"}});
}

TEST_CASE("Slurm select: numbers beyond any cluster", "[dialect][slurm]") {
    Controller controller = controller_of(four_nodes, four_gres);
    for (const std::string_view options :
         {"-n 4000000000 -c 4000000000",
          "-N 1-4000000000",
          "-c 9223372036854775807",
          "--gres=gpu:9000000000000000000 --cpus-per-gpu=4000000000",
          "--gpus-per-task=9000000000000000000 -n 3",
          "--mem-per-cpu=8000000T",
          "--mem=8000000T",
          "--mem-per-gpu=8000000T -G 4",
          "-G 4 --ntasks-per-gpu=4000000000",
          "--ntasks-per-node=4000000000 -c 4000000000",
          "--ntasks-per-core=4000000000 -c 3000000000",
          "--ntasks-per-socket=4000000000 -c 4000000000",
          "--mincpus=4000000000",
          "-S 4000000000",
          "-B 4000000000:4000000000:4000000000",
          "-n 5 -m plane=4000000000",
          "-w n[0-999999999]",
          "-x n[0-999999999]",
          "--switches=4000000000",
          "-C '[a*4000000000&b*4000000000]'",
          "--tmp=8000000T",
          "--gpus-per-socket=4000000000 --sockets-per-node=4000000000"}) {
        INFO(options);
        Controller trial = controller;
        const Decision decision = submit(trial, options);
        CHECK(decision.placement.nodes.empty() == (decision.answer != Answer::allocated));
    }
}

TEST_CASE("Slurm select: steps of node counts, and contiguous nodes that are named",
          "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\n"
        "NodeName=f[0-7] CPUs=4 RealMemory=16000\nPartitionName=p Nodes=ALL Default=YES\n";
    const auto nodes_of_answer = [](const Decision& decision) {
        std::string text;
        for (const slurm::NodeGrant& grant : decision.grants) text += grant.node;
        return text.empty() ? std::string(to_text(decision.answer)) : text;
    };
    struct Row {
        const char* options;
        const char* of_22_05;
        const char* later;
        const char* why;
    };
    const Row rows[] = {
        {"-N 1-7:3", "refused", "f0f1f2f3", "1 or 4: the end of steps is none of them"},
        {"-N 3,9", "refused", "f0f1f2", "the largest that there is"},
        {"-N 1,4,8 -n 5", "refused", "f0f1f2f3f4", "-n lowers larger numbers"},
        {"-N 5,7 -n 4", "refused", "f0f1f2f3", "also below all of them"},
        {"-N 1,4 -n 9", "refused", "f0f1f2f3", "more tasks change nothing"},
        {"-N 3 -w f[2,6] --contiguous", "refused", "f2f3f4", "from the first node on"},
        {"-N 2 -w f[2,6] --contiguous", "refused", "f2f3", "as many as the job may have"},
        {"-N 1-3 -w f[2,6] --contiguous", "refused", "f2f3f4", "the most that it may have"},
        {"-N 5 -w f[2,6] --contiguous", "f2f3f4f5f6", "f2f3f4f5f6", "all between them"},
        {"-w f[2,6] --contiguous", "f2f3f4f5f6", "f2f3", "as many as are listed"},
    };
    for (const Row& row : rows) {
        for (const auto release :
             {slurm::Release::v22_05, slurm::Release::v24_11, slurm::Release::v26_05}) {
            INFO(row.options << " of " << trestle::to_text(release) << ": " << row.why);
            Controller controller = controller_of(conf, "", "", release);
            const bool is_old = release == slurm::Release::v22_05;
            CHECK(nodes_of_answer(submit(controller, row.options)) ==
                  (is_old ? row.of_22_05 : row.later));
        }
    }
}

TEST_CASE("Slurm select: nodes that take no work", "[dialect][slurm]") {
    check_rows(controller_of("SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\n"
                             "NodeName=n0 CoresPerSocket=4 RealMemory=8000 State=DRAIN\n"
                             "NodeName=n1 CoresPerSocket=4 RealMemory=8000\n"
                             "PartitionName=p Nodes=ALL Default=YES\n"),
               {{"-n 1", "n1:0 1000M", "the other one is taken"},
                {"-N 2", "pending ReqNodeNotAvail", "a drained node comes back one day"},
                {"-w n0", "pending ReqNodeNotAvail", "and is waited for by name"}});
}

TEST_CASE("Slurm select: cores for the system", "[dialect][slurm]") {
    const std::string conf =
        "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\nAllowSpecResourcesUsage=YES\n"
        "NodeName=n0 Sockets=2 CoresPerSocket=4 RealMemory=32000 CoreSpecCount=2 "
        "MemSpecLimit=4000\nPartitionName=p Nodes=ALL Default=YES\n";
    Controller controller = controller_of(conf);
    check_rows(controller, {{"--exclusive", "n0:0-2,4-6 6000M", "the last core of each socket"},
                            {"--mem=29000", "refused", "memory of the system is not given"},
                            {"-S 4", "n0:0-1,4-5 4000M", "a job leaves more of them"},
                            {"-S 0", "n0:0-7 8000M", "or takes them back"}});
    const Decision all = submit(controller, "-S 0");
    CHECK(all.placement.nodes.front().cores ==
          CoreSet::of({CoreId(0), CoreId(1), CoreId(2), CoreId(4), CoreId(5), CoreId(6)}));
}

TEST_CASE("Slurm select: warnings name what is not looked at", "[dialect][slurm]") {
    Controller controller = controller_of(four_nodes, four_gres);
    CHECK(submit(controller, "-N 3 -n 2").warnings.size() == 1);
    CHECK(submit(controller, "-n 2").warnings.empty());
    const Decision many =
        submit(controller, "-O -F hosts -m arbitrary --reservation=r --exclusive=user");
    CHECK(many.warnings.size() == 4);
    CHECK(many.answer == Answer::allocated);
}

TEST_CASE("Slurm select: warnings name kinds of jobs that Slurm may answer otherwise",
          "[dialect][slurm]") {
    const std::string conf = std::string(four_nodes) +
                             "PartitionName=least Nodes=ALL LLN=YES\n"
                             "PartitionName=some Nodes=ALL DefCpuPerGPU=2\n";
    Controller controller = controller_of(conf, four_gres);
    const std::pair<const char*, const char*> rows[] = {
        {"--gres=gpu:1 --gres-flags=enforce-binding --ntasks-per-socket=1",
         "enforce-binding with --ntasks-per-socket: Slurm may answer otherwise"},
        {"-n 2 -G 2 --cpus-per-gpu=1 --ntasks-per-core=1",
         "--ntasks-per-core with --cpus-per-gpu: Slurm may answer otherwise"},
        {"--cpus-per-gpu=2", "--cpus-per-gpu without GPUs: Slurm may answer otherwise"},
        {"-p least --gres=gpu:1", "LLN with GRES: Slurm may answer otherwise"},
        {"-p some --ntasks-per-gpu=1 -G 2",
         "--ntasks-per-gpu with DefCpuPerGPU: Slurm may answer otherwise"},
    };
    for (const auto& [options, warning] : rows) {
        INFO(options);
        CHECK(submit(controller, options).warnings == std::vector<std::string>{warning});
    }
    CHECK(submit(controller, "--gres=gpu:1 --gres-flags=enforce-binding").warnings.empty());
    CHECK(submit(controller, "--gres=gpu:1 --ntasks-per-socket=1").warnings.empty());
    CHECK(submit(controller, "-n 2 -G 2 --cpus-per-gpu=1").warnings.empty());
    CHECK(submit(controller, "-p least -n 2").warnings.empty());
    CHECK(submit(controller, "-p some -G 2").warnings.empty());

    const std::string loaded_conf =
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core,CR_ONE_TASK_PER_CORE\n"
        "GresTypes=gpu\nNodeName=n[0-1] Sockets=1 CoresPerSocket=4 RealMemory=8000 Gres=gpu:2\n"
        "PartitionName=p Nodes=ALL Default=YES\nPartitionName=l Nodes=ALL LLN=YES\n";
    Controller loaded = controller_of(loaded_conf, "NodeName=n[0-1] Name=gpu File=/dev/nv[0-1]\n",
                                      "", slurm::Release::v24_11);
    using Warnings = std::vector<std::string>;
    CHECK(submit(loaded, "--ntasks-per-gpu=2 -G 1").warnings ==
          Warnings{"--ntasks-per-gpu with CR_ONE_TASK_PER_CORE: Slurm may answer otherwise"});
    CHECK(submit(loaded, "-p l -G 1").warnings ==
          Warnings{"--gpus on least loaded nodes: Slurm may answer otherwise"});
    CHECK(submit(loaded, "-p l --gres=gpu:1").warnings.empty());
    CHECK(submit(loaded, "-G 1").warnings.empty());
}

TEST_CASE("Slurm controller: errors change nothing", "[dialect][slurm]") {
    CHECK(Controller::create({.slurm_conf = "NodeName=\n"}).status().code() ==
          StatusCode::kInvalidArgument);
    CHECK(Controller::create({.slurm_conf = four_nodes, .gres_conf = "Name=gpu Oops=1\n"})
              .status()
              .code() == StatusCode::kInvalidArgument);
    Controller controller = controller_of(four_nodes, four_gres);
    submit(controller, "-n 3 --gres=gpu:1");
    const Cluster before = controller.cluster();
    for (const std::string_view text : {"--no-such-option", "-n x", "--gres=gpu:", "-n 0", "'",
                                        "-n 4 -w", "--mem=1 --mem-per-cpu=1", "-N 3-2", "-C '['"}) {
        CHECK(text_of(submit(controller, text)) == "refused");
        CHECK(controller.cluster() == before);
    }
    CHECK(message(controller.submit("-n 1 : -n 2").status()) ==
          "a job of 2 components, expected one (submit_all takes more)");
    CHECK(controller.release(OwnerId(77)).code() == StatusCode::kNotFound);

    slurm::NodeGrant grant{"n3", PuSet::range({0, 2}), Count(2), mib(10), {}};
    const auto adopt = [&](const slurm::NodeGrant& one, std::string_view partition = "") {
        return controller.adopt({&one, 1}, partition).status().code();
    };
    slurm::NodeGrant other = grant;
    other.node = "n9";
    CHECK(adopt(other) == StatusCode::kInvalidArgument);
    other = grant;
    other.cpu_ids.insert(OsIndex(32));
    CHECK(adopt(other) == StatusCode::kInvalidArgument);
    other = grant;
    other.gres = {{{"gpu", "a100", Count(1)}, SmallSet<>::of({7}), {}}};
    CHECK(adopt(other) == StatusCode::kInvalidArgument);
    other.gres = {{{"fpga", "", Count(1)}, {}, {}}};
    CHECK(adopt(other) == StatusCode::kInvalidArgument);
    other = grant;
    other.memory = gib(100);
    CHECK(adopt(other) == StatusCode::kFailedPrecondition);
    other = grant;
    other.node = "n0";
    CHECK(adopt(other) == StatusCode::kFailedPrecondition);
    CHECK(adopt(grant, "other") == StatusCode::kInvalidArgument);
    CHECK(controller.cluster() == before);
    CHECK(adopt(grant, "p") == StatusCode::kOk);
}

TEST_CASE("Slurm select: a job with more time than its partition gives waits for another",
          "[slurm]") {
    const std::string conf =
        "NodeName=n CPUs=4 RealMemory=1000\n"
        "PartitionName=short Nodes=n Default=YES MaxTime=60\nPartitionName=long Nodes=n\n";
    const auto answer = [&](std::string_view more, std::string_view options) {
        Controller controller = controller_of(conf + std::string(more));
        const Decision decision = submit(controller, options);
        return decision.answer == Answer::allocated ? decision.partition : text_of(decision);
    };
    CHECK(answer("", "-t 60") == "short");
    CHECK(answer("", "-t 61") == "pending PartitionTimeLimit");
    CHECK(answer("", "-t UNLIMITED") == "pending PartitionTimeLimit");
    // --time-min, as asked of 22.05.8, 24.11.5 and 26.05.5.
    CHECK(answer("", "-t 120 --time-min=30") == "pending PartitionTimeLimit");
    CHECK(answer("", "-t UNLIMITED --time-min=30") == "pending PartitionTimeLimit");
    CHECK(answer("", "-t 120 --time-min=70") == "refused");
    CHECK(answer("", "--time-min=60") == "short");
    CHECK(answer("", "--time-min=61") == "refused");
    CHECK(answer("", "-t 5 --time-min=10") == "refused");
    CHECK(answer("", "-p long --time-min=70") == "long");
    CHECK(answer("", "-p short,long -t 120 --time-min=30") == "long");
    const std::string has_default = "PartitionName=mid Nodes=n DefaultTime=20\n";
    CHECK(answer(has_default, "-p mid --time-min=20") == "mid");
    CHECK(answer(has_default, "-p mid --time-min=30") == "refused");  // beyond DefaultTime
    CHECK(answer(has_default, "-p mid -t 40 --time-min=30") == "mid");
    CHECK(answer("", "-p short,long -t 61") == "long");
    CHECK(answer("EnforcePartLimits=ALL\n", "-t 61") == "refused");
    CHECK(answer("", "") == "short");
}

}  // namespace trestle
