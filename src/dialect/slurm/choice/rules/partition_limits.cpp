// SPDX-License-Identifier: Apache-2.0
#include "partition_limits.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/counted_text.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/job_report.hpp"

namespace trestle::slurm::choice {
namespace {

std::string nodes_text(Number nodes) {
    return fmt::format("{} {}", nodes, nodes == 1 ? "node" : "nodes");
}

}  // namespace

Decision refused(std::string message) {
    Decision decision;
    decision.message = std::move(message);
    return decision;
}

Decision pending(Reason reason, const PartitionLine& partition, std::string message) {
    Decision decision;
    decision.answer = Answer::pending;
    decision.reason = reason;
    decision.message = std::move(message);
    decision.partition = partition.name;
    return decision;
}

Number max_nodes_of(const PartitionLine& partition) {
    return partition.max_nodes ? Number{*partition.max_nodes} : unlimited;
}

/// What a job has that a partition does not give, and what the partition says of it.
struct PartitionLimits::Breach {
    std::string asked;
    std::string limit;
};

std::string PartitionLimits::text_of(const Breach& breach) const {
    return fmt::format("{}: partition {} {}", breach.asked, line_.name, breach.limit);
}

Decision PartitionLimits::beyond(Reason reason, const Breach& breach) const {
    std::string message = text_of(breach);
    if (parameters_.enforce_part_limits != EnforcePartLimits::no) {
        return refused(std::move(message));
    }
    return pending(reason, line_, std::move(message));
}

std::optional<Decision> PartitionLimits::breach_of_time(const std::optional<TimeLimit>& time,
                                                        const std::optional<TimeLimit>& min) const {
    if (min) {
        const auto exceeds = [&](const std::optional<Seconds>& most) {
            return most && (!min->limit || *most < *min->limit);
        };
        const auto by_default = line_.default_time ? line_.default_time : line_.max_time;
        const auto limit = time ? time->limit : by_default;
        const bool is_beyond_default = exceeds(limit);
        if (is_beyond_default || exceeds(line_.max_time)) {
            return refused(fmt::format("--time-min={}: partition {} gives {}",
                                       duration_text(min->limit), line_.name,
                                       duration_text(is_beyond_default ? limit : line_.max_time)));
        }
    }
    if (!time || !line_.max_time) return std::nullopt;
    if (time->limit && !(*line_.max_time < *time->limit)) return std::nullopt;
    return beyond(Reason::partition_time_limit,
                  {fmt::format("time limit of {}", duration_text(time->limit)),
                   fmt::format("allows at most {} (MaxTime)", duration_text(line_.max_time))});
}

std::optional<PartitionLimits::Breach> PartitionLimits::missing(const ChoiceJob& job) const {
    if (job.limited_cpus() > cpus_) {
        return Breach{fmt::format("{} CPUs of the job{}", job.limited_cpus(),
                                  job.has_cpus_for_memory ? " (MaxMemPerCPU)" : ""),
                      fmt::format("has {}", cpus_)};
    }
    const bool has_too_few = job.min_nodes > nodes_ && !job.has_implied_nodes;
    if (!has_too_few) return std::nullopt;
    return Breach{nodes_text(job.min_nodes) + " of the job", fmt::format("has {}", nodes_)};
}

std::optional<Decision> PartitionLimits::breach_of_size(const ChoiceJob& job) const {
    if (job.cpus_of_largest_node > 0) {
        std::string asked = job.has_default_memory ? "DefMemPerNode" : "--mem";
        if (job.memory) asked += fmt::format("={}M", *job.memory);
        if (job.says_cpus_per_task) asked += " with --cpus-per-task";
        return refused(
            fmt::format("{}: {} of a node (MaxMemPerCPU): a node of partition {} has at most {}",
                        asked, counted_text(job.cpus_for_memory, "CPU"), line_.name,
                        counted_text(job.cpus_of_largest_node, "CPU")));
    }
    if (job.min_nodes > max_nodes_of(line_)) {
        return beyond(Reason::partition_config,
                      {nodes_text(job.min_nodes) + " of the job",
                       fmt::format("allows at most {} (MaxNodes)", max_nodes_of(line_))});
    }
    if (const auto lacking = missing(job)) {
        if (job.rules->refuses_beyond_partition) return refused(text_of(*lacking));
        return beyond(Reason::partition_config, *lacking);
    }
    if (job.max_nodes && *job.max_nodes < line_.min_nodes) {
        return beyond(job.rules->node_range_reason,
                      {fmt::format("at most {} for the job", nodes_text(*job.max_nodes)),
                       fmt::format("gives at least {} (MinNodes)", line_.min_nodes)});
    }
    const bool has_few_tasks = job.says_ntasks && job.ntasks_per_node == 0;
    const Number by_tasks = has_few_tasks ? job.tasks() : unlimited;
    const Number most = std::min(job.max_nodes.value_or(0), by_tasks);
    if (job.node_sizes.empty() && most > max_nodes_of(line_)) {
        return beyond(job.rules->node_range_reason,
                      {fmt::format("--nodes: up to {}", nodes_text(most)),
                       fmt::format("allows at most {} (MaxNodes)", max_nodes_of(line_))});
    }
    return std::nullopt;
}

std::optional<Decision> PartitionLimits::breach_of_nodes(const ChoiceJob& job) const {
    const Number by_tasks = job.says_ntasks && job.ntasks ? *job.ntasks : unlimited;
    const Number most = std::min(job.max_nodes.value_or(unlimited), by_tasks);
    const bool waits = job.rules->waits_below_min_nodes;
    if (waits && job.max_nodes && most < line_.min_nodes) {
        return beyond(job.rules->node_range_reason,
                      {fmt::format("at most {} for the job", nodes_text(most)),
                       fmt::format("gives at least {} (MinNodes)", line_.min_nodes)});
    }
    const bool has_few_nodes = job.max_nodes && *job.max_nodes < job.min_nodes;
    if (job.has_too_few_devices() && (waits || !has_few_nodes)) {
        return refused("fewer devices of the job than MinNodes");
    }
    if (job.has_too_few_tasks) return refused("fewer tasks of the job than MinNodes");
    return std::nullopt;
}

std::optional<Decision> PartitionLimits::breach_of_tasks(const ChoiceJob& job) const {
    if (job.lacks_nodes_of_tasks()) {
        return refused(
            fmt::format("--ntasks={}: {} with --ntasks-per-node={} have at most {} tasks",
                        *job.ntasks, nodes_text(*job.max_nodes), job.tasks_of_node,
                        product(*job.max_nodes, job.tasks_of_node)));
    }
    const Number of_node = product(job.ntasks_per_node, job.cpus_per_task);
    if (job.says_ntasks_per_node && of_node > most_cpus_) {
        return refused(fmt::format(
            "--ntasks-per-node={}, --cpus-per-task={}: a node of partition {} has at most {}",
            job.ntasks_per_node, job.cpus_per_task, line_.name, counted_text(most_cpus_, "CPU")));
    }
    if (job.uneven_gpus > 0) {
        return refused(fmt::format("--ntasks-per-gpu: {} GPUs cannot be dealt evenly to {} nodes",
                                   job.uneven_gpus, job.min_nodes));
    }
    return std::nullopt;
}

std::optional<Decision> PartitionLimits::breach_of_memory(const ChoiceJob& job) const {
    const auto most = memory_limits_of(line_, parameters_).of_node;
    if (!most || job.limited_memory <= *most) return std::nullopt;
    return beyond(job.rules->memory_reason,
                  {fmt::format("{} MiB of a node", job.limited_memory),
                   fmt::format("allows at most {} (MaxMemPerNode)", *most)});
}

}  // namespace trestle::slurm::choice
