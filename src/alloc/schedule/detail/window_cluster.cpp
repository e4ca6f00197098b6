// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/window_cluster.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "alloc/cluster/cluster_impl.hpp"
#include "alloc/cluster/node_part.hpp"
#include "trestle/model/partition.hpp"

namespace trestle {

namespace detail {

void WindowCluster::open(const Timeline& timeline, const Period& period) {
    follow(timeline);
    const auto [start, later_start] = std::minmax(period_.first, period.first);
    for_each_in(timeline.ends(), {after(start), after(later_start)},
                [&](OwnerId owner) { look_at(*timeline.find_allocation(owner)); });
    const auto [end, later_end] = std::minmax(period_.end, period.end);
    for_each_in(timeline.starts(), {end, later_end},
                [&](OwnerId owner) { look_at(*timeline.find_allocation(owner)); });
    period_ = period;
    refresh(timeline);
}

void WindowCluster::follow(const Timeline& timeline) {
    const Cluster& now = timeline.cluster();
    const auto nodes = now.journal().since(cluster_followed_);
    const auto owners = timeline.journal().since(followed_);
    if (nodes && owners && description_.is_same_object(now.description())) {
        stale_.insert(stale_.end(), nodes->begin(), nodes->end());
        for (const NodeId node : *nodes) known_[node.value()].all.clear();
        for (const OwnerId owner : *owners) {
            if (const auto* const before = reserved_.find(owner)) look_at_changed(**before);
            const auto* const has = timeline.find_allocation(owner);
            if (has) look_at_changed(*has);
            are_counts_stale_ |= !has;  // it may have run with some
        }
    } else {
        start_anew(timeline);
    }
    cluster_followed_ = now.journal().position();
    followed_ = timeline.journal().position();
    reserved_ = timeline.reserved();
}

void WindowCluster::start_anew(const Timeline& timeline) {
    cluster_ = timeline.cluster();
    description_ = cluster_.description();
    known_.assign(cluster_.node_count(), {});
    period_ = {timeline.now(), timeline.now()};
    are_counts_stale_ = true;
    counting_.clear();
    for (const Partition& one : cluster_.partitions()) {
        if (!one.max_cpus_per_node) continue;
        Request request;
        request.partition = one.name;
        counting_.push_back({one.nodes, Shared<Request>(std::move(request))});
    }
    if (counting_.empty()) return;
    for (const Allocation& one : timeline.cluster().allocations()) {
        look_at(one);
        cluster_.impl().put_allocation(one.owner, std::nullopt);
    }
}

void WindowCluster::look_at(const Allocation& allocation) {
    for (const NodePlacement& part : allocation.placement.nodes) stale_.push_back(part.node);
    are_counts_stale_ |= !allocation.placement.cluster_counts.empty();
}

void WindowCluster::look_at_changed(const Allocation& allocation) {
    look_at(allocation);
    for (const NodePlacement& part : allocation.placement.nodes)
        known_[part.node.value()].all.clear();
}

void WindowCluster::put(Cluster& cluster, NodeId node, const NodeStateData& state) {
    cluster.impl().put_state(node, cluster.impl().states_.intern(state));
}

void WindowCluster::tidy(Cluster& cluster) { cluster.impl().states_.tidy(); }

void WindowCluster::refresh(const Timeline& timeline) {
    std::sort(stale_.begin(), stale_.end());
    stale_.erase(std::unique(stale_.begin(), stale_.end()), stale_.end());
    tidy(cluster_);
    for (const NodeId node : stale_) {
        put(timeline, node);
        count_cpus(timeline, node);
    }
    stale_.clear();
    if (are_counts_stale_) cluster_.impl().free_counts_ = timeline.free_counts(period_);
    are_counts_stale_ = false;
}

void WindowCluster::put(const Timeline& timeline, NodeId node) {
    KnownStates& known = known_[node.value()];
    if (known.first != period_.first) known = {period_.first, {}};
    for (const KnownStates::One& one : known.all) {
        if (!(one.starts.first < period_.end) || one.starts.end < period_.end) continue;
        cluster_.impl().put_state(node, cluster_.impl().states_.intern(one.state));
        return;
    }
    const NodeStateData state = timeline.state(node, period_);
    const StateId id = cluster_.impl().states_.intern(state);
    known.all.push_back({timeline.starts_around(node, period_.end), cluster_.impl().states_[id]});
    cluster_.impl().put_state(node, id);
}

void WindowCluster::count_cpus(const Timeline& timeline, NodeId node) {
    for (std::size_t i = 0; i < counting_.size(); ++i) {
        if (!counting_[i].nodes.contains(node)) continue;
        const OwnerId owner(node.value() * counting_.size() + i);
        const Shared<Request>& jobs = counting_[i].jobs;
        NodePlacement most;
        most.node = node;
        most.milli_cpus = timeline.most_cpus(node, jobs->partition, period_);
        std::optional<Cow<Allocation>> taken;
        if (!is_empty(most)) taken.emplace(Allocation{owner, jobs, {{std::move(most)}, {}}});
        cluster_.impl().put_allocation(owner, std::move(taken));
    }
}

}  // namespace detail

}  // namespace trestle
