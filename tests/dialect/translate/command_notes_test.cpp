// SPDX-License-Identifier: Apache-2.0
// What commands use of the scheduler that they were written for.
#include <string>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "trestle/dialect/translate/dstack_to_slurm.hpp"
#include "trestle/dialect/translate/slurm_to_dstack.hpp"

namespace trestle {
namespace {

struct NoteRow {
    const char* commands;
    const char* noted;  ///< joined by blanks
    const char* why;
};

std::string notes_in(const std::vector<translate::Loss>& losses) {
    std::string text;
    for (const translate::Loss& loss : losses) {
        CHECK(loss.kind == translate::LossKind::note);
        CHECK(loss.value.empty());
        CHECK_FALSE(loss.why.empty());
        text += (text.empty() ? "" : " ") + loss.what;
    }
    return text;
}

translate::TaskTranslation task_of(const std::string& commands) {
    return translate::to_dstack(slurm::BatchScript{"/bin/sh", {}, commands}).value();
}

translate::ScriptTranslation script_of(const std::string& commands) {
    dstack::RunConfiguration run;
    run.resources = dstack::Resources::unconstrained();
    run.resources.cpu.count = Range<Count>();
    std::string quoted = "[\"" + commands + "\"]";
    run.passthrough.push_back({"commands", 0, quoted});
    return translate::to_slurm(run);
}

const NoteRow slurm_rows[] = {
    {"echo $SLURM_PROCID", "SLURM_PROCID", "a variable"},
    {"echo ${SLURM_NTASKS:-1} \"$SLURM_NTASKS\"", "SLURM_NTASKS", "each once"},
    {"echo $MY_SLURM_PROCID", "", "another variable"},
    {"export SLURM_CPU_BIND=none", "SLURM_CPU_BIND", "one that nobody here knows"},
    {"# SLURM_NNODES", "SLURM_NNODES", "a comment may say it too"},
    {"srun hostname", "srun", "a program"},
    {"  srun hostname", "srun", "with blanks before it"},
    {"a && srun b; squeue | tail", "srun squeue", "behind other commands"},
    {"x=$(scontrol show job)", "scontrol", "within another command"},
    {"x=`sacct`", "sacct", "in the old form"},
    {"if sinfo; then sbatch x; else scancel 1; fi", "sinfo sbatch scancel", "behind words"},
    {"time srun a\nexec srun b", "srun", "in any line, once"},
    {"module load python", "module", "modules of the environment"},
    {"python -m module", "", "an argument"},
    {"./srun", "", "a program of the user's"},
    {"my_srun", "", "part of a word"},
    {"cat srun.txt", "", "a file"},
    {"redo srun", "", "the end of a word is no word"},
    {"", "", "nothing"},
};

const NoteRow dstack_rows[] = {
    {"echo $DSTACK_NODE_RANK $DSTACK_NODES_NUM", "DSTACK_NODE_RANK DSTACK_NODES_NUM", "variables"},
    {"echo $DSTACK_NODE_RANK$DSTACK_NODE_RANK", "DSTACK_NODE_RANK", "each once"},
    {"echo $DSTACK_REPO_DIR", "DSTACK_REPO_DIR", "one that nobody here knows"},
    {"echo $MY_DSTACK_RUN_ID", "", "another variable"},
    {"echo ${{ secrets.a }} ${{ env.b }}", "${{ }}", "what dstack puts in"},
    {"srun a", "", "not its own"},
};

}  // namespace

TEST_CASE("Commands of Slurm are kept, and what only Slurm knows is noted", "[translate]") {
    for (const NoteRow& row : slurm_rows) {
        INFO(row.commands << ": " << row.why);
        CHECK(notes_in(task_of(row.commands).losses) == row.noted);
    }
}

TEST_CASE("Commands of dstack are kept, and what only dstack knows is noted", "[translate]") {
    for (const NoteRow& row : dstack_rows) {
        INFO(row.commands << ": " << row.why);
        const auto script = script_of(row.commands);
        CHECK(notes_in(script.losses) == row.noted);
        CHECK(script.value.commands == row.commands);
    }
}

TEST_CASE("Variables that are not the same thing are said, not renamed", "[translate][golden]") {
    const char* const slurm_names[] = {
        "ARRAY_JOB_ID", "ARRAY_TASK_COUNT", "ARRAY_TASK_ID", "CPUS_ON_NODE",  "CPUS_PER_TASK",
        "GPUS",         "GPUS_ON_NODE",     "GPUS_PER_NODE", "JOBID",         "JOB_ID",
        "JOB_NAME",     "JOB_NODELIST",     "JOB_NUM_NODES", "JOB_PARTITION", "LOCALID",
        "MEM_PER_NODE", "NNODES",           "NODEID",        "NODELIST",      "NPROCS",
        "NTASKS",       "NTASKS_PER_NODE",  "PROCID",        "RESTART_COUNT", "SUBMIT_DIR",
        "SUBMIT_HOST",  "TASKS_PER_NODE",   "TMPDIR",        "TOPOLOGY_ADDR", "OTHER",
    };
    const char* const dstack_names[] = {
        "GPUS_NUM",  "GPUS_PER_NODE", "MASTER_NODE_IP", "MPI_HOSTFILE", "NODES_IPS",
        "NODES_NUM", "NODE_RANK",     "RUN_ID",         "RUN_NAME",     "OTHER",
    };
    std::string slurm_commands = "srun a; sbatch b; salloc c; scontrol d; sbcast e; sstat f";
    for (const char* name : slurm_names) slurm_commands += " $SLURM_" + std::string(name);
    std::string dstack_commands = "echo";
    for (const char* name : dstack_names) dstack_commands += " $DSTACK_" + std::string(name);
    const auto task = task_of(slurm_commands);
    const auto script = script_of(dstack_commands);
    CHECK(to_text(task.value).find("DSTACK_") == std::string::npos);
    CHECK(script.value.commands == dstack_commands);
    check_golden("translate_notes.txt", to_text(task.losses) + to_text(script.losses));
}

TEST_CASE("Notes of endless commands end", "[translate]") {
    std::string commands;
    for (int i = 0; i < 5000; ++i) commands += "echo $SLURM_X" + std::to_string(i) + "\n";
    CHECK(task_of(commands).losses.size() == 256);
}

}  // namespace trestle
