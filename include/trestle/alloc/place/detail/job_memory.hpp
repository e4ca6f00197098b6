// SPDX-License-Identifier: Apache-2.0
#pragma once

// JobMemory: what a Placer remembers of one request: the answers to its parts, by demand.
//
// Layer: alloc (detail). Main types: JobMemory, RequestMemory, LeafTrees. A request with
// alternatives is several, its variants, asked one after the other.
// A reader would get wrong: parts of jobs of different sizes may ask the same and then share their
// answers.

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/fit/demand.hpp"
#include "trestle/alloc/place/answers.hpp"
#include "trestle/alloc/place/eligibility.hpp"
#include "trestle/alloc/place/job_groups.hpp"
#include "trestle/alloc/place/leaf_follower.hpp"
#include "trestle/alloc/place/state_follower.hpp"
#include "trestle/alloc/topology/leaf_tree.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/features.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// The trees of a cluster's topologies, made when they are first asked for.
class LeafTrees {
  public:
    /// Requires: the topology is a tree or blocks, and of the network that is always asked about.
    [[nodiscard]] const Shared<LeafTree>& of(const Network& network, TopologyId id) {
        const auto at = trees_.find(id);
        if (at != trees_.end()) return at->second;
        LeafTree tree = id.kind == TopologyKind::tree ? LeafTree(network.trees[id.position])
                                                      : LeafTree(network.blocks[id.position]);
        return trees_.emplace(id, Shared<LeafTree>(std::move(tree))).first->second;
    }

  private:
    std::map<TopologyId, Shared<LeafTree>> trees_;
};

/// The answers to the parts of a request, in one of its variants.
class RequestMemory {
  public:
    RequestMemory(const Cluster& cluster, const Request& request, const FitOptions& fit) {
        add(cluster, request, fit);
        for (Request component : request.components) {
            if (component.partition.empty()) component.partition = request.partition;
            component.time_limit = request.time_limit;
            add(cluster, std::move(component), fit);
        }
    }

    [[nodiscard]] const Request& request() const { return *groups_.front().request; }
    /// Groups of nodes that are asked for: the job's own, then its components.
    [[nodiscard]] std::size_t group_count() const { return groups_.size(); }
    /// The request of a group, as its partition changes it. Requires: below group_count().
    [[nodiscard]] const Request& request(std::size_t component) const {
        return *groups_[component].request;
    }
    /// How a group is answered, as its partition lets it. Requires: below group_count().
    [[nodiscard]] const FitOptions& fit(std::size_t component) const {
        return groups_[component].fit;
    }

    /// What the nodes say to the parts of a group; it follows the cluster.
    [[nodiscard]] PartAnswers& answers(const JobGroup& group, const Cluster& cluster,
                                       StateFollower& states) {
        const auto& [request, fit] = groups_[group.component];
        const NodeDemand demand = demand_of(*request, group.part, 1);
        auto at = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
            return one.component == group.component && one.demand == demand;
        });
        if (at == known_.end()) {
            known_.push_back({group.component,
                              demand,
                              std::make_unique<PartAnswers>(request, group.part, fit),
                              {}});
            at = std::prev(known_.end());
        }
        at->answers->follow(cluster, states);
        return *at->answers;
    }

    /// The counts of nodes at the leaves that can take the part; they follow the cluster.
    [[nodiscard]] const LeafIndex& leaves(const PartAnswers& answers, const Shared<LeafTree>& tree,
                                          const Cluster& cluster) {
        const auto at = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
            return one.answers.get() == &answers;
        });
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

  private:
    struct Known {
        std::size_t component = 0;
        NodeDemand demand;
        std::unique_ptr<PartAnswers> answers;
        std::vector<LeafFollower> followers;
    };

    /// What a group asks, and how its partition lets it be answered.
    struct Group {
        Shared<Request> request;
        FitOptions fit;
    };

    void add(const Cluster& cluster, Request request, FitOptions fit) {
        if (const auto at = find_partition(cluster, request.partition)) {
            const Partition& partition = cluster.partitions()[*at];
            request.exclusivity = effective_exclusivity(partition, request);
            fit.rows = effective_rows(partition, fit.rows);
        }
        groups_.push_back({std::move(request), fit});
    }

    std::vector<Group> groups_;
    std::vector<Known> known_;
};

/// The request once for each of its alternatives, in order: the preferred devices with each of the
/// feature sets, then other devices. With components, theirs vary first.
[[nodiscard]] inline std::vector<Request> variants_of(const Request& request) {
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

class JobMemory {
  public:
    JobMemory(const Cluster& cluster, const Request& request, const FitOptions& fit) {
        for (const Request& one : variants_of(request)) variants_.emplace_back(cluster, one, fit);
    }

    /// first_settled() of decide() with the request's variants.
    template <class Decide>
    [[nodiscard]] auto first_alternative(const Decide& decide) {
        return first_settled(variants_.size(), [&](std::size_t i) { return decide(variants_[i]); });
    }
    /// The request as it is preferred.
    [[nodiscard]] RequestMemory& preferred() { return variants_.front(); }

  private:
    std::vector<RequestMemory> variants_;
};

}  // namespace trestle::detail
