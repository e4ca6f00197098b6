// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeQuestion: whether single nodes can take part_of_one() of a request, as place() would ask.
//
// Layer: alloc (detail). Main types: NodeQuestion, NodeFiller. What states say comes from
// NodeRanking, what they do not tell from NodeRules.
// Pitfall: where the request names as many nodes as it wants, the others cannot take it.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "alloc/cluster/place/detail/request_cache.hpp"
#include "alloc/cluster/place/job_groups.hpp"
#include "alloc/cluster/place/node_ranking.hpp"
#include "alloc/cluster/place/node_rules.hpp"
#include "alloc/cluster/place/state_cache.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

class NodeQuestion {
  public:
    /// Requires: `variant` has no alternatives and no components; `cluster` outlives this.
    NodeQuestion(const Cluster& cluster, const Shared<Request>& variant, const FitOptions& fit);

    /// As its partition changes it.
    [[nodiscard]] const Request& request() const { return cache_.request(); }
    /// False when the cluster refuses the job as a whole, or no number of nodes will do.
    [[nodiscard]] bool is_possible() const { return group_.has_value(); }
    /// True when nodes in one state may say different things.
    [[nodiscard]] bool counts_by_node() const { return rules_.limits.has_value(); }
    /// What is asked of a node, and how. Requires: is_possible().
    [[nodiscard]] const NodePart& part() const { return group_->part; }
    [[nodiscard]] const FitOptions& fit() const { return cache_.fit(0); }

    /// Takes note of what changed. Requires: is_possible(), here and below; it is asked about one
    /// cluster and one follower.
    void follow(const Cluster& cluster, StateCache& states);
    /// False when the request keeps off the node, whatever is free on it. Requires: is_possible().
    [[nodiscard]] bool may_take(const Cluster& cluster, NodeId node) const;
    /// True when it keeps off no node. Requires: is_possible().
    [[nodiscard]] bool may_take_all() const;
    /// Requires, here and below: follow(cluster); the node is in the state.
    [[nodiscard]] bool can_take(const Cluster& cluster, NodeId node, StateId state) const;
    /// Requires, here and below: can_take().
    [[nodiscard]] Candidate candidate(const Cluster& cluster, NodeId node) const {
        return *answers_->candidate(cluster, node);
    }
    [[nodiscard]] NodePlacement placement(const Cluster& cluster, NodeId node) const {
        return answers_->placement(cluster, candidate(cluster, node));
    }

  private:
    [[nodiscard]] bool has_all_required(const Cluster& cluster) const;
    [[nodiscard]] bool is_all(std::uint64_t nodes) const {
        return static_cast<std::int64_t>(nodes) >= group_->part.nodes;
    }

    VariantCache cache_;
    NodeRules rules_;
    std::optional<JobGroup> group_;
    NodeRanking* answers_ = nullptr;  ///< of the memory
};

/// Puts parts of a request on nodes until they take no more. Licences are not taken.
class NodeFiller {
  public:
    NodeFiller(const Cluster& cluster, const Scorer& scorer, const Request& request,
               const FitOptions& fit);
    NodeFiller(const NodeFiller&) = delete;
    NodeFiller& operator=(const NodeFiller&) = delete;
    ~NodeFiller() = default;

    /// How many the node takes: each takes a part of a CPU or more. Requires: each node is asked
    /// about once.
    [[nodiscard]] std::int32_t fill(NodeId node);

  private:
    struct Variant {
        Shared<Request> request;
        std::unique_ptr<NodeQuestion> asked;
    };

    /// In the first way in which it can.
    [[nodiscard]] bool take_one(NodeId node);
    [[nodiscard]] OwnerId next_owner();

    Cluster filled_;
    StateCache states_;
    std::vector<Variant> variants_;
    std::uint64_t owner_ = 0;
};

}  // namespace trestle::detail
