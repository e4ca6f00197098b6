// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/queue/lookahead.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "alloc/schedule/detail/node_profile.hpp"
#include "alloc/schedule/detail/time_limit.hpp"
#include "alloc/schedule/queue/whole_nodes.hpp"

namespace trestle {

namespace detail {

namespace {

/// The fewest nodes that a job takes for itself, or nothing for one that shares nodes.
std::optional<std::int64_t> whole_nodes_of(const Cluster& cluster, const Request& request) {
    if (!request.components.empty() || !wants_whole_nodes(cluster, request)) return std::nullopt;
    return std::max<std::int64_t>(1, request.nodes.least().value());
}

/// Nodes to which new work may go.
NodeSet usable_nodes(const Cluster& cluster) {
    NodeSet nodes;
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        if (is_usable(cluster.class_of(NodeId(i)))) nodes.insert(NodeId(i));
    }
    return nodes;
}

constexpr std::int64_t cells_max = 8'000'000;  ///< of the table of best_set()

}  // namespace

std::vector<std::size_t> best_set(std::span<const WeighedJob> jobs, std::int64_t free,
                                  std::int64_t extra) {
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    const auto width = static_cast<std::size_t>(free) + 1;
    // By the jobs from a position on and a number of nodes: how many of these reach over, at least.
    std::vector<std::int64_t> least((jobs.size() + 1) * width, never);
    least[jobs.size() * width] = 0;
    const auto with = [&](std::size_t job, std::size_t nodes) {
        const auto size = static_cast<std::size_t>(jobs[job].nodes);
        if (jobs[job].nodes > free || nodes < size) return never;
        const std::int64_t rest = least[(job + 1) * width + nodes - size];
        return rest == never || !jobs[job].reaches_over ? rest : rest + jobs[job].nodes;
    };
    for (std::size_t job = jobs.size(); job-- > 0;) {
        for (std::size_t nodes = 0; nodes < width; ++nodes) {
            least[job * width + nodes] =
                std::min(least[(job + 1) * width + nodes], with(job, nodes));
        }
    }
    std::size_t left = static_cast<std::size_t>(free);
    while (left > 0 && least[left] > extra) --left;
    std::vector<std::size_t> chosen;
    for (std::size_t job = 0; job < jobs.size() && left > 0; ++job) {
        if (with(job, left) > extra) continue;
        chosen.push_back(job);
        left -= static_cast<std::size_t>(jobs[job].nodes);
        if (jobs[job].reaches_over) extra -= jobs[job].nodes;
    }
    return chosen;
}

bool weighs_together(const Discipline& discipline) {
    return discipline.reservations_max == Count(1) && !discipline.lookahead_max.is_zero();
}

void put_best_set_first(Pass& pass, std::span<const QueuedJob> queue,
                        std::span<std::size_t> positions, Count most) {
    const Timeline& plan = pass.plan();
    const TimedAllocation& reserved = pass.result().reservations.front();
    const auto looked_at = positions.first(std::min(
        positions.size(), static_cast<std::size_t>(std::max<std::int64_t>(0, most.value()))));
    std::vector<WeighedJob> jobs;
    std::vector<std::size_t> where;  // among the positions
    for (std::size_t i = 0; i < looked_at.size(); ++i) {
        const QueuedJob& job = queue[looked_at[i]];
        const auto nodes = whole_nodes_of(plan.cluster(), *job.request);
        if (!nodes || pass.can_never_start(job)) continue;
        const auto duration =
            job.duration ? job.duration : time_limit_of(plan.cluster(), *job.request);
        jobs.push_back({*nodes, reserved.period.first < period_of(plan.now(), duration).end});
        where.push_back(i);
    }
    NodeProfile profile;
    profile.follow(plan);
    const NodeSet usable = usable_nodes(plan.cluster());
    const auto free_at = [&](Instant at) {
        const NodeSet untouched = *profile.untouched(period_of(at, Seconds(1)), 0);
        return static_cast<std::int64_t>((untouched & usable).count());
    };
    const std::int64_t free = free_at(plan.now());
    const auto jobs_max = static_cast<std::size_t>(cells_max / (free + 1));
    if (jobs.size() > jobs_max) jobs.resize(jobs_max);
    std::int64_t taken = 0;
    for_each_node(reserved.allocation.placement, [&](const auto&) { ++taken; });
    const std::int64_t extra = std::max<std::int64_t>(0, free_at(reserved.period.first) - taken);
    std::vector<bool> is_chosen(looked_at.size());
    for (const std::size_t one : best_set(jobs, free, extra)) {
        is_chosen[where[one]] = true;
    }
    std::vector<std::size_t> ordered;
    for (const bool wanted : {true, false}) {
        for (std::size_t i = 0; i < looked_at.size(); ++i) {
            if (is_chosen[i] == wanted) ordered.push_back(looked_at[i]);
        }
    }
    std::copy(ordered.begin(), ordered.end(), looked_at.begin());
}

}  // namespace detail

}  // namespace trestle
