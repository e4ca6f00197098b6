// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/kept/job_kinds.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "alloc/cluster/place/detail/monotone.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/node/demand_rules.hpp"
#include "alloc/schedule/candidates/node_need.hpp"
#include "alloc/schedule/detail/time_limit.hpp"
#include "alloc/schedule/queue/whole_nodes.hpp"

namespace trestle {

namespace detail {

namespace {

/// The most threads of a core in the cluster.
std::int64_t most_threads(const Cluster& cluster) {
    std::int64_t most = 1;
    for (std::uint32_t id = 0; id < cluster.classes().size(); ++id) {
        for (const ThreadCounts::Kind& kind :
             cluster.classes().known(ClassId(id)).threads.kinds()) {
            most = std::max(most, kind.threads);
        }
    }
    return most;
}

/// What the job takes at least of all nodes together.
NodesAndCores least_of(const Cluster& cluster, const Request& request) {
    NodesAndCores least;
    if (!request.components.empty()) return least;
    const std::int64_t nodes = std::max<std::int64_t>(1, request.nodes.least().value());
    if (wants_whole_nodes(cluster, request)) least.nodes = nodes;
    const std::int64_t cpus_of_node = least_need(request).cpus;
    std::int64_t cpus = saturating_product(cpus_of_node, nodes);
    if (request.tasks && cpus_of_node > 0 && !request.tasks_per_core) {
        cpus = std::max(cpus,
                        saturating_product(request.tasks->value(), cpus_of_task(request).value()));
    }
    least.cores = cpus / most_threads(cluster);
    return least;
}

/// A job that takes so long ends within time, whenever it starts.
constexpr Seconds plain_limit_max(std::int64_t{1} << 61);

/// True for a request of nothing but a number of nodes.
bool asks_for_nodes_alone(Request request) {
    if (request.nodes.min != request.nodes.max) return false;
    const Request plain;
    request.nodes = plain.nodes;
    request.exclusivity = plain.exclusivity;
    request.time_limit = plain.time_limit;
    return request == plain;
}

}  // namespace

JobKind& JobKinds::enter(const QueuedJob& job, const Turn& turn, const Cluster& cluster) {
    const auto [found, is_new] = kinds_.try_emplace(Key{job.request, job.duration});
    if (is_new) {
        found->second = std::make_unique<JobKind>();
        JobKind& kind = *found->second;
        kind.request = job.request;
        kind.duration = job.duration;
        kind.limit = job.duration ? job.duration : time_limit_of(cluster, *job.request);
        kind.takes = least_of(cluster, *job.request);
        kind.has_nodes_alone = kind.takes.nodes > 0 && job.request->cluster_counts.empty();
        kind.is_plain = kind.has_nodes_alone && asks_for_nodes_alone(*job.request) &&
                        (!kind.limit || (Seconds() < *kind.limit && *kind.limit < plain_limit_max));
        kind.is_monotone = is_monotone(cluster, *job.request);
    }
    JobKind& kind = *found->second;
    if (!kind.turns.empty() && turn < *kind.turns.begin()) fronts_.erase(*kind.turns.begin());
    kind.turns.insert(turn);
    fronts_.emplace(*kind.turns.begin(), &kind);
    return kind;
}

bool JobKinds::remove(JobKind& kind, const Turn& turn) {
    const bool was_first = *kind.turns.begin() == turn;
    kind.turns.erase(turn);
    if (was_first) fronts_.erase(turn);
    if (kind.turns.empty()) {
        kinds_.erase(Key{kind.request, kind.duration});
        return true;
    }
    if (was_first) fronts_.emplace(*kind.turns.begin(), &kind);
    return false;
}

void JobKinds::clear() {
    fronts_.clear();
    kinds_.clear();
}

void JobKinds::forget_refusals() {
    for (const auto& [turn, kind] : fronts_) kind->is_refused = false;
}

}  // namespace detail

}  // namespace trestle
