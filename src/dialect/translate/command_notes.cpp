// SPDX-License-Identifier: Apache-2.0
#include "command_notes.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "../words.hpp"
#include "trestle/base/fmt.hpp"
#include "word_reasons.hpp"

namespace trestle::translate {
namespace {

/// Sources: the environment section of Slurm's sbatch and srun, dstack's migration guide.
constexpr std::array<WordReason, 29> slurm_variables{{
    {"SLURM_ARRAY_JOB_ID", "dstack has no arrays"},
    {"SLURM_ARRAY_TASK_COUNT", "dstack has no arrays"},
    {"SLURM_ARRAY_TASK_ID", "dstack has no arrays: give each run a variable of its own in env"},
    {"SLURM_CPUS_ON_NODE", "dstack sets no such variable; nproc counts what the container sees"},
    {"SLURM_CPUS_PER_TASK", "dstack knows no tasks; nproc counts what the container sees"},
    {"SLURM_GPUS", "DSTACK_GPUS_NUM is the nearest: all GPUs of the run"},
    {"SLURM_GPUS_ON_NODE", "DSTACK_GPUS_PER_NODE is the nearest: a number"},
    {"SLURM_GPUS_PER_NODE", "DSTACK_GPUS_PER_NODE is the nearest, without a type"},
    {"SLURM_JOBID", "DSTACK_RUN_NAME names the run; it is no number"},
    {"SLURM_JOB_ID", "DSTACK_RUN_NAME names the run; it is no number"},
    {"SLURM_JOB_NAME", "DSTACK_RUN_NAME is the nearest: unlike a job's name it is unique"},
    {"SLURM_JOB_NODELIST", "DSTACK_NODES_IPS has addresses, one a line, and no ranges of names"},
    {"SLURM_JOB_NUM_NODES", "DSTACK_NODES_NUM is the same number"},
    {"SLURM_JOB_PARTITION", "dstack sets no such variable"},
    {"SLURM_LOCALID", "it counts tasks on a node, and dstack knows no tasks"},
    {"SLURM_MEM_PER_NODE", "dstack sets no such variable"},
    {"SLURM_NNODES", "DSTACK_NODES_NUM is the same number"},
    {"SLURM_NODEID", "DSTACK_NODE_RANK is the nearest: both count nodes from 0"},
    {"SLURM_NODELIST", "DSTACK_NODES_IPS has addresses, one a line, and no ranges of names"},
    {"SLURM_NPROCS", "it counts tasks; DSTACK_GPUS_NUM counts GPUs"},
    {"SLURM_NTASKS", "it counts tasks; DSTACK_GPUS_NUM counts GPUs"},
    {"SLURM_NTASKS_PER_NODE", "it counts tasks; DSTACK_GPUS_PER_NODE counts GPUs"},
    {"SLURM_PROCID", "it counts tasks; DSTACK_NODE_RANK counts nodes"},
    {"SLURM_RESTART_COUNT", "dstack does not count retries"},
    {"SLURM_SUBMIT_DIR", "a container has not the submitter's files; see repos and files"},
    {"SLURM_SUBMIT_HOST", "dstack sets no such variable"},
    {"SLURM_TASKS_PER_NODE", "it counts tasks; DSTACK_GPUS_PER_NODE counts GPUs"},
    {"SLURM_TMPDIR", "the container's own files are as short-lived"},
    {"SLURM_TOPOLOGY_ADDR", "dstack does not know the network"},
}};

constexpr std::array<WordReason, 16> slurm_programs{{
    {"module", "an image has no environment modules"},
    {"sacct", "a container has no Slurm"},
    {"salloc", "a container has no Slurm"},
    {"sattach", "a container has no Slurm"},
    {"sbatch", "a container has no Slurm"},
    {"sbcast", "a container has no Slurm: see files and volumes"},
    {"scancel", "a container has no Slurm"},
    {"scontrol", "a container has no Slurm; DSTACK_NODES_IPS lists the nodes"},
    {"sinfo", "a container has no Slurm"},
    {"sprio", "a container has no Slurm"},
    {"squeue", "a container has no Slurm"},
    {"srun", "dstack runs the commands once on each node: they start processes themselves"},
    {"sshare", "a container has no Slurm"},
    {"sstat", "a container has no Slurm: see `dstack metrics`"},
    {"strigger", "a container has no Slurm"},
    {"sview", "a container has no Slurm"},
}};

constexpr std::array<WordReason, 9> dstack_variables{{
    {"DSTACK_GPUS_NUM", "SLURM_GPUS is the nearest, where --gpus was given"},
    {"DSTACK_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE is the nearest"},
    {"DSTACK_MASTER_NODE_IP", "the first of `scontrol show hostnames`, which are no addresses"},
    {"DSTACK_MPI_HOSTFILE", "Slurm writes no such file; srun and its MPI plug-ins need none"},
    {"DSTACK_NODES_IPS", "SLURM_JOB_NODELIST has names, in ranges; scontrol expands them"},
    {"DSTACK_NODES_NUM", "SLURM_JOB_NUM_NODES is the same number"},
    {"DSTACK_NODE_RANK", "SLURM_NODEID is the nearest; in a batch script it is that of the first"},
    {"DSTACK_RUN_ID", "SLURM_JOB_ID is the nearest"},
    {"DSTACK_RUN_NAME", "SLURM_JOB_NAME is the nearest; several jobs may have it"},
}};

static_assert(are_sorted(slurm_variables) && are_sorted(slurm_programs) &&
              are_sorted(dstack_variables));

bool is_word_character(char c) { return words::is_letter(c) || words::is_digit(c) || c == '_'; }

/// Notes of one text, each word once.
class Notes {
  public:
    explicit Notes(std::vector<Loss>& losses) : losses_(losses), first_(losses.size()) {}

    [[nodiscard]] bool is_full() const { return losses_.size() == first_ + max; }
    void add_once(std::string_view word, std::string_view why) {
        const auto first = losses_.begin() + static_cast<std::ptrdiff_t>(first_);
        const bool is_known =
            std::any_of(first, losses_.end(), [&](const Loss& one) { return one.what == word; });
        if (is_known) return;
        losses_.push_back({LossKind::note, std::string(word), "", std::string(why)});
    }

  private:
    static constexpr std::size_t max = 256;  ///< each costs a look at the ones before

    std::vector<Loss>& losses_;
    std::size_t first_;
};

/// Whether a program may stand here: at the start of a line, or behind what a command may follow.
bool starts_command(std::string_view before) {
    const std::size_t last = before.find_last_not_of(" \t");
    if (last == std::string_view::npos) return true;
    if (std::string_view("\n|;&(`{!").find(before[last]) != std::string_view::npos) return true;
    constexpr std::array<std::string_view, 7> openers{"do",   "else", "exec", "if",
                                                      "then", "time", "while"};
    if (last + 1 == before.size()) return false;  // no blank between
    const std::string_view line = before.substr(0, last + 1);
    return std::any_of(openers.begin(), openers.end(), [&](std::string_view opener) {
        if (!line.ends_with(opener)) return false;
        return line.size() == opener.size() ||
               !is_word_character(line[line.size() - opener.size() - 1]);
    });
}

/// Calls visit(word, what stands before it) for each word of letters, digits and underscores.
template <class Visit>
void for_each_word(std::string_view text, const Visit& visit) {
    for (std::size_t at = 0; at < text.size();) {
        if (!is_word_character(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_word_character(text[end])) ++end;
        visit(text.substr(at, end - at), text.substr(0, at));
        at = end;
    }
}

}  // namespace

void add_slurm_notes(std::vector<Loss>& losses, std::string_view commands) {
    Notes notes(losses);
    for_each_word(commands, [&](std::string_view word, std::string_view before) {
        if (notes.is_full()) return;
        if (word.starts_with("SLURM_")) {
            const WordReason* note = find_reason(slurm_variables, word);
            notes.add_once(word, note ? note->why : "dstack sets no such variable");
        } else if (const WordReason* note = find_reason(slurm_programs, word);
                   note != nullptr && starts_command(before)) {
            notes.add_once(word, note->why);
        }
    });
}

void add_dstack_notes(std::vector<Loss>& losses, std::string_view commands) {
    Notes notes(losses);
    for_each_word(commands, [&](std::string_view word, std::string_view) {
        if (notes.is_full() || !word.starts_with("DSTACK_")) return;
        const WordReason* note = find_reason(dstack_variables, word);
        notes.add_once(word, note ? note->why : "Slurm sets no such variable");
    });
    if (commands.find("${{") != std::string_view::npos) {
        notes.add_once("${{ }}", "Slurm puts nothing in its place");
    }
}

}  // namespace trestle::translate
