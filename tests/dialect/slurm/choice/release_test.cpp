// SPDX-License-Identifier: Apache-2.0
// What releases of Slurm answer: all recorded decisions of each, with floors that may only rise,
// and one row a rule for what changed between them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"
#include "support/slurm_oracle.hpp"
#include "support/slurm_replay.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"

namespace trestle {
namespace {

using slurm::Release;

/// Cases by how well the answers agree: the verdict, the counts on whichever nodes, everything.
struct Agreement {
    std::size_t cases = 0;
    std::size_t verdict = 0;
    std::size_t counts = 0;
    std::size_t exact = 0;
    std::size_t silent = 0;  ///< answers without a warning
    std::size_t silent_exact = 0;
};

/// Of each node what it gives, without its name and places if `is_exact` is false.
std::vector<std::string> grant_texts(const std::vector<slurm::NodeGrant>& grants, bool is_exact) {
    std::vector<std::string> texts;
    for (const slurm::NodeGrant& grant : grants) {
        std::string text = is_exact ? fmt::format("{} {}", grant.node, to_text(grant.cpu_ids))
                                    : fmt::format("{}", grant.cpu_ids.count());
        text += fmt::format(" {}", grant.memory.value());
        std::vector<std::string> devices;
        for (const slurm::GresDetail& one : grant.gres) {
            if (one.gres.count.is_zero()) continue;
            devices.push_back(to_text(one.gres) + (is_exact ? to_text(one.indexes) : ""));
        }
        std::sort(devices.begin(), devices.end());
        for (const std::string& device : devices) text += " " + device;
        texts.push_back(std::move(text));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
}

void compare_with(const slurm_oracle::Result& want, const slurm::Decision& got, Agreement& sum) {
    ++sum.cases;
    const bool is_same = want.status == trestle::to_text(got.answer);
    bool has_counts = is_same;
    bool is_exact = is_same;
    if (is_same && want.status == "pending") {
        is_exact = want.reason == trestle::to_text(got.reason);
    } else if (is_same && want.status == "allocated") {
        has_counts = grant_texts(want.nodes, false) == grant_texts(got.grants, false);
        is_exact = grant_texts(want.nodes, true) == grant_texts(got.grants, true);
    }
    sum.verdict += is_same ? 1 : 0;
    sum.counts += has_counts ? 1 : 0;
    sum.exact += is_exact ? 1 : 0;
    if (!got.warnings.empty()) return;
    ++sum.silent;
    sum.silent_exact += is_exact ? 1 : 0;
}

}  // namespace

TEST_CASE("Slurm release: recorded decisions of each release",
          "[dialect][slurm][golden][unsanitized]") {
    struct Row {
        Release release;
        const char* folder;
        std::size_t cases;
        std::size_t verdict, counts, exact;  ///< at least so many agree
        double silent_percent;               ///< of the answers without a warning, exact ones
    };
    // Floors: raise them when more agrees.
    const std::vector<Row> rows{
        {Release::v22_05, "slurm-oracle", 1047, 1047, 1047, 1047, 100.0},
        {Release::v24_11, "slurm-oracle-24.11", 2034, 2033, 2033, 2032, 99.89},
        {Release::v26_05, "slurm-oracle-26.05", 2445, 2444, 2444, 2443, 99.95},
        // Limits of memory in all their combinations, GPUs without Cores=, and requests of many
        // kinds on clusters that fill and empty.
        {Release::v22_05, "slurm-asked-22.05", 1084, 1082, 1081, 1081, 99.7},
        {Release::v24_11, "slurm-asked-24.11", 1653, 1646, 1645, 1644, 99.4},
        {Release::v26_05, "slurm-asked-26.05", 1599, 1599, 1598, 1593, 99.6},
        // Variations of kinds that were wrong.
        {Release::v22_05, "slurm-varied-22.05", 1780, 1779, 1776, 1772, 99.5},
        {Release::v24_11, "slurm-varied-24.11", 1397, 1392, 1384, 1375, 98.5},
        {Release::v26_05, "slurm-varied-26.05", 1867, 1857, 1849, 1847, 99.0},
        // Grids of requests on small clusters, idle and in use: cores that GPUs keep, bound tasks
        // with several GPUs, GPUs near several of four sockets, counts without an index, devices of
        // a node and of a task in one request, least loaded nodes, --ntasks-per-socket, devices of
        // several nodes near few cores, --contiguous with a range of nodes.
        {Release::v22_05, "slurm-grids-22.05", 863, 863, 862, 856, 99.2},
        {Release::v24_11, "slurm-grids-24.11", 2337, 2322, 2319, 2311, 99.1},
        {Release::v26_05, "slurm-grids-26.05", 2522, 2507, 2504, 2492, 99.0},
    };
    for (const Row& row : rows) {
        INFO(row.folder);
        const auto recordings = slurm_oracle::load_all(row.folder);
        REQUIRE(message(recordings.status()) == "");
        Agreement sum;
        for (const slurm_oracle::Recording& one : *recordings) {
            slurm_oracle::replay(one, row.release, [&](const auto& step, const auto& got) {
                REQUIRE(got.ok());
                const bool is_crash = step.result.status == "crash";
                if (!step.result.is_suspect && !is_crash) compare_with(step.result, *got, sum);
            });
        }
        CHECK(sum.cases == row.cases);
        CHECK(sum.verdict >= row.verdict);
        CHECK(sum.counts >= row.counts);
        CHECK(sum.exact >= row.exact);
        CHECK(100.0 * double(sum.silent_exact) >= row.silent_percent * double(sum.silent));
    }
}

TEST_CASE("Slurm release: what changed, rule by rule", "[dialect][slurm]") {
    // Four nodes of 2 sockets, 8 cores, 2 threads; two GPUs a socket, as recorded of a100x4.
    constexpr std::string_view conf =
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
        "DefMemPerCPU=1000\nNodeName=n[0-3] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 "
        "RealMemory=64000 Gres=gpu:a100:4\nPartitionName=p Nodes=ALL Default=YES\n"
        "PartitionName=two Nodes=n[0-1] MaxMemPerNode=8000\n";
    constexpr std::string_view gres =
        "Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-7\n"
        "Name=gpu Type=a100 File=/dev/nvidia[2-3] Cores=8-15\n";
    struct Row {
        const char* options;
        const char* of_22_05;
        const char* of_24_11;
        const char* of_26_05;
        const char* why;
    };
    const std::vector<Row> rows{
        {"-c 17", "n0:0-9,16-23 18000M", "n0:0-17 18000M", "n0:0-17 18000M",
         "a node offers its first cores"},
        {"-n 10 --ntasks-per-node=4", "n0:0-1,16-17 4000M; n1:0-1,16-17 4000M; n2:0-1,16-17 4000M",
         "n0:0-3 4000M; n1:0-3 4000M; n2:0-1 2000M", "n0:0-3 4000M; n1:0-3 4000M; n2:0-3 4000M",
         "tasks of the job, or so many a node"},
        {"-n 9 --ntasks-per-node=4 --cpus-per-gpu=2 -G 3",
         "n0:0-1,16-17 4000M gpu:a100:1(0); n1:0-1,16-17 4000M gpu:a100:1(0); n2:0-1,16-17 4000M "
         "gpu:a100:1(0)",
         "n0:0-3 4000M gpu:a100:1(0); n1:0-3 4000M gpu:a100:1(0); n2:0-3 4000M gpu:a100:1(0)",
         "n0:0-3 4000M gpu:a100:1(0); n1:0-3 4000M gpu:a100:1(0); n2:0-3 4000M gpu:a100:1(0)",
         "where GPUs bring CPUs, so many a node"},
        {"-n 1 -G 5 -m block:block", "refused", "n0:16-17 2000M gpu:a100:4(0-3); n1:16-17 0M",
         "pending Resources", "a node without a task"},
        {"-N 5", "pending PartitionConfig", "refused", "pending PartitionConfig",
         "more than there is"},
        {"-p two --mem=8001", "pending PartitionConfig", "pending MaxMemPerLimit",
         "pending MaxMemPerLimit", "MaxMemPerNode"},
        {"-G 5", "n0:0-1 2000M gpu:a100:3(0-2); n1:0-1 2000M gpu:a100:2(0-1)",
         "n0:0-1 2000M gpu:a100:4(0-3); n1:0-1 2000M gpu:a100:1(0)",
         "n0:0-1 2000M gpu:a100:4(0-3); n1:0-1 2000M gpu:a100:1(0)",
         "the first node gives all that it can"},
        {"--gres=gpu:2 -c 20", "n0:0-19 20000M gpu:a100:2(0,2)", "n0:0-19 20000M gpu:a100:2(0-1)",
         "n0:0-19 20000M gpu:a100:2(0-1)", "in proportion to the cores of a socket"},
        {"-N 1 --mincpus=6 --ntasks-per-node=2 --gres=gpu:1", "n0:0-1 2000M gpu:a100:1(0)",
         "n0:0-1 2000M gpu:a100:1(0)", "n0:0-1 2000M gpu:a100:1(0)", "--mincpus chooses nodes"},
        {"--gres=gpu:1 --gres-flags=enforce-binding", "n0:0-1 2000M gpu:a100:1(0)",
         "n0:0-15 16000M gpu:a100:1(0)", "n0:0-15 16000M gpu:a100:1(0)", "all bound CPUs"},
        {"--gres=gpu:3 --gres-flags=enforce-binding", "n0:0-1 2000M gpu:a100:3(0-2)",
         "n0:0-31 32000M gpu:a100:3(0-2)", "n0:0-31 32000M gpu:a100:3(0-2)",
         "22.05 binds nodes, not devices"},
        {"--gres=gpu:3 --gres-flags=enforce-binding -n 1", "n0:0-1,16-17 4000M gpu:a100:3(0-2)",
         "n0:0-1,16-17 4000M gpu:a100:3(0-2)", "n0:0-1,16-17 4000M gpu:a100:3(0-2)",
         "a task that is alone on its node has a core near each device"},
        {"-N 1 -n 2 -G 3 --gres-flags=enforce-binding", "n0:0-1,16-17 4000M gpu:a100:3(0-2)",
         "n0:0-1,16-17 4000M gpu:a100:3(0-2)", "n0:0-1,16-17 4000M gpu:a100:3(0-2)",
         "two CPUs: sockets from the first on"},
        {"-N 2-4 -G 9",
         "n0:0-1 2000M gpu:a100:4(0-3); n1:0-1 2000M gpu:a100:3(0-2); n2:0-1 2000M "
         "gpu:a100:2(0-1)",
         "n0:0-1 2000M gpu:a100:4(0-3); n1:0-1 2000M gpu:a100:4(0-3); n2:0-1 2000M gpu:a100:1(0)",
         "n0:0-1 2000M gpu:a100:4(0-3); n1:0-1 2000M gpu:a100:4(0-3); n2:0-1 2000M gpu:a100:1(0)",
         "devices of the job on as few nodes as have them"},
        {"-N 2-4 -G 4", "n0:0-1 2000M gpu:a100:2(0-1); n1:0-1 2000M gpu:a100:2(0-1)",
         "n0:0-1 2000M gpu:a100:3(0-2); n1:0-1 2000M gpu:a100:1(0)",
         "n0:0-1 2000M gpu:a100:3(0-2); n1:0-1 2000M gpu:a100:1(0)",
         "one device is left for each other node"},
        {"--gres=gpu:1 --gpus-per-node=3", "n0:0-1 2000M gpu:a100:1(0)",
         "n0:0-1 2000M gpu:a100:1(0)", "refused", "--gres goes before --gpus-per-node"},
        {"--ntasks-per-node=1 --gpus-per-task=1", "n0:0-1 2000M gpu:a100:1(0)", "refused",
         "refused", "devices of tasks, of which the number is open"},
        {"-N 2 --gpus-per-task=1", "n0:0-1 2000M gpu:a100:1(0); n1:0-1 2000M gpu:a100:1(0)",
         "n0:0-1 2000M gpu:a100:1(0); n1:0-1 2000M gpu:a100:1(0)",
         "n0:0-1 2000M gpu:a100:1(0); n1:0-1 2000M gpu:a100:1(0)", "one task a node"},
        {"--gres=gpu:1 --gpus-per-node=a100:3", "refused", "refused", "refused",
         "with and without a type"},
        {"--gpus-per-task=1 -n 4 -c 17",
         "n0:0-7,16-25 18000M gpu:a100:1(0); n1:0-7,16-25 18000M gpu:a100:1(0); "
         "n2:0-7,16-25 18000M gpu:a100:1(0); n3:0-7,16-25 18000M gpu:a100:1(0)",
         "n0:0-7,16-25 18000M gpu:a100:1(0); n1:0-7,16-25 18000M gpu:a100:1(0); "
         "n2:0-7,16-25 18000M gpu:a100:1(0); n3:0-7,16-25 18000M gpu:a100:1(0)",
         "n0:0-17 18000M gpu:a100:1(0); n1:0-17 18000M gpu:a100:1(0); "
         "n2:0-17 18000M gpu:a100:1(0); n3:0-17 18000M gpu:a100:1(0)",
         "sockets for the GPUs that the node's tasks have"},
        {"--gpus-per-socket=2 --sockets-per-node=2 -n 2", "n0:0-1 2000M gpu:a100:4(0-3)",
         "n0:0-1 2000M gpu:a100:4(0-3)", "n0:16-17 2000M gpu:a100:4(0-3)",
         "cores for the tasks of the job"},
        {"--cpus-per-gpu=2", "n0:0-1 2000M", "refused", "refused", "of no GPU"},
        {"--ntasks-per-gpu=2 -G 3 -n 4", "n0:0-1,16-19 6000M gpu:a100:3(0-2)",
         "n0:0-1,16-19 6000M gpu:a100:3(0,2-3)", "n0:0-1,16-19 6000M gpu:a100:3(0,2-3)",
         "GPUs say how many tasks there are"},
        {"--gres-flags=allow-task-sharing --gres=gpu:1", "refused", "refused", "refused",
         "of steps"},
        {"-m plane=4 -N 2 -n 4", "refused", "refused", "refused", "a node without a task"},
        {"-n 4 --gpus-per-socket=1 --sockets-per-node=1", "n0:0-1,16-17 4000M gpu:a100:2(0,2)",
         "n0:0-1,16-17 4000M gpu:a100:2(0,2)", "n0:0-1,16-17 4000M gpu:a100:2(0,2)",
         "GPUs of each socket that the job uses"},
        {"-n 8 -G 3 --gpus-per-socket=2 --sockets-per-node=1", "n0:0-3,16-19 8000M gpu:a100:4(0-3)",
         "n0:0-3,16-19 8000M gpu:a100:4(0-3)", "n0:0-3,16-19 8000M gpu:a100:4(0-3)",
         "-G beside it only says how many nodes"},
        {"-N 2 -n 2 --gres-flags=enforce-binding -G 3",
         "n0:16-17 2000M gpu:a100:2(2-3); n1:16-17 2000M gpu:a100:1(2)",
         "n0:16-17 2000M gpu:a100:2(2-3); n1:16-17 2000M gpu:a100:1(2)",
         "n0:0-1 2000M gpu:a100:2(0-1); n1:0-1 2000M gpu:a100:1(0)",
         "one CPU of a node: devices of one socket"},
        {"-N 2 -n 3 --gres-flags=enforce-binding -G 6", "refused", "refused",
         "n0:0-1,16-17 4000M gpu:a100:4(0-3); n1:0-1,16-17 4000M gpu:a100:2(0,2)",
         "one CPU of a node, rounded down"},
        {"-N 2 -n 2 --gres=gpu:3 --gres-flags=enforce-binding",
         "n0:0-1 2000M gpu:a100:3(0-2); n1:0-1,16-17 4000M gpu:a100:3(0-2)",
         "n0:0-1,16-17 4000M gpu:a100:3(0-2); n1:0-1,16-17 4000M gpu:a100:3(0-2)",
         "n0:0-1,16-17 4000M gpu:a100:3(0-2); n1:0-1,16-17 4000M gpu:a100:3(0-2)",
         "nodes to come need the CPUs"},
        {"-n 5 --cpus-per-gpu=1 -G 2", "refused",
         "n0:0-1 2000M gpu:a100:1(0); n1:0-1 2000M gpu:a100:1(0); n2:0-1 2000M gpu:a100:1(0)",
         "n0:0-1 2000M gpu:a100:1(0); n1:0-1 2000M gpu:a100:1(0); n2:0-1 2000M gpu:a100:1(0)",
         "a node that has the CPUs is taken alone, for those of its GPUs"},
        {"-n 17 --cpus-per-gpu=2 -G 5",
         "n0:0-3,16-19 8000M gpu:a100:3(0-2); n1:0-3,16-19 8000M gpu:a100:1(0); n2:0-1 2000M "
         "gpu:a100:1(0)",
         "n0:0-3,16-19 8000M gpu:a100:3(0-2); n1:0-3,16-19 8000M gpu:a100:1(0); n2:0-3,16-19 8000M "
         "gpu:a100:1(0)",
         "n0:0-3,16-19 8000M gpu:a100:3(0-2); n1:0-3,16-19 8000M gpu:a100:1(0); n2:0-3,16-19 8000M "
         "gpu:a100:1(0)",
         "a node gives the CPUs of one GPU at least"},
        {"-n 70 -G 2",
         "n0:0-31 32000M; n1:0-31 32000M gpu:a100:1(0); n2:0-3,16-17 6000M gpu:a100:1(0)",
         "n0:0-31 32000M gpu:a100:1(0); n1:0-31 32000M gpu:a100:1(0); n2:0-3,16-17 6000M "
         "gpu:a100:1(0)",
         "n0:0-31 32000M gpu:a100:1(0); n1:0-31 32000M gpu:a100:1(0); n2:0-3,16-17 6000M "
         "gpu:a100:1(0)",
         "more nodes than GPUs"},
        {"-n 10 --ntasks-per-node=4 -N 1-2", "refused", "refused", "refused",
         "more tasks than the nodes have"},
        {"-n 10 --ntasks-per-core=1 -G 1",
         "n0:0-15 16000M gpu:a100:1(2); n1:0-3 4000M gpu:a100:1(2)",
         "n0:0-15 16000M gpu:a100:1(0); n1:0-3 4000M gpu:a100:1(0)",
         "n0:0-15 16000M gpu:a100:1(0); n1:0-3 4000M gpu:a100:1(0)",
         "devices bring hardware threads"},
    };
    for (const Row& row : rows) {
        const std::pair<Release, const char*> all[] = {{Release::v22_05, row.of_22_05},
                                                       {Release::v24_11, row.of_24_11},
                                                       {Release::v26_05, row.of_26_05}};
        for (const auto& [release, expected] : all) {
            slurm::Controller controller = slurm_answers::controller_of(conf, gres, "", release);
            const auto decision = controller.submit(row.options);
            INFO(row.options << " in " << trestle::to_text(release) << ": " << row.why);
            REQUIRE(decision.ok());
            CHECK(slurm_answers::text_of(*decision) == expected);
        }
    }
}

TEST_CASE("Slurm release: a job of one node goes to the first or to the best", "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_Core\nNodeName=n[0-1] CPUs=4\n"
        "PartitionName=p Nodes=ALL Default=YES\n";
    for (const Release release : {Release::v22_05, Release::v24_11, Release::v26_05}) {
        slurm::Controller controller = slurm_answers::controller_of(conf, "", "", release);
        REQUIRE(controller.submit("-w n1 -n 2")->answer == slurm::Answer::allocated);
        const auto decision = controller.submit("-n 1");
        REQUIRE(decision.ok());
        CHECK(decision->grants.front().node == (release == Release::v26_05 ? "n0" : "n1"));
    }
}

TEST_CASE("Slurm release: 26.05 counts devices of nodes that a job of one node passes over",
          "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_Core\nGresTypes=gpu\nNodeName=n[0-2] Sockets=2 CoresPerSocket=4 "
        "Gres=gpu:4\nPartitionName=p Nodes=ALL Default=YES\n";
    slurm::Controller controller = slurm_answers::controller_of(
        conf,
        "Name=gpu File=/dev/nvidia[0-1] Cores=0-3\nName=gpu File=/dev/nvidia[2-3] Cores=4-7\n", "",
        Release::v26_05);
    REQUIRE(controller.submit("-w n0 --gres=gpu:3")->answer == slurm::Answer::allocated);
    REQUIRE(controller.submit("-w n1 --gres=gpu:2")->answer == slurm::Answer::allocated);
    const auto pending = controller.submit("-N 1 -n 1 -G 3");  // n1 has 2, n0 and n1 have 3
    REQUIRE(pending.ok());
    CHECK(slurm_answers::text_of(*pending) == "pending Resources");
    const auto allocated = controller.submit("-N 1 -n 1 -G 4");
    REQUIRE(allocated.ok());
    CHECK(allocated->grants.front().node == "n2");
}

TEST_CASE("Slurm release: 26.05 gives fewer devices only where gres.conf says nothing of them",
          "[dialect][slurm]") {
    struct Row {
        const char *type_g, *cores_g, *type_h;
        const char* expected;  ///< of a slurmctld 26.05.5
    };
    constexpr const char* waits = "pending Resources";
    const Row rows[] = {
        {"", " Cores=0-7", "", "h1:0 0M gpu:2(0-1)"},
        {"", "", "", "h1:0 0M gpu:2(0-1)"},
        {"a100", "", "a100", waits},
        {"a100", " Cores=0-7", "a100", waits},
        {"a100", "", "h100", waits},
        {"a100", " Cores=0-7", "h100", waits},
    };
    for (const Row& row : rows) {
        const auto gres = [](const std::string& type, int count) {
            return "gpu:" + (type.empty() ? "" : type + ":") + std::to_string(count);
        };
        const auto line = [](const std::string& nodes, const std::string& type,
                             const std::string& rest) {
            return "NodeName=" + nodes + " Name=gpu" + (type.empty() ? "" : " Type=" + type) + rest;
        };
        const std::string conf =
            "SelectTypeParameters=CR_Core\nGresTypes=gpu\nNodeName=g[1-2] Sockets=2 "
            "CoresPerSocket=4 Gres=" +
            gres(row.type_g, 4) +
            "\nNodeName=h1 Sockets=2 CoresPerSocket=4 Gres=" + gres(row.type_h, 2) +
            "\nPartitionName=p Nodes=ALL Default=YES\n";
        slurm::Controller controller = slurm_answers::controller_of(
            conf,
            line("g[1-2]", row.type_g, std::string(" File=/dev/nvidia[0-3]") + row.cores_g) + "\n" +
                line("h1", row.type_h, " File=/dev/nvidia[0-1]\n"),
            "", Release::v26_05);
        REQUIRE(controller.submit("-w g1 --gres=gpu:3")->answer == slurm::Answer::allocated);
        REQUIRE(controller.submit("-w g2 --gres=gpu:1")->answer == slurm::Answer::allocated);
        for (const char* const options : {"-N1 -G 5", "-N1 -G 6", "-N1 -G 4 -x g1"}) {
            slurm::Controller asked = controller;
            const auto decision = asked.submit(options);
            INFO(conf << row.cores_g << ": " << options);
            REQUIRE(decision.ok());
            CHECK(slurm_answers::text_of(*decision) == row.expected);
        }
    }
}

}  // namespace trestle
