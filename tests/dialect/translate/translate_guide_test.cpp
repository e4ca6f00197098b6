// SPDX-License-Identifier: Apache-2.0
// The three pairs of the migration guide, both ways: a script and what it becomes, a file and what
// it becomes. The scripts and files are those of the guide as far as they say what is asked.
#include <array>
#include <string>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "trestle/dialect/translate/dstack_to_slurm.hpp"
#include "trestle/dialect/translate/slurm_to_dstack.hpp"

using namespace trestle;

namespace {

struct GuidePair {
    const char* name;
    const char* script;
    const char* file;
};

const std::array<GuidePair, 3> guide_pairs{{
    {"one GPU",
     "#!/bin/bash\n"
     "#SBATCH --job-name=train-model\n"
     "#SBATCH --nodes=1\n"
     "#SBATCH --ntasks=1\n"
     "#SBATCH --cpus-per-task=8\n"
     "#SBATCH --gres=gpu:1\n"
     "#SBATCH --mem=32G\n"
     "#SBATCH --time=2:00:00\n"
     "#SBATCH --partition=gpu\n"
     "#SBATCH --output=train-%j.out\n"
     "#SBATCH --error=train-%j.err\n"
     "\n"
     "export LEARNING_RATE=0.001\n"
     "module load python/3.9\n"
     "srun python train.py\n",
     "type: task\n"
     "name: train-model\n"
     "python: 3.9\n"
     "repos: [.]\n"
     "env: [HF_TOKEN, LEARNING_RATE=0.001]\n"
     "commands: [python train.py]\n"
     "resources: {gpu: 1, memory: 32GB, cpu: 8, shm_size: 8GB}\n"
     "max_duration: 2h\n"},
    {"data parallel on four nodes",
     "#!/bin/bash\n"
     "#SBATCH --job-name=distributed-train\n"
     "#SBATCH --nodes=4\n"
     "#SBATCH --ntasks=32          # 32 GPUs total (8 per node)\n"
     "#SBATCH --gres=gpu:8         # 8 GPUs per node\n"
     "#SBATCH --mem=200G\n"
     "#SBATCH --time=24:00:00\n"
     "#SBATCH --partition=gpu\n"
     "\n"
     "export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n"
     "srun ./train --nodes=$SLURM_JOB_NUM_NODES --rank=$SLURM_PROCID --node=$SLURM_NODEID\n",
     "type: task\n"
     "name: distributed-train\n"
     "nodes: 4\n"
     "env: [NCCL_DEBUG=INFO]\n"
     "commands:\n"
     "  - |\n"
     "    ./train --nodes=$DSTACK_NODES_NUM --node=$DSTACK_NODE_RANK \\\n"
     "      --gpus=$DSTACK_GPUS_PER_NODE --master=$DSTACK_MASTER_NODE_IP\n"
     "resources: {gpu: 'A100:80GB:8', memory: 200GB.., shm_size: 24GB}\n"
     "max_duration: 24h\n"},
    {"MPI on two nodes",
     "#!/bin/bash\n"
     "#SBATCH --nodes=2\n"
     "#SBATCH --ntasks=16\n"
     "#SBATCH --gres=gpu:8\n"
     "#SBATCH --mem=200G\n"
     "#SBATCH --time=24:00:00\n"
     "\n"
     "scontrol show hostnames $SLURM_JOB_NODELIST > hosts\n"
     "mpirun --hostfile hosts -n $SLURM_NTASKS ./all_reduce -N $SLURM_NTASKS_PER_NODE\n",
     "type: task\n"
     "name: nccl-tests\n"
     "nodes: 2\n"
     "startup_order: workers-first\n"
     "stop_criteria: master-done\n"
     "commands:\n"
     "  - |\n"
     "    if [ $DSTACK_NODE_RANK -eq 0 ]; then\n"
     "      mpirun --hostfile $DSTACK_MPI_HOSTFILE -n $DSTACK_GPUS_NUM ./all_reduce\n"
     "    else\n"
     "      sleep infinity\n"
     "    fi\n"
     "resources: {gpu: 'nvidia:1..8', shm_size: 16GB}\n"},
}};

std::string section(const std::string& title, const std::string& text) {
    return "--- " + title + "\n" + text + (text.ends_with('\n') ? "" : "\n");
}

std::string there_of(const GuidePair& pair) {
    const auto script = slurm::parse_batch_script(pair.script);
    REQUIRE(script.ok());
    const auto task = translate::to_dstack(*script);
    REQUIRE(task.ok());
    const std::string yaml = to_text(task->value);
    const auto again = dstack::parse_configuration(yaml);
    INFO(yaml);
    CHECK(again.ok());
    return section("script", pair.script) + section("becomes", yaml) +
           section("losses", to_text(task->losses));
}

std::string back_of(const GuidePair& pair) {
    const auto file = dstack::parse_configuration(pair.file);
    REQUIRE(file.ok());
    const auto script = translate::to_slurm(*file->run);
    const auto text = slurm::script_text(script.value);
    REQUIRE(text.ok());
    CHECK(slurm::parse_batch_script(*text).ok());
    return section("file", pair.file) + section("becomes", *text) +
           section("losses", to_text(script.losses));
}

}  // namespace

TEST_CASE("Translate: the pairs of the migration guide", "[dialect][translate][golden]") {
    std::string text;
    for (const GuidePair& pair : guide_pairs) {
        text += "== " + std::string(pair.name) + "\n" + there_of(pair) + back_of(pair);
    }
    check_golden("translate_guide.txt", text);
}

TEST_CASE("Translate: what a pair asks is asked by the other of it too", "[dialect][translate]") {
    for (const GuidePair& pair : guide_pairs) {
        INFO(pair.name);
        const auto there = translate::to_dstack(slurm::parse_batch_script(pair.script).value());
        const auto file = dstack::parse_configuration(pair.file);
        REQUIRE(there.ok());
        REQUIRE(file.ok());
        CHECK(there->value.nodes == file->run->nodes);
        const auto back = translate::to_slurm(*file->run);
        const auto& options = back.value.submission.components.front().options;
        CHECK(options.nodes->range == Range<Count>::exactly(file->run->nodes));
        if (file->run->profile.max_duration) {
            CHECK(there->value.profile.max_duration == file->run->profile.max_duration);
        }
    }
}
