// SPDX-License-Identifier: Apache-2.0
// Says when a job of Slurm can never start, by the configuration files alone, and what would.
//
//   trestle_can_start [--conf=FOLDER] [OPTION of sbatch, srun or salloc...]
//
// Prints one line for a job that can never start, and nothing for one that can, or of which it is
// not known: Slurm decides. cli_filter.lua calls it. Exit status: 0; 1 for a job that can never
// start; 2 where the files or options cannot be read, with the reason on stderr.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "suggestions.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace {

using namespace trestle;
using namespace trestle_can_start;

constexpr std::string_view usage =
    "usage: trestle_can_start [--conf=FOLDER] [OPTION of sbatch, srun or salloc...]\n\n"
    "Prints a line for a job that can never start by the files in FOLDER (default: that of\n"
    "SLURM_CONF, else /etc/slurm).\n"
    "Exit status: 0; 1 for a job that can never start; 2 for files or options that cannot be "
    "read.\n";

struct Arguments {
    std::string folder;
    std::vector<std::string> options;
};

/// Slurm's programs have SLURM_CONF where their files are not in /etc/slurm.
Arguments read_command_line(int count, char** words) {
    Arguments arguments;
    const char* conf = std::getenv("SLURM_CONF");
    arguments.folder = conf == nullptr || *conf == '\0'
                           ? "/etc/slurm"
                           : std::filesystem::path(conf).parent_path().string();
    const std::string_view key = "--conf=";
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        if (word.starts_with(key)) {
            arguments.folder = word.substr(key.size());
        } else {
            arguments.options.emplace_back(word);
        }
    }
    return arguments;
}

/// The nodes that the job may have by its partitions.
std::vector<NodeId> nodes_of(const Cluster& cluster, const JobOptions& options) {
    std::vector<NodeId> nodes;
    for (const Partition& partition : cluster.partitions()) {
        const bool is_named = std::find(options.partitions.begin(), options.partitions.end(),
                                        partition.name) != options.partitions.end();
        if (options.partitions.empty() ? !partition.is_default : !is_named) continue;
        for (const NodeId node : partition.nodes) nodes.push_back(node);
    }
    return nodes;
}

std::int64_t devices_of(const Node& node, const Gres& gres) {
    std::int64_t count = 0;
    for (const Device& device : node.shape->devices) {
        const bool is_type = gres.type.empty() || device.type == gres.type;
        if (device.name == gres.name && is_type) ++count;
    }
    return count;
}

/// The list of devices of an option of each node; null for another one.
const Gres* device_of_node(const JobOptions& options, const std::string& name) {
    const auto only = [](const std::optional<std::vector<Gres>>& list) {
        return list && list->size() == 1 ? &list->front() : nullptr;
    };
    if (name == "gres") return only(options.gres);
    if (name == "gpus-per-node") return only(options.gpus_per_node);
    if (name == "gpus-per-task") return only(options.gpus_per_task);
    return nullptr;
}

/// What the nodes have too little of; empty: it is not that simple.
std::string lack_of(const Cluster& cluster, const JobOptions& options, const Knob& knob) {
    const std::vector<NodeId> nodes = nodes_of(cluster, options);
    const auto most = [&](const auto& measure) {
        std::int64_t value = 0;
        for (const NodeId node : nodes) value = std::max(value, measure(cluster.node(node)));
        return value;
    };
    const auto sum = [&](const auto& measure) {
        std::int64_t value = 0;
        for (const NodeId node : nodes) value += measure(cluster.node(node));
        return value;
    };
    const auto cpus = [](const Node& node) { return node.shape->cpu_count().value(); };
    if (nodes.empty()) return "";
    const std::int64_t asked = knob.number ? knob.number(options).value_or(0) : 0;
    if (const Gres* gres = device_of_node(options, knob.name)) {
        const auto has = most([&](const Node& node) { return devices_of(node, *gres); });
        const std::string kind = gres->type.empty() ? gres->name : gres->name + ":" + gres->type;
        if (has == 0) return "no node has " + kind;
        if (has < asked) return fmt::format("node types have at most {} {}", has, kind);
    } else if (knob.name == "gpus" && asked > 0) {
        const auto has =
            sum([&](const Node& node) { return devices_of(node, options.gpus->front()); });
        if (has < asked) return fmt::format("the partition has {} GPUs", has);
    } else if (knob.name == "nodes") {
        const auto has = static_cast<std::int64_t>(nodes.size());
        if (has < asked) return fmt::format("the partition has {} nodes", has);
    } else if (knob.name == "cpus-per-task" || knob.name == "mincpus") {
        if (most(cpus) < asked) return fmt::format("node types have at most {} CPUs", most(cpus));
    } else if (knob.name == "ntasks") {
        if (sum(cpus) < asked) return fmt::format("the partition has {} CPUs", sum(cpus));
    } else if (knob.name == "mem") {
        const auto has = most([](const Node& node) {
            return node.shape->ordinary_memory().value() / mib(1).value();
        });
        if (has < asked) return fmt::format("node types have at most {}M", has);
    }
    return "";
}

/// The options each of which, left out, would let the job start.
std::vector<const Knob*> culprits_of(Asker& asker, const JobOptions& options,
                                     const std::vector<Knob>& knobs) {
    std::vector<const Knob*> culprits;
    for (const Knob& knob : knobs) {
        if (text_of(options, knob.name).empty()) continue;
        JobOptions changed = options;
        knob.leave_out(changed);
        if (!is_never(asker.ask(changed))) culprits.push_back(&knob);
    }
    return culprits;
}

/// The options each of which keeps a job from starting that has no other.
std::vector<const Knob*> culprits_alone(Asker& asker, const JobOptions& options,
                                        const std::vector<Knob>& knobs) {
    std::vector<const Knob*> culprits;
    for (const Knob& knob : knobs) {
        if (text_of(options, knob.name).empty()) continue;
        JobOptions alone;
        if (knob.name != "partition") alone.partitions = options.partitions;
        knob.copy(alone, options);
        if (is_never(asker.ask(alone))) culprits.push_back(&knob);
    }
    return culprits;
}

/// The line that is printed.
std::string explanation(Asker& asker, const JobOptions& options, const Decision& decision) {
    const std::vector<Knob> knobs = all_knobs();
    std::vector<const Knob*> culprits = culprits_of(asker, options, knobs);
    std::vector<Suggestion> changes;
    if (culprits.empty()) {
        culprits = culprits_alone(asker, options, knobs);
        changes = joint_suggestion(asker, options, culprits);
    } else {
        changes = suggestions(asker, options, culprits);
    }
    std::string text, reason;
    for (const Knob* knob : culprits) {
        text += (text.empty() ? "" : " with ") + text_of(options, knob->name);
        if (reason.empty()) reason = lack_of(asker.cluster(), options, *knob);
    }
    text = fmt::format("trestle: {} can never start: {}", text.empty() ? "this job" : text,
                       reason.empty() ? decision.message : reason);
    const char* separator = "; ";
    for (const Suggestion& one : changes) {
        text += fmt::format("{}{} would ({} node{})", separator, one.change, one.nodes,
                            one.nodes == 1 ? "" : "s");
        separator = ", ";
    }
    return text;
}

/// False where a job_submit plugin of the site has to choose the partition.
bool has_partition(const Cluster& cluster, const JobOptions& options) {
    const auto& all = cluster.partitions();
    return !options.partitions.empty() ||
           std::any_of(all.begin(), all.end(), [](const Partition& one) { return one.is_default; });
}

StatusOr<std::string> answer(const Arguments& arguments) {
    TRESTLE_TRY(const slurm::Controller controller, slurm::load_controller(arguments.folder));
    TRESTLE_TRY(const slurm::Submission submission,
                slurm::submission_or_first_error(slurm::read_arguments(arguments.options)));
    const JobOptions& options = submission.components.front().options;
    Asker asker(controller);
    if (!has_partition(asker.cluster(), options)) return "";
    const Decision decision = asker.ask(options);
    return is_never(decision) ? explanation(asker, options, decision) : "";
}

}  // namespace

int main(int count, char** words) {
    if (count == 2 && std::string_view(words[1]) == "--help") return fmt::print("{}", usage), 0;
    const auto line = answer(read_command_line(count, words));
    if (!line.ok()) return fmt::print(stderr, "trestle_can_start: {}\n", message(line.status())), 2;
    if (line->empty()) return 0;
    fmt::print("{}\n", *line);
    return 1;
}
