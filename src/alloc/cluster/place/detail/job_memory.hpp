// SPDX-License-Identifier: Apache-2.0
#pragma once

// JobMemory: what a Placer remembers of one request: the answers to its parts, by demand.
//
// Layer: alloc (detail). Main types: JobMemory, RequestMemory, LeafTrees. A request with
// alternatives is several, its variants, asked one after the other.
// A reader would get wrong: parts of jobs of different sizes may ask the same and then share their
// answers.

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "alloc/cluster/place/answers.hpp"
#include "alloc/cluster/place/job_groups.hpp"
#include "alloc/cluster/place/leaf_follower.hpp"
#include "alloc/cluster/place/state_follower.hpp"
#include "alloc/cluster/topology/leaf_tree.hpp"
#include "alloc/node/demand_rules.hpp"
#include "model/topologies.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// The trees of a cluster's topologies, made when they are first asked for.
class LeafTrees {
  public:
    /// Requires: the topology is a tree or blocks, and of the network that is always asked about.
    [[nodiscard]] const Shared<LeafTree>& of(const Network& network, TopologyId id);

  private:
    std::map<TopologyId, Shared<LeafTree>> trees_;
};

/// The answers to the parts of a request, in one of its variants.
class RequestMemory {
  public:
    /// Alternatives of the request are ignored.
    RequestMemory(const Cluster& cluster, const Shared<Request>& request, const FitOptions& fit);

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
                                       StateFollower& states);

    /// The counts of nodes at the leaves that can take the part; they follow the cluster.
    [[nodiscard]] const LeafIndex& leaves(const PartAnswers& answers, const Shared<LeafTree>& tree,
                                          const Cluster& cluster);

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

    void add(const Cluster& cluster, const Shared<Request>& request, const FitOptions& fit);

    std::vector<Group> groups_;
    std::vector<Known> known_;
};

class JobMemory {
  public:
    /// `variants` are those of one request.
    JobMemory(const Cluster& cluster, std::span<const Shared<Request>> variants,
              const FitOptions& fit) {
        variants_.reserve(variants.size());
        for (const Shared<Request>& one : variants) variants_.emplace_back(cluster, one, fit);
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
