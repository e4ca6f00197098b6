// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/detail/request_cache.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "alloc/cluster/place/eligibility.hpp"
#include "model/partition_rules.hpp"
#include "trestle/model/features.hpp"
#include "trestle/model/partition.hpp"

namespace trestle {

namespace detail {

const Shared<LeafTree>& LeafTrees::of(const Network& network, TopologyId id) {
    const auto at = trees_.find(id);
    if (at != trees_.end()) return at->second;
    LeafTree tree = id.kind == TopologyKind::tree ? LeafTree(network.trees[id.position])
                                                  : LeafTree(network.blocks[id.position]);
    return trees_.emplace(id, Shared<LeafTree>(std::move(tree))).first->second;
}

VariantCache::VariantCache(const Cluster& cluster, const Shared<Request>& request,
                           const FitOptions& fit) {
    groups_.reserve(1 + request->components.size());
    add(cluster, request, fit);
    for (Request component : request->components) {
        if (component.partition.empty()) component.partition = request->partition;
        component.time_limit = request->time_limit;
        add(cluster, Shared<Request>(std::move(component)), fit);
    }
}

const SplitLimits& VariantCache::split_limits(std::size_t component, const Cluster& cluster,
                                              const StateCache& states) {
    Group& group = groups_[component];
    if (!group.split_limits) {
        group.split_limits = SplitLimits::of(cluster, *group.request);
        if (states.scorer().may_have_none()) group.split_limits->takes_less = false;
    }
    return *group.split_limits;
}

const FreeAmounts& VariantCache::free_amounts(std::size_t component, const Cluster& cluster) {
    Group& group = groups_[component];
    if (!group.free_amounts) {
        group.free_amounts = FreeAmounts::of(cluster, *group.request, group.fit);
    }
    return *group.free_amounts;
}

FreeAmounts VariantCache::free_amounts_of(std::size_t component, const Cluster& cluster,
                                          const NodeSet& candidates) const {
    const Group& group = groups_[component];
    return FreeAmounts::of(cluster, *group.request, group.fit, &candidates);
}

void VariantCache::start() {
    for (Group& group : groups_) group.free_amounts.reset();
    if (known_.size() > known_max) {
        std::erase_if(known_, [](const Known& one) { return one.is_share; });
    }
}

NodeRanking& VariantCache::ranking(const JobGroup& group, const Cluster& cluster,
                                   StateCache& states) {
    const Shared<Request>& request = groups_[group.component].request;
    const FitOptions& fit = groups_[group.component].fit;
    NodeDemand demand = demand_of(*request, group.part, 1);
    auto at = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
        return one.component == group.component && one.demand == demand;
    });
    if (at == known_.end()) {
        known_.push_back({group.component,
                          std::move(demand),
                          std::make_unique<NodeRanking>(request, group.part, fit),
                          {}});
        at = std::prev(known_.end());
    }
    at->is_share &= group.part.tasks.has_value();
    at->ranking->follow(cluster, states);
    return *at->ranking;
}

const LeafIndex& VariantCache::leaves(const NodeRanking& ranking, const Shared<LeafTree>& tree,
                                      const Cluster& cluster) {
    const auto at = std::find_if(known_.begin(), known_.end(),
                                 [&](const Known& one) { return one.ranking.get() == &ranking; });
    auto follower =
        std::find_if(at->followers.begin(), at->followers.end(),
                     [&](const LeafCountCache& one) { return one.tree().is_same_object(tree); });
    if (follower == at->followers.end()) {
        at->followers.emplace_back(tree);
        follower = std::prev(at->followers.end());
    }
    follower->follow(cluster, ranking);
    return follower->index();
}

void VariantCache::add(const Cluster& cluster, const Shared<Request>& request,
                       const FitOptions& fit) {
    groups_.push_back({request, fit});
    const auto at = find_partition(cluster, request->partition);
    if (!at) return;
    const Partition& partition = cluster.partitions()[*at];
    groups_.back().fit.rows = effective_rows(partition, fit.rows);
    const Exclusivity exclusivity = effective_exclusivity(partition, *request);
    if (exclusivity == request->exclusivity) return;
    Request changed = *request;
    changed.exclusivity = exclusivity;
    groups_.back().request = Shared<Request>(std::move(changed));
}

}  // namespace detail

}  // namespace trestle
