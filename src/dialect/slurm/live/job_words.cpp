// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "readers.hpp"

namespace trestle::slurm::live {
namespace {

void add_text(std::vector<std::string>& words, std::string_view option, const std::string& value) {
    if (!value.empty() && value != "(null)") words.push_back(fmt::format("--{}={}", option, value));
}

void add_number(std::vector<std::string>& words, std::string_view option,
                std::optional<std::int64_t> number, std::int64_t least = 1) {
    if (number && *number >= least) words.push_back(fmt::format("--{}={}", option, *number));
}

/// `gres/gpu:a100:2` and, of 22.05, `gres:gpu:a100:2`, as options take it: `gpu:a100:2`.
std::string without_gres(std::string text) {
    for (const std::string_view prefix : {"gres/", "gres:"}) {
        for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
            text.erase(at, prefix.size());
        }
    }
    return text;
}

/// Of a list of GPUs what stands behind the name: `a100:2`.
std::string without_gpu(const std::string& text) {
    const std::string gres = without_gres(text);
    return gres.starts_with("gpu:") ? gres.substr(4) : gres;
}

/// The least number of nodes that was asked, and 1 where none was.
std::optional<std::int64_t> least_nodes(const JobWords& job) {
    const std::size_t at = job.requested.find("node=");
    if (at == std::string::npos) return std::nullopt;
    std::int64_t least = 0;
    const char* const end = job.requested.data() + job.requested.size();
    if (std::from_chars(job.requested.data() + at + 5, end, least).ec != std::errc()) {
        return std::nullopt;
    }
    return least;
}

/// Slurm has any number at most where none was asked.
void add_nodes(std::vector<std::string>& words, const JobWords& job) {
    const std::int64_t least = least_nodes(job).value_or(0);
    const std::int64_t most = job.nodes_max.value_or(0);
    if (most == least) return add_number(words, "nodes", least);
    if (least > 1 && most > least) words.push_back(fmt::format("--nodes={}-{}", least, most));
    if (least > 1 && most < least) words.push_back(fmt::format("--nodes={}", least));
}

/// A record has one task where no number was asked, too. A job that asked for one task has one
/// node; a job that needs more of them, as for `--gpus=8`, did not ask for a number.
void add_tasks(std::vector<std::string>& words, const JobWords& job) {
    const bool has_one = job.tasks == 1 && job.nodes.value_or(1) > 1 && least_nodes(job) == 1;
    if (!has_one) add_number(words, "ntasks", job.tasks);
}

}  // namespace

std::vector<std::string> job_words(const JobWords& job) {
    std::vector<std::string> words;
    add_text(words, "partition", job.partition);
    add_nodes(words, job);
    add_tasks(words, job);
    add_number(words, "cpus-per-task", job.cpus_per_task, 2);
    add_number(words, "ntasks-per-node", job.tasks_per_node);
    add_text(words, "gres", without_gres(job.per_node));
    add_text(words, "gpus", without_gpu(job.per_job));
    add_text(words, "gpus-per-socket", without_gpu(job.per_socket));
    if (job.per_task.find("gres") != std::string::npos &&
        job.per_task.find(',') == std::string::npos) {
        add_text(words, "gpus-per-task", without_gpu(job.per_task));
    }
    add_text(words, "cpus-per-gpu", without_gpu(job.cpus_per_tres));
    add_text(words, "mem-per-gpu", without_gpu(job.memory_per_tres));
    add_number(words, "mem", job.memory_per_node);
    add_number(words, "mem-per-cpu", job.memory_per_cpu);
    add_number(words, "time", job.minutes);
    add_text(words, "constraint", job.features);
    add_text(words, "nodelist", job.nodelist);
    add_text(words, "exclude", job.exclude);
    add_text(words, "licenses", job.licenses);
    add_text(words, "reservation", job.reservation);
    if (job.is_exclusive) words.emplace_back("--exclusive");
    if (job.is_contiguous) words.emplace_back("--contiguous");
    return words;
}

}  // namespace trestle::slurm::live
