// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/detail/job_memory.hpp"

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

RequestMemory::RequestMemory(const Cluster& cluster, const Request& request,
                             const FitOptions& fit) {
    add(cluster, request, fit);
    for (Request component : request.components) {
        if (component.partition.empty()) component.partition = request.partition;
        component.time_limit = request.time_limit;
        add(cluster, std::move(component), fit);
    }
}

PartAnswers& RequestMemory::answers(const JobGroup& group, const Cluster& cluster,
                                    StateFollower& states) {
    const auto& [request, fit] = groups_[group.component];
    const NodeDemand demand = demand_of(*request, group.part, 1);
    auto at = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
        return one.component == group.component && one.demand == demand;
    });
    if (at == known_.end()) {
        known_.push_back(
            {group.component, demand, std::make_unique<PartAnswers>(request, group.part, fit), {}});
        at = std::prev(known_.end());
    }
    at->answers->follow(cluster, states);
    return *at->answers;
}

const LeafIndex& RequestMemory::leaves(const PartAnswers& answers, const Shared<LeafTree>& tree,
                                       const Cluster& cluster) {
    const auto at = std::find_if(known_.begin(), known_.end(),
                                 [&](const Known& one) { return one.answers.get() == &answers; });
    auto follower =
        std::find_if(at->followers.begin(), at->followers.end(),
                     [&](const LeafFollower& one) { return one.tree().is_same_object(tree); });
    if (follower == at->followers.end()) {
        at->followers.emplace_back(tree);
        follower = std::prev(at->followers.end());
    }
    follower->follow(cluster, answers);
    return follower->index();
}

void RequestMemory::add(const Cluster& cluster, Request request, FitOptions fit) {
    if (const auto at = find_partition(cluster, request.partition)) {
        const Partition& partition = cluster.partitions()[*at];
        request.exclusivity = effective_exclusivity(partition, request);
        fit.rows = effective_rows(partition, fit.rows);
    }
    groups_.push_back({std::move(request), fit});
}

std::vector<Request> variants_of(const Request& request) {
    std::vector<Request> variants;
    std::vector<std::vector<DeviceRequest>> devices{request.devices};
    devices.insert(devices.end(), request.device_alternatives.begin(),
                   request.device_alternatives.end());
    std::vector<FeatureExpression> sets = request.feature_sets;
    if (sets.empty()) sets.emplace_back();
    for (const auto& some : devices) {
        for (const FeatureExpression& set : sets) {
            Request one = request;
            one.devices = some;
            one.features = one.features & set;
            variants.push_back(std::move(one));
        }
    }
    for (std::size_t i = 0; i < request.components.size(); ++i) {
        const std::vector<Request> of_component = variants_of(request.components[i]);
        std::vector<Request> all;
        for (const Request& one : variants) {
            for (const Request& component : of_component) {
                all.push_back(one);
                all.back().components[i] = component;
            }
        }
        variants = std::move(all);
    }
    return variants;
}

}  // namespace detail

}  // namespace trestle
