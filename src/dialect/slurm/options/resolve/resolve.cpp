// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/resolve.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "conflicts.hpp"
#include "gres_totals.hpp"
#include "minimum_counts.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace {

Status check_times(const JobOptions& options) {
    if (!options.time_min || !options.time || !options.time->limit) return {};
    if (options.time_min->limit && !(*options.time->limit < *options.time_min->limit)) return {};
    return invalid_argument("--time-min: above --time: expected no more than it");
}

Status check_node_names(const JobOptions& options) {
    if (!options.nodelist || !options.exclude) return {};
    const Hostlist both = *options.nodelist & *options.exclude;
    if (both.is_empty()) return {};
    return invalid_argument("--exclude: conflicts with --nodelist: both name {}", both[0]);
}

/// The node list asks for as many nodes as it names.
Status add_listed_nodes(JobOptions& options) {
    if (!options.nodelist) return {};
    const std::uint64_t size = options.nodelist->sorted().size();
    const Count listed(static_cast<std::int64_t>(std::min(size, std::uint64_t{1} << 62)));
    if (!options.nodes) {
        options.nodes = NodeCounts{Range<Count>::at_least(listed), {}};
        return {};
    }
    Range<Count>& range = options.nodes->range;
    if (range.max && *range.max < listed) {
        return invalid_argument("--nodelist: {} nodes are more than --nodes: {}: expected no more",
                                listed.value(), range.max->value());
    }
    range.min = std::max(range.least(), listed);
    auto& sizes = options.nodes->sizes;
    sizes.erase(sizes.begin(), std::lower_bound(sizes.begin(), sizes.end(), listed));
    if (!sizes.empty()) range.min = sizes.front();
    return {};
}

/// The first nodes of a list; of its sorted form, where it says names twice.
Hostlist first_nodes(const Hostlist& list, std::int64_t count) {
    const Hostlist sorted = list.sorted();
    const Hostlist& names = sorted.size() == list.size() ? list : sorted;
    Hostlist result;
    const std::uint64_t size = std::min(names.size(), static_cast<std::uint64_t>(count));
    for (std::uint64_t i = 0; i < size; ++i) result.push_back(names[i]);
    return result;
}

/// Each node has a task: fewer tasks than nodes lower the nodes, with a warning.
void lower_nodes(ResolvedOptions& resolved) {
    JobOptions& options = resolved.options;
    if (!options.ntasks || !options.nodes || !(*options.ntasks < options.nodes->range.least())) {
        return;
    }
    const Count tasks = *options.ntasks;
    resolved.warnings.push_back(fmt::format("{} tasks run on at most {} nodes: {} were asked",
                                            tasks.value(), tasks.value(),
                                            options.nodes->range.least().value()));
    resolved.nodes_before = std::move(options.nodes);
    options.nodes = NodeCounts{Range<Count>::exactly(tasks), {}};
    if (options.nodelist && options.nodelist->size() > static_cast<std::uint64_t>(tasks.value())) {
        options.nodelist = first_nodes(*options.nodelist, tasks.value());
    }
}

std::optional<Count> tasks_of_all_nodes(const JobOptions& options, Count per_node) {
    const Count nodes = options.nodes ? options.nodes->range.least() : Count(1);
    return checked_mul(nodes, per_node.value());
}

/// One task for each socket, core or thread that was asked of each node; nothing where none was.
std::optional<Count> tasks_of_parts(const JobOptions& options, Count nodes) {
    std::optional<Count> tasks;
    for (const auto& asked :
         {options.sockets_per_node, options.cores_per_socket, options.threads_per_core}) {
        if (!asked || !asked->min) continue;
        tasks = checked_mul(tasks.value_or(nodes), asked->min->value());
        if (!tasks) return std::nullopt;
    }
    return tasks;
}

/// Whether -N or -w leaves one number of nodes; -B alone is of one node.
bool has_one_size(const JobOptions& options) {
    if (!options.nodes) return options.has_extra_node_info;
    return !options.nodes->range.max || options.nodes->range.is_single();
}

/// Tasks that follow from the nodes.
Status derive_tasks(JobOptions& options) {
    if (options.ntasks) return {};
    if (options.ntasks_per_node) {
        options.ntasks = tasks_of_all_nodes(options, *options.ntasks_per_node);
        if (options.ntasks) return {};
        return invalid_argument("--ntasks-per-node: more tasks than can be counted");
    }
    const bool has_fixed_nodes = options.nodes && options.nodes->range.is_single();
    if (has_one_size(options)) {
        const Count nodes = options.nodes ? options.nodes->range.least() : Count(1);
        options.ntasks = tasks_of_parts(options, nodes);
        if (options.ntasks) return {};
    }
    const bool asks_by_task = options.gpus_per_task || options.tres_per_task;
    if (has_fixed_nodes && asks_by_task && !options.cpus_per_task) {
        options.ntasks = options.nodes->range.min;
    }
    return {};
}

}  // namespace

StatusOr<ResolvedOptions> resolve(JobOptions options) {
    TRESTLE_TRY_STATUS(check_least_counts(options));
    TRESTLE_TRY_STATUS(check_conflicts(options));
    TRESTLE_TRY_STATUS(check_times(options));
    TRESTLE_TRY_STATUS(check_node_names(options));
    ResolvedOptions resolved{std::move(options), {}, {}};
    std::string dropped = drop_idle_hint(resolved.options);
    if (!dropped.empty()) resolved.warnings.push_back(std::move(dropped));
    TRESTLE_TRY_STATUS(add_listed_nodes(resolved.options));
    TRESTLE_TRY_STATUS(derive_tasks(resolved.options));
    lower_nodes(resolved);
    TRESTLE_TRY_STATUS(resolve_gres(resolved.options));
    TRESTLE_TRY_STATUS(derive_tasks(resolved.options));
    lower_nodes(resolved);
    return resolved;
}

}  // namespace trestle::slurm
