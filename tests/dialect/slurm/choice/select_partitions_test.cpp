// SPDX-License-Identifier: Apache-2.0
// What partitions and the whole cluster say of jobs: limits of several partitions, what GPUs bring
// with them, whole nodes, topologies, plugins.
#include <algorithm>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/differences.hpp"

namespace trestle {
namespace {

using slurm::Controller;
using slurm::Decision;
using slurm_answers::check_rows;
using slurm_answers::controller_of;
using slurm_answers::submit;
using slurm_answers::text_of;

/// Two nodes of two sockets with two GPUs, and lines of the test's own.
std::string two_nodes(std::string_view lines, std::string_view select = "CR_Core_Memory") {
    return fmt::format(
        "SelectType=select/cons_tres\nSelectTypeParameters={}\nGresTypes=gpu\nDefMemPerCPU=100\n"
        "NodeName=n[0-1] Sockets=2 CoresPerSocket=8 RealMemory=64000 Gres=gpu:2\n{}\n",
        select, lines);
}
constexpr std::string_view gpu_files =
    "Name=gpu File=/dev/nvidia0 Cores=0-7\nName=gpu File=/dev/nvidia1 Cores=8-15\n";

Controller gpu_nodes(std::string_view lines) { return controller_of(two_nodes(lines), gpu_files); }

}  // namespace

TEST_CASE("Slurm select: limits of several partitions hold for all, for one, or later",
          "[dialect][slurm]") {
    const std::string lines =
        "PartitionName=small Nodes=ALL MaxNodes=1 MaxTime=10 Default=YES\n"
        "PartitionName=large Nodes=ALL MaxTime=60\nPartitionName=none Nodes=n0 State=DOWN\n";
    const auto with = [&](std::string_view answer) {
        return gpu_nodes(fmt::format("EnforcePartLimits={}\n{}", answer, lines));
    };
    check_rows(with("NO"), {{"-p small -N 2", "pending PartitionConfig", "waits for a change"},
                            {"-p small -t 20", "pending PartitionTimeLimit", "likewise"},
                            {"-p small,large -N 2", "n0:0 100M; n1:0 100M", "the other takes it"},
                            {"-p small,large -t 90", "pending PartitionTimeLimit", "neither"}});
    check_rows(with("ANY"), {{"-p small -N 2", "refused", "its only partition"},
                             {"-p small,large -N 2", "n0:0 100M; n1:0 100M", "one is enough"},
                             {"-p large,small -t 20", "n0:0 100M", "of time too"},
                             {"-p small,large -t 90", "refused", "neither"},
                             {"-p small,none -N 2", "refused", "neither has two nodes"}});
    check_rows(with("ALL"), {{"-p small -N 2", "refused", "its only partition"},
                             {"-p small,large -N 2", "refused", "one of them forbids it"},
                             {"-p large,small -N 2", "refused", "whichever stands first"},
                             {"-p large,small -t 20", "refused", "of time too"},
                             {"-p large,small -t 5", "n0:0 100M", "both allow it"},
                             {"-p small,none", "n0:0 100M", "what is down forbids nothing"}});
    Controller busy = with("ALL");
    submit(busy, "-p large -N 2 --exclusive");
    check_rows(busy, {{"-p small,large", "pending Resources", "allowed by both, and waits"},
                      {"-p small,large -N 2", "refused", "and is refused just the same"}});
}

TEST_CASE("Slurm select: what a GPU brings where a job does not say", "[dialect][slurm]") {
    Controller cpus = gpu_nodes(
        "DefCpuPerGPU=3\nPartitionName=p Nodes=ALL Default=YES\n"
        "PartitionName=own Nodes=ALL DefCpuPerGPU=5\n");
    check_rows(cpus,
               {{"-G 1", "n0:0-2 300M gpu:1(0)", "the cluster's"},
                {"-G 1 -p own", "n0:0-4 500M gpu:1(0)", "the partition's goes before it"},
                {"--gres=gpu:2", "n0:0-2,8-10 600M gpu:2(0-1)", "for each"},
                {"-G 1 --cpus-per-gpu=2", "n0:0-1 200M gpu:1(0)", "unless the job says"},
                {"-G 1 -c 2", "n0:0-1 200M gpu:1(0)", "or says CPUs of a task"},
                {"-G 2 --ntasks-per-gpu=1", "n0:0,8 200M gpu:2(0-1)", "or tasks of a GPU"},
                {"-n 2 --gpus-per-task=1", "n0:0-2,8-10 600M gpu:2(0-1)", "a task has its GPU's"},
                {"-n 1", "n0:0 100M", "no GPU, no more CPUs"},
                {"-G 1 -p own --mem=1000", "n0:0-4 1000M gpu:1(0)", "memory is another matter"}});
    Controller memory = gpu_nodes(
        "DefMemPerGPU=2000\nPartitionName=p Nodes=ALL Default=YES\n"
        "PartitionName=own Nodes=ALL DefMemPerGPU=3000\n");
    check_rows(memory, {{"-G 2", "n0:0 4000M gpu:2(0-1)", "for each, before DefMemPerCPU"},
                        {"-G 1 -p own", "n0:0 3000M gpu:1(0)", "the partition's goes before it"},
                        {"-G 1 --mem=500", "n0:0 500M gpu:1(0)", "unless the job says"},
                        {"-G 1 --mem-per-cpu=50", "n0:0 50M gpu:1(0)", "by CPU"},
                        {"-G 1 --mem-per-gpu=70", "n0:0 70M gpu:1(0)", "or by GPU"},
                        {"-n 1", "n0:0 100M", "a job without GPUs has the others"},
                        {"--exclusive -G 1", "n0:0-15 4000M gpu:2(0-1)", "of all that it has"}});
    Controller both = slurm_answers::controller_of_all_keys(
        two_nodes(
            "PartitionName=p Nodes=ALL Default=YES JobDefaults=DefCpuPerGPU=2,DefMemPerGPU=900\n"),
        gpu_files);
    check_rows(both, {{"-G 2", "n0:0-1,8-9 1800M gpu:2(0-1)", "JobDefaults says the same"}});
    CHECK(submit(both, "-G 1").warnings.empty());
}

TEST_CASE("Slurm select: whole nodes come with all that they have", "[dialect][slurm]") {
    const std::string conf =
        "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu,lic,craynet,fpga,spare\n"
        "DefMemPerCPU=100\n"
        "NodeName=n[0-1] CoresPerSocket=4 RealMemory=8000 "
        "Gres=gpu:2,lic:big:3,lic:small:4,craynet:no_consume:5,fpga:6,spare:1\n"
        "PartitionName=p Nodes=ALL Default=YES\n"
        "PartitionName=alone Nodes=ALL OverSubscribe=EXCLUSIVE\n";
    const std::string gres =
        "Name=gpu File=/dev/nvidia[0-1]\nName=fpga Count=6 Flags=CountOnly,explicit\n"
        "Name=spare File=/dev/spare0 Flags=explicit\n";
    const std::string all = "n0:0-3 400M gpu:2(0-1) lic:big:3 lic:small:4";
    Controller controller = controller_of(conf, gres);
    check_rows(controller,
               {{"--exclusive", all, "bare numbers too, but not what has to be asked for"},
                {"-p alone", all, "where the partition wants it"},
                {"--exclusive --gres=lic:big:1", all, "of what is asked for all"},
                {"--exclusive --gres=spare:1",
                 "n0:0-3 400M gpu:2(0-1) spare:1(0) lic:big:3 lic:small:4", "asked for"},
                {"--exclusive --gres=fpga:2", all + " fpga:6", "all of it"},
                {"--gres=spare:1,fpga:2", "n0:0 100M spare:1(0) fpga:2", "of a part of a node"},
                {"--exclusive --gres=fpga:7", "refused", "more than there is"}});
    submit(controller, "--exclusive -w n0");
    check_rows(controller, {{"-w n0 --gres=lic:big:1", "pending Resources", "nothing is left"}});
    CHECK(controller.cluster().node_count() == 2);
}

TEST_CASE("Slurm select: the topology of each partition", "[dialect][slurm]") {
    const std::string conf =
        "SelectTypeParameters=CR_Core\nNodeName=t[0-5] CPUs=2\n"
        "PartitionName=p Nodes=ALL Default=YES\nPartitionName=rows Nodes=ALL Topology=rows\n"
        "PartitionName=flat Nodes=ALL Topology=flat\nPartitionName=b Nodes=ALL Topology=blocks\n";
    const std::string yaml =
        "- topology: flat\n  flat: true\n"
        "- topology: racks\n  cluster_default: true\n  tree:\n    switches:\n"
        "    - {switch: top, children: 'r[0-2]'}\n    - {switch: r0, nodes: t0}\n"
        "    - {switch: r1, nodes: 't[1-2]'}\n    - {switch: r2, nodes: 't[3-5]'}\n"
        "- topology: rows\n  tree:\n    switches:\n"
        "    - {switch: top, children: 's[0-1]'}\n    - {switch: s0, nodes: 't[0,2,4]'}\n"
        "    - {switch: s1, nodes: 't[1,3,5]'}\n"
        "- topology: blocks\n  block:\n    block_sizes: [2]\n    blocks:\n"
        "    - {block: b0, nodes: 't[0-1]'}\n    - {block: b1, nodes: 't[2-3]'}\n";
    const auto made = [&](const std::string& text) {
        auto controller =
            Controller::of(slurm::read_cluster({.slurm_conf = conf, .topology_yaml = text}));
        INFO(message(controller.status()));
        REQUIRE(controller.ok());
        return *std::move(controller);
    };
    const auto nodes_of = [](Controller controller, std::string_view options) {
        const Decision decision = submit(controller, options);
        std::string names;
        for (const auto& grant : decision.grants) names += grant.node + " ";
        return names.empty() ? text_of(decision) : names;
    };
    const Controller controller = made(yaml);
    CHECK(nodes_of(controller, "-N 2") == "t1 t2 ");
    CHECK(nodes_of(controller, "-N 2 -p rows -x t0") == "t2 t4 ");
    CHECK(nodes_of(controller, "-N 3 -p rows") == "t0 t2 t4 ");
    CHECK(nodes_of(controller, "-N 3") == "t3 t4 t5 ");
    CHECK(nodes_of(controller, "-N 2 -p flat") == "t0 t1 ");
    CHECK(nodes_of(controller, "-N 4 -p flat --switches=1") == "t0 t1 t2 t3 ");
    CHECK(nodes_of(controller, "-N 4 --switches=1") == "pending Resources");
    CHECK(nodes_of(controller, "-N 3 -p rows --switches=1") == "t0 t2 t4 ");
    const auto warnings_of = [](Controller one, std::string_view options) {
        return submit(one, options).warnings;
    };
    CHECK(warnings_of(controller, "-N 2").empty());
    CHECK(warnings_of(controller, "-N 2 -p rows").empty());
    CHECK(warnings_of(controller, "-N 2 -p flat").empty());
    CHECK(nodes_of(controller, "-N 2 -p b") == "t2 t3 ");
    CHECK(warnings_of(controller, "-N 2 -p b").empty());
    // Without cluster_default the first of the file is it.
    std::string first = yaml;
    first.erase(first.find("  cluster_default: true\n"), 24);
    CHECK(nodes_of(made(first), "-N 2") == "t0 t1 ");
}

TEST_CASE("Slurm select: what the plugin hands out", "[dialect][slurm]") {
    const std::string line = "PartitionName=p Nodes=ALL Default=YES\n";
    // A socket is given whole, a core is, or single threads of one.
    const auto by = [&](std::string_view unit) {
        return controller_of(
            fmt::format("SelectTypeParameters={}\nDefMemPerCPU=10\nNodeName=n0 Sockets=2 "
                        "CoresPerSocket=4 ThreadsPerCore=2 RealMemory=8000\n{}",
                        unit, line));
    };
    const auto cpus_of = [](Controller controller, std::string_view options) {
        const Decision decision = submit(controller, options);
        REQUIRE(!decision.grants.empty());
        return decision.grants.front().cpus.value();
    };
    CHECK(cpus_of(by("CR_CPU"), "-n 1") == 1);
    CHECK(cpus_of(by("CR_Core"), "-n 1") == 2);
    CHECK(cpus_of(by("CR_Socket"), "-n 1") == 8);
    CHECK(cpus_of(by("CR_CPU"), "-n 3") == 3);
    CHECK(cpus_of(by("CR_Core"), "-n 3") == 4);
    CHECK(cpus_of(by("CR_Socket"), "-n 3") == 16);
    for (const char* const unit : {"CR_CPU", "CR_Core", "CR_Socket"}) {
        INFO(unit);
        Controller without = by(unit);
        CHECK(text_of(submit(without, "-n 1 --mem=9000")) == "refused");  // no node has it
        const Decision all = submit(without, "-n 1 --mem=8000");
        REQUIRE(!all.grants.empty());
        CHECK(all.grants.front().memory == Bytes());
        Controller counted = by(std::string(unit) + "_Memory");
        CHECK(text_of(submit(counted, "-n 1 --mem=9000")) == "refused");
    }
    // select/linear and CR_Memory are not followed, which is said.
    Controller linear = controller_of(
        "SelectType=select/linear\nGresTypes=gpu\nNodeName=n0 CPUs=4 Gres=gpu:2\n" + line,
        "Name=gpu File=/dev/nvidia[0-1]\n");
    for (const char* const options : {"-G 1", "--gpus-per-socket=1 --sockets-per-node=1",
                                      "-n 1 --gpus-per-task=1", "--gres=gpu:1 --cpus-per-gpu=2",
                                      "-G 1 --ntasks-per-gpu=1", "--gres=gpu:1 --mem-per-gpu=10"}) {
        INFO(options);
        const Decision decision = submit(linear, options);
        CHECK(text_of(decision) == "refused");
        CHECK(decision.message.find("select/linear") != std::string::npos);
    }
    CHECK(submit(linear, "--gres=gpu:1").warnings.size() == 1);
    Controller memory = by("CR_Memory");
    CHECK(submit(memory, "-n 1").warnings.size() == 1);
}

TEST_CASE("Slurm select: of many names that are not there one is reported", "[dialect][slurm]") {
    Controller controller = gpu_nodes("PartitionName=p Nodes=ALL Default=YES\n");
    const auto message_of = [&](std::string_view options) {
        return submit(controller, options).message;
    };
    CHECK(message_of("-N 1-1000000 -n 1000000 -w x[0-999999]") == "unknown node x0");
    CHECK(message_of("-x n[0-9999]") == "unknown node n2");
    CHECK(message_of("-x n[0-9999],n[0-9999]") == "unknown node n2");
    CHECK(message_of("-x z,n[0-9999]") == "unknown node n2");
    CHECK(message_of("-x n[0-19998:2]") == "unknown node n2");
    std::string twice = "-x n0";
    for (int i = 0; i < 2000; ++i) twice += ",n0";
    CHECK(text_of(submit(controller, twice)) == "n1:0 100M");
}

}  // namespace trestle
