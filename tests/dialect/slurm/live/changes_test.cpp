// SPDX-License-Identifier: Apache-2.0
#include "dialect/slurm/live/ask/changes.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "dialect/slurm/live/ask/asker.hpp"
#include "trestle/dialect/slurm/live/start.hpp"
#include "trestle/dialect/slurm/live/why.hpp"

namespace trestle::slurm {
namespace {

constexpr const char* conf_of_gpus =
    "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
    "DefMemPerCPU=100\n"
    "NodeName=g[1-2] CPUs=8 RealMemory=8000 Gres=gpu:a100:4 Feature=ib\n"
    "NodeName=h1 CPUs=8 RealMemory=8000 Gres=gpu:h100:2\n"
    "NodeName=c[1-4] CPUs=16 RealMemory=4000\n"
    "PartitionName=cpu Nodes=c[1-4] Default=YES MaxTime=60\n"
    "PartitionName=gpu Nodes=g[1-2],h1 MaxTime=600\n";

constexpr const char* files_of_gpus =
    "NodeName=g[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-3]\n"
    "NodeName=h1 Name=gpu Type=h100 File=/dev/nvidia[0-1]\n";

Controller controller_of_test() {
    auto controller = Controller::create({.slurm_conf = conf_of_gpus, .gres_conf = files_of_gpus});
    REQUIRE(controller.ok());
    return *std::move(controller);
}

TypedJob typed(const std::vector<std::string>& words) {
    auto job = parse_submission({words, {}, ""});
    REQUIRE(job.ok());
    return {words, *std::move(job)};
}

TEST_CASE("why: the nearest change of each option, in the form that was typed",
          "[dialect][slurm][live]") {
    struct Row {
        const char* why;
        std::vector<std::string> words;
        std::vector<std::string> changes;
    };
    const Row rows[] = {
        {"fewer GPUs", {"-p", "gpu", "--gres=gpu:6"}, {"--gres=gpu:4 instead of --gres=gpu:6"}},
        {"a type that no node has, with its letter",
         {"-pgpu", "-G", "v100:2"},
         {"-G 2 instead of -G v100:2", "-G a100:2 instead of -G v100:2",
          "-G h100:2 instead of -G v100:2"}},
        {"fewer nodes", {"-p", "gpu", "-N4"}, {"-p cpu instead of -p gpu", "-N 3 instead of -N 4"}},
        {"the default partition", {"--gres=gpu:1", "-n", "1"}, {"with --partition=gpu"}},
        {"more time than the partition lets run",
         {"-t", "2:00:00"},
         {"with --partition=gpu", "-t 01:00:00 instead of -t 02:00:00"}},
        {"a feature", {"-N1", "-C", "ib"}, {"without -C ib", "with --partition=gpu"}},
        {"memory", {"--mem=5000"}, {"with --partition=gpu", "--mem=4000 instead of --mem=5000"}},
        {"two options, where no single one is enough",
         {"-p", "gpu", "--gres=gpu:a100:6", "-C", "ib&fast"},
         {"--gres=gpu:a100:4 instead of --gres=gpu:a100:6 -C ib&fast"}},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Asker asker(LiveCluster{controller_of_test()});
        const TypedJob job = typed(row.words);
        REQUIRE_FALSE(is_started(asker.ask(job.submission)));
        std::vector<std::string> texts;
        for (const JobChange& change : nearest_changes(asker, job)) {
            CHECK(is_started(asker.ask(change.job)));
            texts.push_back(change.text);
        }
        CHECK(texts == row.changes);
        CHECK(asker.controller().cluster().allocation_count() == 0);
    }
}

TEST_CASE("start: it waits for the jobs in the way, until the last of them ends",
          "[dialect][slurm][live]") {
    LiveCluster live{controller_of_test(), {}, {}, {}, {}};
    for (const auto& [options, minutes] :
         {std::pair("-p gpu -w g1 --gres=gpu:4", 30), std::pair("-p gpu -w g2 --gres=gpu:4", 20),
          std::pair("-p cpu -w c1 -n 16", 10)}) {
        const auto decision = live.controller.submit(options);
        REQUIRE(decision.ok());
        REQUIRE(decision->owner);
        live.running.push_back(
            {*decision->owner, "job " + std::to_string(minutes), Seconds(60 * minutes)});
    }
    const auto names = [](const std::vector<RunningJob>& jobs) {
        std::vector<std::string> all;
        for (const RunningJob& job : jobs) all.push_back(job.name);
        return all;
    };
    const StartAnswer one = where(live, typed({"-p", "gpu", "--gres=gpu:3"}).submission);
    CHECK(one.starts_in == Seconds(1200));
    CHECK(names(one.waits_for) == std::vector<std::string>{"job 20"});
    const StartAnswer two =
        where(live, typed({"-p", "gpu", "-N2", "--gres=gpu:a100:4"}).submission);
    CHECK(two.starts_in == Seconds(1800));
    CHECK(names(two.waits_for) == std::vector<std::string>{"job 20", "job 30"});
    const StartAnswer now = where(live, typed({"-p", "gpu", "--gres=gpu:h100:2"}).submission);
    CHECK(now.starts_in == Seconds(0));
    const StartAnswer never = where(live, typed({"-p", "gpu", "--gres=gpu:5"}).submission);
    CHECK_FALSE(never.starts_in);
    CHECK_FALSE(never.may_ever_start);
    live.running[0].ends_in.reset();
    live.running[1].ends_in.reset();
    const StartAnswer endless = where(live, typed({"-p", "gpu", "--gres=gpu:3"}).submission);
    CHECK_FALSE(endless.starts_in);
    CHECK(endless.may_ever_start);
}

}  // namespace
}  // namespace trestle::slurm
