// SPDX-License-Identifier: Apache-2.0
#pragma once

// JobMemory: what a Placer remembers of one request: the answers to its parts, by demand.
//
// Layer: alloc (detail). Main types: JobMemory, RequestMemory, LeafTrees.
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
#include "trestle/alloc/topology/leaf_tree.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/verdict.hpp"
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

/// The answers to the parts of a request, with one of its alternatives to devices.
class RequestMemory {
  public:
    RequestMemory(const Cluster& cluster, Request request, FitOptions fit) : fit_(fit) {
        if (const auto at = find_partition(cluster, request.partition)) {
            const Partition& partition = cluster.partitions()[*at];
            request.exclusivity = effective_exclusivity(partition, request);
            fit_.rows = effective_rows(partition, fit.rows);
        }
        groups_.push_back(request);
        for (Request component : request.components) {
            component.partition = request.partition;
            groups_.push_back(Shared<Request>(std::move(component)));
        }
    }

    [[nodiscard]] const Request& request() const { return *groups_.front(); }
    /// The request of a group: the job's own, or a component's.
    [[nodiscard]] const Request& request(std::size_t component) const {
        return *groups_[component];
    }

    /// What the nodes say to the parts of a group; it follows the cluster.
    [[nodiscard]] PartAnswers& answers(const JobGroup& group, const Cluster& cluster,
                                       const Scorer& scorer) {
        const Shared<Request>& request = groups_[group.component];
        const NodeDemand demand = demand_of(*request, group.part, 1);
        auto at = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
            return one.component == group.component && one.demand == demand;
        });
        if (at == known_.end()) {
            known_.push_back({group.component,
                              demand,
                              std::make_unique<PartAnswers>(request, group.part, fit_),
                              {}});
            at = std::prev(known_.end());
        }
        at->answers->follow(cluster, scorer);
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

    FitOptions fit_;
    std::vector<Shared<Request>> groups_;
    std::vector<Known> known_;
};

class JobMemory {
  public:
    JobMemory(const Cluster& cluster, Shared<Request> request, FitOptions fit)
        : request_(std::move(request)) {
        variants_.emplace_back(cluster, *request_, fit);
        for (const auto& devices : request_->device_alternatives) {
            Request other = *request_;
            other.devices = devices;
            variants_.emplace_back(cluster, std::move(other), fit);
        }
    }

    /// decide() of the request and, while that is a no, of its alternatives in order; all of them
    /// refused: the first refusal. A search that gave up has not refused, and ends the row.
    template <class Decide>
    [[nodiscard]] auto first_alternative(const Decide& decide) {
        const auto is_settled = [](const auto& verdict) {
            return verdict || verdict.refusal().constraint == Constraint::gave_up;
        };
        auto first = decide(variants_.front());
        if (is_settled(first)) return first;
        for (std::size_t i = 1; i < variants_.size(); ++i) {
            auto verdict = decide(variants_[i]);
            if (is_settled(verdict)) return verdict;
        }
        return first;
    }

  private:
    Shared<Request> request_;
    std::vector<RequestMemory> variants_;
};

}  // namespace trestle::detail
