// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeQuestion: whether single nodes can take the largest part of a request, as place() would ask.
//
// Layer: alloc (detail). Main types: NodeQuestion, NodeFiller. What states say comes from
// PartAnswers, what they do not tell from NodeRules.
// A reader would get wrong: where the request names as many nodes as it wants, the others cannot
// take it.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/place/answers.hpp"
#include "trestle/alloc/place/detail/job_memory.hpp"
#include "trestle/alloc/place/detail/job_search.hpp"
#include "trestle/alloc/place/eligibility.hpp"
#include "trestle/alloc/place/job_groups.hpp"
#include "trestle/alloc/place/node_rules.hpp"
#include "trestle/alloc/place/state_follower.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

class NodeQuestion {
  public:
    /// Requires: `variant` has no alternatives and no components; `cluster` outlives this.
    NodeQuestion(const Cluster& cluster, const Request& variant, const FitOptions& fit)
        : memory_(cluster, variant, fit), rules_(node_rules(cluster, request())) {
        if (refuse_job(cluster, memory_) || !has_all_required(cluster)) return;
        const auto partition = find_partition(cluster, request().partition);
        const NodeCounts counts(
            request(), partition ? cluster.partitions()[*partition].nodes_per_job : Range<Count>(),
            static_cast<std::int64_t>(rules_.required.count()));
        const auto nodes = counts.has_any() ? counts.after(0, cluster.node_count()) : std::nullopt;
        if (nodes) group_ = groups_of(request(), *nodes).front();
    }

    /// As its partition changes it.
    [[nodiscard]] const Request& request() const { return memory_.request(); }
    /// False when the cluster refuses the job as a whole, or no number of nodes will do.
    [[nodiscard]] bool is_possible() const { return group_.has_value(); }
    /// True when nodes in one state may say different things.
    [[nodiscard]] bool counts_by_node() const { return rules_.limits.has_value(); }
    /// What is asked of a node, and how. Requires: is_possible().
    [[nodiscard]] const NodePart& part() const { return group_->part; }
    [[nodiscard]] const FitOptions& fit() const { return memory_.fit(0); }

    /// Takes note of what changed. Requires: is_possible(), here and below; it is asked about one
    /// cluster and one follower.
    void follow(const Cluster& cluster, StateFollower& states) {
        states.follow(cluster);
        answers_ = &memory_.answers(*group_, cluster, states);
    }
    /// False when the request keeps off the node, whatever is free on it. Requires: is_possible().
    [[nodiscard]] bool may_take(const Cluster& cluster, NodeId node) const {
        const NodeSet& required = rules_.required;
        if (is_all(required.count()) && !required.contains(node)) return false;
        for (const FeatureCount& one : request().feature_counts) {
            const std::int64_t nodes = one.nodes.value();
            if (nodes > group_->part.nodes) return false;
            if (nodes < group_->part.nodes) continue;
            if (!matches(one.features, cluster.class_of(node).features)) return false;
        }
        return !rules_.excluded.contains(node);
    }
    /// True when it keeps off no node. Requires: is_possible().
    [[nodiscard]] bool may_take_all() const {
        return !is_all(rules_.required.count()) && request().feature_counts.empty() &&
               rules_.allow_all();
    }
    /// Requires, here and below: follow(cluster); the node is in the state.
    [[nodiscard]] bool can_take(const Cluster& cluster, NodeId node, StateId state) const {
        return answers_->fits(state) && may_take(cluster, node) &&
               rules_.allow(node, [&] { return placement(cluster, node); });
    }
    /// Requires, here and below: can_take().
    [[nodiscard]] Candidate candidate(const Cluster& cluster, NodeId node) const {
        return *answers_->candidate(cluster, node);
    }
    [[nodiscard]] NodePlacement placement(const Cluster& cluster, NodeId node) const {
        return answers_->placement(cluster, candidate(cluster, node));
    }

  private:
    [[nodiscard]] bool has_all_required(const Cluster& cluster) const {
        const auto& names = request().required_nodes;
        return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
            return cluster.find_node(name).has_value();
        });
    }
    [[nodiscard]] bool is_all(std::uint64_t nodes) const {
        return static_cast<std::int64_t>(nodes) >= group_->part.nodes;
    }

    RequestMemory memory_;
    NodeRules rules_;
    std::optional<JobGroup> group_;
    PartAnswers* answers_ = nullptr;  ///< of the memory
};

/// Puts parts of a request on nodes until they take no more. Licences are not taken.
class NodeFiller {
  public:
    NodeFiller(const Cluster& cluster, const Scorer& scorer, const Request& request,
               const FitOptions& fit)
        : filled_(cluster), states_(scorer) {
        for (const Request& variant : variants_of(request)) {
            Variant one{variant, std::make_unique<NodeQuestion>(filled_, variant, fit)};
            if (one.asked->is_possible()) variants_.push_back(std::move(one));
        }
    }
    NodeFiller(const NodeFiller&) = delete;
    NodeFiller& operator=(const NodeFiller&) = delete;
    ~NodeFiller() = default;

    /// How many the node takes: each takes a part of a CPU or more. Requires: each node is asked
    /// about once.
    [[nodiscard]] std::int32_t fill(NodeId node) {
        std::int32_t count = 0;
        while (take_one(node)) ++count;
        return count;
    }

  private:
    struct Variant {
        Shared<Request> request;
        std::unique_ptr<NodeQuestion> asked;
    };

    /// In the first way in which it can.
    [[nodiscard]] bool take_one(NodeId node) {
        for (const Variant& one : variants_) {
            one.asked->follow(filled_, states_);
            if (!one.asked->can_take(filled_, node, filled_.states().of(node))) continue;
            NodePlacement part = one.asked->placement(filled_, node);
            const Status taken =
                filled_.commit({next_owner(), one.request, {{std::move(part)}, {}}});
            TRESTLE_EXPECTS(taken.ok(), "what a node can take it takes");
            return true;
        }
        return false;
    }
    [[nodiscard]] OwnerId next_owner() {
        while (filled_.find_allocation(OwnerId(owner_)) != nullptr) ++owner_;
        return OwnerId(owner_);
    }

    Cluster filled_;
    StateFollower states_;
    std::vector<Variant> variants_;
    std::uint64_t owner_ = 0;
};

}  // namespace trestle::detail
