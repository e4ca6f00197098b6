// SPDX-License-Identifier: Apache-2.0
#pragma once

// RequestCache: what a Placer remembers of one request: the answers to its parts, by demand.
//
// Layer: alloc (detail). Main types: RequestCache, VariantCache, LeafTrees. A request with
// alternatives is several, its variants, asked one after the other.
// Pitfall: parts of jobs of different sizes may ask the same and then share their answers.

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "alloc/cluster/place/job_groups.hpp"
#include "alloc/cluster/place/leaf_count_cache.hpp"
#include "alloc/cluster/place/node_ranking.hpp"
#include "alloc/cluster/place/split/splits.hpp"
#include "alloc/cluster/place/state_cache.hpp"
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
class VariantCache {
  public:
    /// Alternatives of the request are ignored.
    VariantCache(const Cluster& cluster, const Shared<Request>& request, const FitOptions& fit);

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

    /// What the nodes allow of the splits of a group, worked out when it is first asked for.
    /// Requires: below group_count().
    [[nodiscard]] const SplitLimits& split_limits(std::size_t component, const Cluster& cluster,
                                                  const StateCache& states);

    /// What is free for a group, of the amounts that it splits; as it was first asked for since
    /// start(). Requires: below group_count().
    [[nodiscard]] const FreeAmounts& free_amounts(std::size_t component, const Cluster& cluster);

    /// The same of some nodes alone, as it is now. Complexity: the candidates.
    [[nodiscard]] FreeAmounts free_amounts_of(std::size_t component, const Cluster& cluster,
                                              const NodeSet& candidates) const;

    /// Begins a decision: what is known of the shares of uneven splits is forgotten where it has
    /// become much, and what was free.
    void start();
    /// What the nodes say to the parts of a group; it follows the cluster.
    [[nodiscard]] NodeRanking& ranking(const JobGroup& group, const Cluster& cluster,
                                       StateCache& states);

    /// The counts of nodes at the leaves that can take the part; they follow the cluster.
    [[nodiscard]] const LeafIndex& leaves(const NodeRanking& ranking, const Shared<LeafTree>& tree,
                                          const Cluster& cluster);

  private:
    static constexpr std::size_t known_max = 512;

    struct Known {
        std::size_t component = 0;
        NodeDemand demand;
        std::unique_ptr<NodeRanking> ranking;
        std::vector<LeafCountCache> followers;
        bool is_share = true;  ///< only of uneven splits
    };

    /// What a group asks, and how its partition lets it be answered.
    struct Group {
        Shared<Request> request;
        FitOptions fit;
        std::optional<SplitLimits> split_limits = {};
        std::optional<FreeAmounts> free_amounts = {};
    };

    void add(const Cluster& cluster, const Shared<Request>& request, const FitOptions& fit);

    std::vector<Group> groups_;
    std::vector<Known> known_;
};

class RequestCache {
  public:
    /// `variants` are those of one request.
    RequestCache(const Cluster& cluster, std::span<const Shared<Request>> variants,
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
    [[nodiscard]] VariantCache& preferred() { return variants_.front(); }

  private:
    std::vector<VariantCache> variants_;
};

}  // namespace trestle::detail
