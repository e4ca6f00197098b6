// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/step.hpp"

#include <string>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle {
namespace {

/// Two nodes of eight cores, 16000 MiB and two GPUs, all of which the job has.
JobState job_of_two_nodes(const std::string& options = "-N 2 --gres=gpu:2 --exclusive") {
    auto controller = slurm::Controller::create(
        {.slurm_conf = "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
                       "NodeName=n[1-2] CPUs=8 RealMemory=16000 Gres=gpu:2\n"
                       "PartitionName=p Nodes=ALL Default=YES\n",
         .gres_conf = "Name=gpu File=/dev/nvidia[0-1]\n"});
    REQUIRE(controller.ok());
    const auto decision = controller->submit(options);
    REQUIRE(decision.ok());
    REQUIRE(decision->owner);
    auto job = controller->job(*decision->owner);
    REQUIRE(job.ok());
    return *std::move(job);
}

StatusOr<slurm::StepRequest> step_of(const std::string& text, const JobState& job) {
    const auto reading = slurm::read_option_text(text, slurm::Tool::srun);
    REQUIRE(reading.errors.empty());
    return slurm::step_request_of(reading.submission.components.front().options, job);
}

/// Cores and devices by node, or `no`.
std::string taken(const std::string& text, const JobState& job) {
    const auto step = step_of(text, job);
    INFO(text << ": " << message(step.status()));
    REQUIRE(step.ok());
    const auto placed = place_step(job, step->request, step->options);
    if (!placed) return "no";
    std::string all;
    for (const NodePlacement& node : placed->nodes) {
        all +=
            fmt::format("{}{}+{}", all.empty() ? "" : " ", node.cores.count(), node.devices.size());
    }
    return all;
}

}  // namespace

TEST_CASE("Slurm steps: what srun's options take of a job", "[dialect][slurm]") {
    JobState job = job_of_two_nodes();
    struct Row {
        const char* text;
        const char* alone;   ///< cores and devices by node
        const char* beside;  ///< the same where another step has a core of the first node
        const char* why;
    };
    const Row rows[] = {
        {"", "8+2 8+2", "no", "all of the job"},
        {"--whole", "8+2 8+2", "no", "likewise"},
        {"--overlap", "8+2 8+2", "8+2 8+2", "whatever others have"},
        {"-N 1", "8+2", "8+2", "a whole node; the other one is free"},
        {"-n 1 --exact --gres=none", "1+0", "1+0", "one core"},
        {"-n 1 --exact --gres=gpu:1", "1+1", "1+1", "and a GPU"},
        {"-n 1 --exact", "1+2", "1+2", "the job's GPUs, where no option names them"},
        {"-n 1 -c 3 --gres=none", "3+0", "3+0", "-c stands for --exact"},
        {"-n 1 -c 3 --whole", "8+2", "8+2", "unless --whole is said"},
        {"-n 1 --tres-per-task=cpu:3 --gres=none", "3+0", "3+0", "and so do a task's CPUs in TRES"},
        {"-n 1 --tres-per-task=cpu:3 --whole", "8+2", "8+2", "likewise"},
        {"-n 1 --exact --cpus-per-gpu=2", "4+2", "4+2", "by the job's GPUs"},
        {"-n 1 --exact --gres=gpu:1 --cpus-per-gpu=3", "3+1", "3+1", "or by those that it names"},
        {"-N 2 --exact --gres=none", "1+0 1+0", "1+0 1+0", "a task a node"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(taken(row.text, job) == row.alone);
    }
    NodePlacement one;
    one.node = job.nodes().front().granted.node;
    one.cores = CoreSet::range({0, 1});
    one.tasks = Count(1);
    JobStep running;
    running.id = StepId(0);
    running.placement.nodes = {one};
    REQUIRE(job.start(running).ok());
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(taken(row.text, job) == row.beside);
    }
    CHECK_FALSE(step_of("--exact --whole", job).ok());
    CHECK(step_of("--overlap", job)->options.use == JobStep::Use::overlap);
    CHECK(taken("-N 3 --exact", job) == "no");
}

TEST_CASE("Slurm steps: memory of the job's nodes and GPUs", "[dialect][slurm]") {
    const JobState job = job_of_two_nodes("-N 2 --gres=gpu:2 --exclusive --mem=4000");
    const auto memory_of = [&](const std::string& text) {
        const auto step = step_of(text, job);
        INFO(text << ": " << message(step.status()));
        REQUIRE(step.ok());
        const auto placed = place_step(job, step->request, step->options);
        std::string all;
        for (const NodePlacement& node : placed ? placed->nodes : std::vector<NodePlacement>()) {
            all += fmt::format("{}{}", all.empty() ? "" : " ",
                               node.total_memory().value() / mib(1).value());
        }
        return all;
    };
    CHECK(memory_of("") == "0 0");
    CHECK(memory_of("-n 1 --exact") == "0");
    CHECK(memory_of("-n 1 --exact --mem=100") == "100");
    CHECK(memory_of("-n 1 --exact --mem=0") == "4000");
    CHECK(memory_of("--mem=0") == "4000 4000");
    CHECK(memory_of("-n 1 --exact --mem-per-gpu=100") == "200");
    CHECK(memory_of("-n 1 --exact --gres=gpu:1 --mem-per-gpu=100") == "100");
    CHECK(memory_of("-n 1 --exact --mem=4001").empty());
    const auto none = step_of("-n 1 --gres=none --mem-per-gpu=100", job);
    CHECK(message(none.status()).find("--mem-per-gpu: no GPU is asked for") != std::string::npos);
}

}  // namespace trestle
