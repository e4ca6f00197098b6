// SPDX-License-Identifier: Apache-2.0
// GPUs of which no recording shows the like: without files, some with and some without, with cores
// that they keep to themselves, and what is charged beside them.
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/show_job.hpp"

namespace trestle {
namespace {

using slurm::Controller;
using slurm_answers::check_rows;
using slurm_answers::controller_of;
using slurm_answers::submit;
using slurm_answers::text_of;

/// Nodes of two sockets of four cores with four GPUs.
std::string four_gpus(std::string_view node_keys = "", std::string_view lines = "",
                      std::string_view unit = "CR_Core_Memory") {
    return fmt::format(
        "SelectType=select/cons_tres\nSelectTypeParameters={}\nGresTypes=gpu,shard\n"
        "NodeName=n[0-2] Sockets=2 CoresPerSocket=4 RealMemory=16000 Gres=gpu:4{}\n"
        "PartitionName=p Nodes=ALL Default=YES{}\n",
        unit, node_keys, lines);
}
constexpr std::string_view by_socket =
    "NodeName=n[0-2] Name=gpu File=/dev/nvidia[0-1] Cores=0-3\n"
    "NodeName=n[0-2] Name=gpu File=/dev/nvidia[2-3] Cores=4-7\n";

/// GPUs without a file are found on the node, so that none are missing.
constexpr std::string_view detecting = "AutoDetect=nvml\n";

}  // namespace

TEST_CASE("Slurm select: memory by GPU where GPUs have no files", "[dialect][slurm]") {
    const Controller counted = controller_of(four_gpus(), detecting);
    check_rows(counted,
               {{"--gres=gpu:2 --mem-per-gpu=1000", "n0:0 2000M gpu:2", "of each that is counted"},
                {"-G 3 --mem-per-gpu=1000", "n0:0 3000M gpu:3", "also for a count of the job"},
                {"--gres=gpu:4 --mem-per-gpu=4000", "n0:0 16000M gpu:4", "all of the node"},
                {"--gres=gpu:4 --mem-per-gpu=4001", "refused", "and no more"},
                {"--exclusive --gres=gpu:1 --mem-per-gpu=1000", "n0:0-7 4000M gpu:4",
                 "whole nodes have all GPUs"},
                {"-N 2 -G 3 --mem-per-gpu=1000", "n0:0 2000M gpu:2; n1:0 1000M gpu:1",
                 "one is kept for each later node"}});
    const Controller by_default = controller_of(four_gpus("", " DefMemPerGPU=500"), detecting);
    check_rows(by_default, {{"--gres=gpu:2", "n0:0 1000M gpu:2", "the partition's"},
                            {"--gres=gpu:2 --mem=10", "n0:0 10M gpu:2", "unless the job says"}});
}

TEST_CASE("Slurm select: a job with cores of the system has all devices of the node",
          "[dialect][slurm]") {
    const std::string conf = four_gpus("", " DefMemPerCPU=100");
    const Controller controller = controller_of("AllowSpecResourcesUsage=yes\n" + conf, by_socket);
    check_rows(controller,
               {{"-S 0", "n0:0-7 800M gpu:4(0-3)", "none of them are the system's"},
                {"--thread-spec=2", "n0:0-7 600M gpu:4(0-3)", "threads of the system too"}});
    Controller without = controller_of(conf, by_socket);
    for (const std::string name : {"core-spec", "thread-spec"}) {
        const Decision plain = submit(without, "--" + name + "=2");
        CHECK(text_of(plain) == "n0:0 100M");
        CHECK(plain.warnings ==
              std::vector<std::string>{"--" + name + ": ignored without AllowSpecResourcesUsage"});
        REQUIRE(without.release(*plain.owner).ok());
    }
}

TEST_CASE("Slurm select: nodes with and without files of devices serve one job",
          "[dialect][slurm]") {
    // Of n0 and n2 the GPUs have files, of n1 they are a bare number.
    constexpr std::string_view some =
        "AutoDetect=nvml\nNodeName=n0,n2 Name=gpu File=/dev/nvidia[0-3]\n";
    const std::string conf = four_gpus("", " DefMemPerCPU=100");
    check_rows(
        controller_of(conf, some),
        {{"-N 2 --gres=gpu:2", "n0:0 100M gpu:2(0-1); n1:0 100M gpu:2", "first with files"},
         {"-N 2 --gres=gpu:2 -x n0", "n1:0 100M gpu:2; n2:0 100M gpu:2(0-1)", "first without"},
         {"-N 3 -G 8", "n0:0 100M gpu:4(0-3); n1:0 100M gpu:3; n2:0 100M gpu:1(0)",
          "a count of the job is shared out in the order of nodes"},
         {"-N 3 -n 3 --gpus-per-task=1", "n0:4 100M gpu:1(0); n1:4 100M gpu:1; n2:4 100M gpu:1(0)",
          "by task"},
         {"-N 2 --gpus-per-socket=2 --sockets-per-node=1", "n0:4 100M gpu:2(0-1); n1:4 100M gpu:2",
          "by socket"},
         {"-N 3 --exclusive --mem=10",
          "n0:0-7 10M gpu:4(0-3); n1:0-7 10M gpu:4; n2:0-7 10M gpu:4(0-3)", "whole nodes"},
         {"-N 3 --gres=gpu:5", "refused", "more than any has"}});
    Controller busy = controller_of(conf, some);
    submit(busy, "-w n1 --gres=gpu:3");
    check_rows(busy, {{"-N 3 --gres=gpu:2", "pending Resources", "of n1 one is left"},
                      {"-N 3 --gres=gpu:1",
                       "n0:0 100M gpu:1(0); n1:1 100M gpu:1; n2:0 100M gpu:1(0)", "which serves"}});
}

TEST_CASE("Slurm select: GPUs with and without files on one node", "[dialect][slurm]") {
    const std::string conf = four_gpus("", " DefMemPerCPU=100");
    const Controller two = controller_of(conf, "AutoDetect=nvml\nName=gpu File=/dev/nvidia[0-1]\n");
    check_rows(
        two,
        {{"--gres=gpu:1", "n0:0 100M gpu:1(0)", "one with a file first"},
         {"--gres=gpu:3", "n0:0 100M gpu:2(0-1) gpu:1", "then of those without"},
         {"--gres=gpu:5", "refused", "there are four"},
         {"-G 4", "n0:0 100M gpu:2(0-1) gpu:2", "for a count of the job"},
         {"-n 3 -N 1 --gpus-per-task=1", "n0:0,4-5 300M gpu:2(0-1) gpu:1", "by task"},
         {"--gpus-per-socket=3 --sockets-per-node=1", "n0:0 100M gpu:2(0-1) gpu:1", "by socket"},
         {"--gres=gpu:3 --gres-flags=enforce-binding", "n0:0 100M gpu:2(0-1) gpu:1",
          "what is near to all cores binds no socket, as recorded of GPUs without Cores="},
         {"--gres=gpu:3 --mem-per-gpu=10", "n0:0 30M gpu:2(0-1) gpu:1", "each is charged"},
         {"--exclusive --gres=gpu:1 --mem=10", "n0:0-7 10M gpu:2(0-1) gpu:2", "all"}});
    Controller busy = controller_of(conf, "AutoDetect=nvml\nName=gpu File=/dev/nvidia[0-1]\n");
    submit(busy, "-w n0 --gres=gpu:3");
    check_rows(busy, {{"-w n0 --gres=gpu:1", "n0:1 100M gpu:1", "one without a file is left"},
                      {"-w n0 --gres=gpu:2", "pending Resources", "and no more"}});
    const Controller typed = controller_of(
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
        "NodeName=n0 CPUs=8 RealMemory=16000 Gres=gpu:a100:2,gpu:v100:2\n"
        "PartitionName=p Nodes=ALL Default=YES DefMemPerCPU=100\n",
        "AutoDetect=nvml\nName=gpu Type=a100 File=/dev/nvidia[0-1]\n");
    check_rows(typed, {{"--gres=gpu:v100:1", "n0:0 100M gpu:v100:1", "a type without files"},
                       {"-G v100:2", "n0:0 100M gpu:v100:2", "for the job"},
                       {"--gres=gpu:v100:3", "refused", "more than there are"},
                       {"--gres=gpu:a100:2", "n0:0 100M gpu:a100:2(0-1)", "the type with files"},
                       {"--gres=gpu:a100:3", "refused", "the others are of another type"},
                       {"--gres=gpu:a100:1,gpu:v100:1", "n0:0 100M gpu:a100:1(0) gpu:v100:1",
                        "one of each"}});
}

TEST_CASE("Slurm select: GPUs that are not consumed are charged for", "[dialect][slurm]") {
    const Controller controller = controller_of(
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
        "NodeName=n[0-1] CPUs=8 RealMemory=16000 Gres=gpu:no_consume:4\n"
        "PartitionName=p Nodes=ALL Default=YES DefMemPerCPU=100\n",
        detecting);
    check_rows(
        controller,
        {{"--gres=gpu:2 --mem-per-gpu=10", "n0:0 20M", "and not given"},
         {"-N 2 -G 8 --mem-per-gpu=10", "n0:0 40M; n1:0 40M", "of the job no more than a node has"},
         {"--exclusive --gres=gpu:1 --mem-per-gpu=10", "n0:0-7 40M", "whole nodes have all"}});
}

TEST_CASE("Slurm select: cores that GPUs keep to themselves", "[dialect][slurm]") {
    // RestrictedCoresPerGPU=1: cores 0 and 1 of the GPUs 0 and 1, 4 and 5 of 2 and 3.
    const std::string conf = four_gpus(" RestrictedCoresPerGPU=1", " DefMemPerCPU=100");
    const Controller controller = slurm_answers::controller_of_all_keys(conf, by_socket);
    check_rows(
        controller,
        {{"-n 1", "n0:2 100M", "a job without GPUs has none of them"},
         {"-n 4 -N 1", "n0:2-3,6-7 400M", "and all others"},
         {"-n 5 -N 1", "refused", "which are four"},
         {"-n 5", "n0:2-3,6-7 400M; n1:2 100M", "of each node"},
         {"--exclusive", "n0:0-7 800M gpu:4(0-3)", "but a whole node is whole"},
         {"--gres=gpu:1", "n0:1 100M gpu:1(0)", "a job with a GPU has the last core of a GPU"},
         {"--gres=gpu:1 -c 3", "n0:1-3 300M gpu:1(0)", "one for each GPU, and others"},
         {"--gres=gpu:2 -c 4", "n0:0-3 400M gpu:2(0-1)", "two for two"},
         {"--gres=gpu:1 -c 6", "refused", "with one GPU five are there"},
         {"--gres=gpu:4 -c 8", "n0:0-7 800M gpu:4(0-3)", "with all GPUs all"},
         {"-G 2 -c 4", "n0:0-3 400M gpu:2(0-1)", "counted by job"},
         {"-n 2 --gpus-per-task=1 -N 1", "n0:0-1 200M gpu:2(0-1)", "by task"},
         {"--exclusive --gres=gpu:1", "n0:0-7 800M gpu:4(0-3)", "a whole node is whole"}});
    check_rows(
        controller,
        {{"-N 2 -n 2 -G 2 -c 6", "refused", "a count of the job brings each node one core"},
         {"-N 2 -n 2 -G 2 -c 5", "n0:1-3,6-7 500M gpu:1(0); n1:1-3,6-7 500M gpu:1(0)",
          "and four that are no GPU's"},
         {"-N 2 -n 2 -G 3 -c 6", "pending Resources", "the node with one GPU has five cores"},
         {"-N 2 -n 2 -G 3 -c 4", "n0:2-5 400M gpu:2(2-3); n1:2-4,6 400M gpu:1(2)",
          "the core of the missing GPU is given back for another"},
         {"-N 1 -n 1 --gpus-per-task=1 -c 6", "refused", "by task too"},
         {"-N 1 -n 1 --gpus-per-task=1 -c 5", "n0:1-3,6-7 500M gpu:1(0)", "five are there"}});
    Controller busy = slurm_answers::controller_of_all_keys(conf, by_socket);
    submit(busy, "-w n0 -n 4");
    check_rows(busy, {{"-w n0 -n 1", "pending Resources", "no core is left without a GPU"},
                      {"-w n0 --gres=gpu:1", "n0:1 100M gpu:1(0)", "four are left with one"},
                      {"-w n0 --gres=gpu:4 -c 4", "n0:0-1,4-5 400M gpu:4(0-3)", "each"}});
    submit(busy, "-w n0 --gres=gpu:2");
    check_rows(busy, {{"-w n0 --gres=gpu:1", "n0:5 100M gpu:1(2)", "on the socket of free GPUs"},
                      {"-w n0 --gres=gpu:2 -c 2", "n0:4-5 200M gpu:2(2-3)", "both of it"}});
    Controller older =
        slurm_answers::controller_of_all_keys(conf, by_socket, slurm::Release::v24_11);
    submit(older, "-w n0 -n 4");
    submit(older, "-w n0 --gres=gpu:2");
    check_rows(older, {{"-w n0 --gres=gpu:1", "n0:4 100M gpu:1(2)",
                        "24.11 holds none back where a socket has no free GPU"}});
}

TEST_CASE("Slurm select: cores kept for GPUs where all are", "[dialect][slurm]") {
    const std::string conf =
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu,shard\n"
        "NodeName=n0 Sockets=1 CoresPerSocket=8 RealMemory=16000 Gres=gpu:4,shard:8 "
        "RestrictedCoresPerGPU=2\nPartitionName=p Nodes=ALL Default=YES DefMemPerCPU=100\n";
    constexpr std::string_view parts =
        "Name=gpu File=/dev/nvidia[0-3] Cores=0-7\nName=shard Count=8 File=/dev/nvidia[0-3]\n";
    Controller controller = slurm_answers::controller_of_all_keys(conf, parts);
    check_rows(controller, {{"-n 1", "refused", "all cores are kept for GPUs"},
                            {"--gres=gpu:2 -c 4", "n0:4-7 400M gpu:2(0-1)", "two, two cores each"},
                            {"--gres=gpu:3 -c 7", "refused", "no more than two a GPU"}});
}

TEST_CASE("Slurm select: one task for each part needs parts of several GPUs", "[dialect][slurm]") {
    const auto answer = [](std::string_view unit, std::string_view options) {
        Controller controller = controller_of(
            fmt::format("SelectType=select/cons_tres\nSelectTypeParameters={}\n"
                        "GresTypes=gpu,shard\nNodeName=n0 CPUs=8 Gres=gpu:2,shard:8\n"
                        "PartitionName=p Nodes=ALL Default=YES\n",
                        unit),
            "Name=gpu File=/dev/nvidia[0-1]\nName=shard Count=8 File=/dev/nvidia[0-1]\n", "",
            slurm::Release::v24_11);
        return submit(controller, options);
    };
    constexpr std::string_view asked =
        "-n 2 --tres-per-task=gres/shard:1 --gres-flags=one-task-per-sharing";
    const slurm::Decision decision = answer("CR_Core", asked);
    CHECK(decision.answer == slurm::Answer::refused);
    CHECK(decision.message.find("MULTIPLE_SHARING_GRES_PJ") != std::string::npos);
    const slurm::Decision several = answer("CR_Core,MULTIPLE_SHARING_GRES_PJ", asked);
    CHECK(several.answer == slurm::Answer::allocated);
    CHECK(several.warnings.size() == 1);  // 22.05 does not know the key
    CHECK(answer("CR_Core", "-n 2 --gres-flags=one-task-per-sharing")
              .message.find("--tres-per-task") != std::string::npos);
}

TEST_CASE("Slurm select: CPUs that are charged beside devices", "[dialect][slurm]") {
    // As recorded: crsocket__modes `--gres=gpu:1 -c 9`, crcpu__fuzz00 `-c 5 --gres=gpu:1
    // --gres-flags=enforce-binding`.
    const auto charged = [](std::string_view unit, std::string_view options) {
        Controller controller = controller_of(
            fmt::format("SelectType=select/cons_tres\nSelectTypeParameters={}\nGresTypes=gpu\n"
                        "NodeName=n0 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 "
                        "RealMemory=32000 Gres=gpu:4\n"
                        "PartitionName=p Nodes=ALL Default=YES DefMemPerCPU=1000\n",
                        unit),
            "Name=gpu File=/dev/nvidia[0-1] Cores=0-3\nName=gpu File=/dev/nvidia[2-3] Cores=4-7\n");
        const slurm::Decision decision = submit(controller, options);
        return fmt::format("{} of {}", slurm::cpu_count_of(decision).value(), text_of(decision));
    };
    CHECK(charged("CR_Socket_Memory", "--gres=gpu:1 -c 9") == "16 of n0:0-9 10000M gpu:1(0)");
    CHECK(charged("CR_Socket_Memory", "--gres=gpu:1 -c 3") == "8 of n0:0-7 8000M gpu:1(0)");
    CHECK(charged("CR_CPU_Memory", "-c 5 --gres=gpu:1 --gres-flags=enforce-binding") ==
          "6 of n0:0-5 6000M gpu:1(0)");
    CHECK(charged("CR_CPU_Memory", "-c 5 --gres=gpu:1") == "5 of n0:0-5 5000M gpu:1(0)");
}

namespace {

/// Two GPUs of a type each or of one, and what is cut from them; `gres` and `lines` as in files.
Controller cut_node(const char* gres, const char* lines, slurm::Release release) {
    return controller_of(fmt::format("GresTypes=gpu,shard,mps\nNodeName=n CPUs=8 RealMemory=9000 "
                                     "Gres={}\nPartitionName=p Nodes=n Default=YES\n",
                                     gres),
                         lines, "", release);
}

}  // namespace

// As slurmctld 22.05.8, 24.11.5 and 26.05.5 answered.
TEST_CASE("Slurm select: how parts of GPUs are printed", "[dialect][slurm]") {
    struct Row {
        const char* gres;
        const char* lines;
        const char* options;
        const char* old;  ///< of 22.05
        const char* now;  ///< of later releases
    };
    constexpr const char* two = "Name=gpu Type=a100 File=/dev/nvidia[0-1]\n";
    constexpr const char* types =
        "Name=gpu Type=a100 File=/dev/nvidia0\nName=gpu Type=l40s File=/dev/nvidia1\n";
    const std::string typed = std::string(two) + "Name=shard Type=a100 Count=8\n";
    const std::string plain = std::string(two) + "Name=shard Count=8\n";
    const std::string of_each = std::string(types) + "Name=shard Count=8\n";
    const std::string second = std::string(two) + "Name=mps Count=100 File=/dev/nvidia1\n";
    const std::string mps = std::string(types) +
                            "Name=mps Type=a100 Count=100 File=/dev/nvidia0\n"
                            "Name=mps Type=l40s Count=100 File=/dev/nvidia1\n";
    const Row rows[] = {
        {"gpu:a100:2,shard:a100:8", typed.c_str(), "--gres=shard:4", "shard:a100:4(IDX:0)",
         "shard:a100:4(4/4,0/4)"},
        {"gpu:a100:2,shard:a100:8", typed.c_str(), "--gres=shard:a100:2", "shard:a100:2(IDX:0)",
         "shard:a100:2(2/4,0/4)"},
        {"gpu:a100:2,shard:8", plain.c_str(), "--gres=shard:3", "shard:3(IDX:0)",
         "shard:3(3/4,0/4)"},
        {"gpu:a100:1,gpu:l40s:1,shard:8", of_each.c_str(), "--gres=shard:l40s:2", "shard:2(IDX:1)",
         "shard:2(0/4,2/4)"},
        {"gpu:a100:2,mps:100", second.c_str(), "--gres=mps:50", "mps:50(IDX:1)",
         "mps:50(0/0,50/100)"},
        {"gpu:a100:1,gpu:l40s:1,mps:a100:100,mps:l40s:100", mps.c_str(), "--gres=mps:l40s:20",
         "mps:l40s:20(IDX:1)", "mps:l40s:20(0/100,20/100)"},
    };
    for (const Row& row : rows) {
        for (const slurm::Release release :
             {slurm::Release::v22_05, slurm::Release::v24_11, slurm::Release::v26_05}) {
            Controller controller = cut_node(row.gres, row.lines, release);
            INFO(row.gres << " " << row.options << " " << to_text(release));
            const auto decision = controller.submit(row.options);
            REQUIRE(decision.ok());
            REQUIRE(decision->grants.size() == 1);
            const char* const wanted = release == slurm::Release::v22_05 ? row.old : row.now;
            CHECK(gres_list_text(decision->grants.front().gres) == wanted);
            // Another controller enters what this one prints.
            Controller other = cut_node(row.gres, row.lines, release);
            REQUIRE(other.adopt(decision->grants).ok());
            CHECK(other.cluster().free(NodeId(0)) == controller.cluster().free(NodeId(0)));
        }
    }
}

}  // namespace trestle
