// SPDX-License-Identifier: Apache-2.0
// The Slurm examples that this project promises to get right, from the script to the variables that
// a task sees, each with the value that its source states.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "enforce/device/apply_profiles.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/job_report.hpp"
#include "trestle/dialect/slurm/options/environment.hpp"
#include "trestle/dialect/slurm/options/job_id.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/dialect/slurm/quantities.hpp"
#include "trestle/enforce/device/vendor_profile.hpp"

namespace trestle {
namespace {

using slurm::Controller;
using slurm::Decision;
using slurm::JobOptions;

/// The one component of a script.
JobOptions script_options(std::string_view script) {
    const auto submission = slurm::parse_script(script);
    INFO(message(submission.status()));
    REQUIRE(submission.ok());
    REQUIRE(submission->components.size() == 1);
    return submission->components.front().options;
}

std::string passthrough(const JobOptions& options, std::string_view name) {
    for (const slurm::PassthroughOption& one : options.passthrough) {
        if (one.name == name) return one.value.value_or("");
    }
    return "nothing";
}

/// Four nodes with eight A100s each, as the guide has them; it does not say how many cores.
Controller gpu_cluster(int cores_per_socket = 32) {
    auto made = Controller::create(
        {.slurm_conf = fmt::format(
             "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
             "NodeName=gpu-node[01-04] Sockets=2 CoresPerSocket={} RealMemory=1024000 "
             "Gres=gpu:a100:8\n"
             "PartitionName=gpu Nodes=ALL Default=YES MaxTime=24:00:00\n",
             cores_per_socket),
         .gres_conf = "NodeName=gpu-node[01-04] Name=gpu Type=a100 File=/dev/nvidia[0-7]\n"});
    INFO(message(made.status()));
    REQUIRE(made.ok());
    return *std::move(made);
}

Decision allocated(Controller& controller, const JobOptions& options) {
    const auto decision = controller.submit(options);
    INFO(message(decision.status()));
    REQUIRE(decision.ok());
    INFO(decision->message);
    REQUIRE(decision->answer == slurm::Answer::allocated);
    return *decision;
}

std::string variable_of(const std::vector<EnvironmentVariable>& variables, std::string_view name) {
    for (const EnvironmentVariable& one : variables) {
        if (one.name == name) return one.value.reveal();
    }
    return "nothing";
}

}  // namespace

TEST_CASE("Slurm example 10: a script that trains on one GPU", "[dialect][slurm][golden]") {
    const JobOptions options = script_options(
        "#!/bin/bash\n#SBATCH --job-name=train-model\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n"
        "#SBATCH --gres=gpu:1\n#SBATCH --mem=32G\n#SBATCH --time=2:00:00\n"
        "#SBATCH --partition=gpu\n#SBATCH --output=train_%j.out\n#SBATCH --error=train_%j.err\n"
        "\nsource venv/bin/activate\npython train.py\n#SBATCH --mem=1G\n");
    CHECK(options.nodes->range == Range<Count>::exactly(Count(1)));
    CHECK(options.ntasks == Count(1));
    CHECK(options.gres == std::vector<Gres>{{"gpu", "", Count(1)}});
    CHECK(options.mem == gib(32));  // reading stopped at the first command
    CHECK(options.time->limit == Seconds(7200));
    CHECK(options.partitions == std::vector<std::string>{"gpu"});
    CHECK(passthrough(options, "job-name") == "train-model");
    CHECK(passthrough(options, "output") == "train_%j.out");
    CHECK(passthrough(options, "error") == "train_%j.err");
    Controller controller = gpu_cluster();
    const Decision decision = allocated(controller, options);
    CHECK(decision.warnings.empty());
    CHECK(decision.grants.front().memory == gib(32));
}

TEST_CASE("Slurm example 10: distributed training on four nodes of eight GPUs",
          "[dialect][slurm][golden]") {
    const std::string script =
        "#!/bin/bash\n#SBATCH --job-name=distributed-training\n#SBATCH --nodes=4\n"
        "#SBATCH --ntasks=32          # 32 GPUs total (8 per node)\n"
        "#SBATCH --gres=gpu:8\n#SBATCH --mem=200G\n#SBATCH --time=24:00:00\n"
        "#SBATCH --partition=gpu\n";
    const std::string commands = "\nexport MASTER_PORT=12345\nsrun python train.py\n";
    struct Row {
        int cores_per_socket;
        const char* more;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {4, "", "8(x4)", "the guide's 8 a node, where a node has a core for each GPU"},
        {32, "#SBATCH --ntasks-per-node=8\n", "8(x4)", "or where the script says so"},
        {32, "", "29,1(x3)", "else Slurm fills the first node, and leaves one for each other"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Controller controller = gpu_cluster(row.cores_per_socket);
        const Decision decision =
            allocated(controller, script_options(script + row.more + commands));
        const slurm::JobContext job = slurm::job_context(decision, 1001);
        const auto variables = slurm::job_environment(job);
        CHECK(variable_of(variables, "SLURM_NTASKS") == "32");
        CHECK(variable_of(variables, "SLURM_JOB_NUM_NODES") == "4");
        CHECK(variable_of(variables, "SLURM_JOB_NODELIST") == "gpu-node[01-04]");
        CHECK(variable_of(variables, "SLURM_TASKS_PER_NODE") == row.expected);
        REQUIRE(decision.grants.size() == 4);
        for (std::size_t node = 0; node < 4; ++node) {
            const auto its = slurm::node_environment(job, node);
            CHECK(variable_of(its, "SLURM_NODEID") == std::to_string(node));
            CHECK(variable_of(its, "SLURM_GPUS_ON_NODE") == "8");
            CHECK(variable_of(its, "SLURM_JOB_GPUS") == "0,1,2,3,4,5,6,7");
            CHECK(decision.grants[node].memory == gib(200));
        }
    }
}

TEST_CASE("Slurm example 10: NCCL tests on two nodes", "[dialect][slurm][golden]") {
    Controller controller = gpu_cluster(4);
    const Decision decision = allocated(
        controller, script_options("#!/bin/bash\n#SBATCH --job-name=nccl-tests\n#SBATCH --nodes=2\n"
                                   "#SBATCH --ntasks=16\n#SBATCH --gres=gpu:8\n"
                                   "srun --mpi=pmix all_reduce_perf -b 8 -e 8G -f 2 -g 1\n"));
    const slurm::JobContext job = slurm::job_context(decision, 1002);
    CHECK(variable_of(slurm::job_environment(job), "SLURM_NTASKS") == "16");
    CHECK(variable_of(slurm::job_environment(job), "SLURM_NNODES") == "2");
    CHECK(variable_of(slurm::job_environment(job), "SLURM_TASKS_PER_NODE") == "8(x2)");
    for (const slurm::NodeGrant& grant : decision.grants) {
        CHECK(slurm::gres_list_text(grant.gres) == "gpu:a100:8(IDX:0-7)");
    }
}

TEST_CASE("Slurm example 11: a signal before the end", "[dialect][slurm][golden]") {
    const JobOptions options = script_options(
        "#!/bin/bash\n#SBATCH --time=48:00:00\n"
        "#SBATCH --signal=B:USR1@300  # Send SIGUSR1 5 minutes before time limit\n"
        "#SBATCH --requeue  # Allow requeue\nsrun train\n");
    CHECK(options.time->limit == Seconds(172'800));
    REQUIRE(options.signal.has_value());
    CHECK(options.signal->number == 10);  // SIGUSR1 of Linux
    CHECK(options.signal->to_batch_shell);
    CHECK(options.signal->before == Seconds(300));
    CHECK(slurm::duration_text(*options.time->limit - options.signal->before) == "1-23:55:00");
    CHECK(options.requeue == slurm::Requeue::yes);
}

TEST_CASE("Slurm example 12: nodes in two partitions", "[dialect][slurm][golden]") {
    auto made = Controller::create(
        {.slurm_conf = "SelectTypeParameters=CR_Core\nGresTypes=gpu\n"
                       "NodeName=gpu-node[01-10] CPUs=64 Gres=gpu:a100:8\n"
                       "NodeName=cpu-node[01-50] CPUs=64\n"
                       "PartitionName=gpu Nodes=gpu-node[01-10] MaxTime=24:00:00 State=UP\n"
                       "PartitionName=cpu Nodes=cpu-node[01-50] Default=YES MaxTime=72:00:00\n"
                       "PartitionName=debug Nodes=gpu-node[01-10] MaxTime=1:00:00 State=UP\n",
         .gres_conf = "NodeName=gpu-node[01-10] Name=gpu Type=a100 File=/dev/nvidia[0-7]\n"});
    INFO(message(made.status()));
    REQUIRE(made.ok());
    const Cluster& cluster = made->cluster();
    CHECK(cluster.node_count() == 60);
    const auto& partitions = cluster.partitions();
    REQUIRE(partitions.size() == 3);
    CHECK(partitions[0].nodes.count() == 10);
    CHECK(partitions[1].nodes.count() == 50);
    CHECK(partitions[0].nodes == partitions[2].nodes);
    CHECK((partitions[1].is_default && !partitions[0].is_default && !partitions[2].is_default));
    CHECK(partitions[0].max_time == Seconds(86'400));
    CHECK(partitions[1].max_time == Seconds(259'200));
    CHECK(partitions[2].max_time == Seconds(3600));
    struct Row {
        const char* options;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"-n 1", "cpu-node01", "the default partition"},
        {"-p gpu --gres=gpu:8 -t 24:00:00", "gpu-node01", "a day"},
        {"-p debug --gres=gpu:8 -t 1:00:00", "gpu-node02", "the first is taken in both"},
        {"-p debug --gres=gpu:1 -t 1:01:00", "PartitionTimeLimit", "longer than debug lets"},
        {"-p gpu -N 9 --gres=gpu:1", "Resources", "two of ten have no GPU left"},
        {"-p cpu --gres=gpu:1", "refused", "no GPUs there"},
    };
    for (const Row& row : rows) {
        INFO(row.options << ": " << row.why);
        const auto decision = made->submit(row.options);
        REQUIRE(decision.ok());
        switch (decision->answer) {
            case slurm::Answer::allocated:
                CHECK(slurm::node_list_text(decision->grants) == row.expected);
                break;
            case slurm::Answer::pending:
                CHECK(to_text(decision->reason) == row.expected);
                break;
            case slurm::Answer::refused:
                CHECK(std::string("refused") == row.expected);
                break;
        }
    }
}

TEST_CASE("Slurm example 13: tasks of an array", "[dialect][slurm][golden]") {
    const JobOptions options = script_options("#!/bin/bash\n#SBATCH --array=1-100\nsrun x\n");
    REQUIRE(options.array.has_value());
    const auto tasks = slurm::task_ids(*options.array);
    REQUIRE(tasks.size() == 100);
    std::vector<std::string> ids;
    for (const std::uint32_t task : tasks) {
        ids.push_back(to_text(slurm::JobId{1001, slurm::JobArray{{{task, task, 1}}, {}}}));
    }
    CHECK(ids.front() == "1001_1");
    CHECK(ids.back() == "1001_100");
    CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == 100);
    const auto waiting = slurm::parse_job_id("1001_[50-100]");
    REQUIRE(waiting.ok());
    CHECK(tasks_in(*waiting) == Count(51));
    CHECK(to_text(*waiting) == "1001_[50-100]");
    CHECK(slurm::tasks_in({1001, options.array}) == Count(100));
    const JobOptions later =
        script_options("#!/bin/bash\n#SBATCH --dependency=afterok:1001\nsrun x\n");
    CHECK(later.dependency->list.front().kind == slurm::DependencyKind::afterok);
    CHECK(later.dependency->list.front().jobs.front().job == 1001);
    const JobOptions alone = script_options("#!/bin/bash\n#SBATCH -J one -d singleton\nsrun x\n");
    CHECK(alone.dependency->list.front().kind == slurm::DependencyKind::singleton);
}

TEST_CASE("Slurm example 16: a line of sacct, and a limit of sinfo", "[dialect][slurm][golden]") {
    std::vector<std::string> words;  // `2:30:00 2048M COMPLETED 0:0`
    TextCursor line("2:30:00 2048M COMPLETED 0:0");
    while (!line.at_end()) {
        words.emplace_back(line.take_until(" "));
        line.skip_blanks();
    }
    REQUIRE(words.size() == 4);
    CHECK(slurm::parse_time(words[0]).value() == Seconds(9000));
    CHECK(slurm::parse_memory(words[1]).value() == gib(2));
    CHECK(slurm::parse_state(words[2]).value() == slurm::State::completed);
    const auto outcome = slurm::parse_exit_code(words[3]);
    REQUIRE(outcome.ok());
    CHECK(slurm::exit_code_text(*outcome) == "0:0");
    CHECK(slurm::state_of(*outcome) == slurm::State::completed);
    CHECK(slurm::parse_time("1-00:00:00").value() == Seconds(24 * 3600));
    CHECK(slurm::duration_text(Seconds(24 * 3600)) == "1-00:00:00");
}

TEST_CASE("Slurm example 5: one GPU is device 0, and the job sees it as 0",
          "[dialect][slurm][golden]") {
    Controller controller = gpu_cluster();
    const Decision decision = allocated(
        controller,
        script_options("#!/bin/bash\n#SBATCH --gres=gpu:1\n#SBATCH --mem=1G\nnvidia-smi\n"));
    const NodePlacement& part = decision.placement.nodes.front();
    const NodeShape& shape = controller.cluster().shape(part.node);
    const auto profiles = standard_vendor_profiles();
    const auto seen = [&](const Decision& job, VendorProfile::Numbering numbering) {
        return variable_of(visibility(shape, job.placement.nodes.front(), profiles, numbering),
                           "CUDA_VISIBLE_DEVICES");
    };
    CHECK(seen(decision, VendorProfile::Numbering::local) == "0");
    CHECK(seen(decision, VendorProfile::Numbering::global) == "0");
    std::vector<std::string> paths;
    for (const DeviceAllowList::File& one : allowed_files(shape, part, profiles))
        paths.push_back(one.file.path);
    CHECK(std::count(paths.begin(), paths.end(), "/dev/nvidia0") == 1);
    CHECK(std::count(paths.begin(), paths.end(), "/dev/nvidia1") == 0);
    // The next one is device 1, which its job sees as 0 behind a filter.
    const Decision next = allocated(
        controller,
        script_options("#!/bin/bash\n#SBATCH --gres=gpu:1\n#SBATCH --mem=1G\nnvidia-smi\n"));
    CHECK(to_text(next.grants.front().gres.front().indexes) == "1");
    CHECK(seen(next, VendorProfile::Numbering::local) == "0");
    CHECK(seen(next, VendorProfile::Numbering::global) == "1");
}

}  // namespace trestle
