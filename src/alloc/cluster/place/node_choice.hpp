// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeChoice: nodes for all parts of a job, each another one.
//
// Layer: alloc. Main type: NodeChoice. Part by part, the largest first, each gets the first node in
// the order of place() that leaves nodes for the others. Taking the best first mostly does that;
// where it does not, whether the others can still be served is a matching, and only where parts
// share out features a search, which may give up.
// Pitfall: of the nodes that a part could have, only as many are looked at as the job has parts (of
// each combination of features that counts), and the required ones: the others never matter.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "alloc/cluster/place/node_ranking.hpp"
#include "alloc/cluster/place/node_rules.hpp"
#include "alloc/node/step_budget.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// Which nodes a choice may use: those in `among`, if any is given, that pass the filter.
struct NodePool {
    const NodeSet* among = nullptr;
    const NodeFilter* filter = nullptr;

    [[nodiscard]] bool contains(NodeId node) const {
        return (!among || among->contains(node)) && (!filter || filter->passes(node));
    }
    [[nodiscard]] bool is_everything() const { return !among && !filter; }
    /// A set that holds all nodes of the pool, or nothing: the smaller one where there are two.
    [[nodiscard]] const NodeSet* candidates() const {
        return among ? among : filter ? filter->candidates : nullptr;
    }
};

/// Parts that ask the same, and what the nodes say to them.
struct PartGroup {
    NodeRanking* ranking = nullptr;
    std::size_t count = 0;
    const NodeRules* rules = nullptr;  ///< of the group of the job that they belong to
    std::uint32_t component = 0;       ///< that group

    /// True when the node can and may take one of the parts. Requires: the answers follow.
    [[nodiscard]] bool takes(const Cluster& cluster, NodeId node) const;
};

class NodeChoice {
  public:
    /// `required` are those of all groups that lie in the pool.
    NodeChoice(const Cluster& cluster, std::vector<PartGroup> groups, const NodeSet& required,
               detail::StepBudget& budget);

    /// The placements of all parts, by node; nothing when the pool does not serve them all, or the
    /// search gave up.
    [[nodiscard]] std::optional<std::vector<NodePlacement>> choose(const NodePool& pool);
    /// choose() where a node that can take a part can take every later one, no node is required and
    /// no features are shared out: the first nodes then always leave enough for the others.
    [[nodiscard]] std::optional<std::vector<NodePlacement>> choose_nested(const NodePool& pool);
    /// True when choose() ended without an answer.
    [[nodiscard]] bool has_given_up() const { return has_given_up_; }

  private:
    static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

    /// The required nodes of the pool that are not used and can take the parts, best first.
    [[nodiscard]] std::vector<Candidate> required_candidates(const PartGroup& group,
                                                             const NodePool& pool) const;
    /// The first `count` of the other nodes that are not used and for which `also` is true.
    template <class Also>
    [[nodiscard]] std::vector<Candidate> others(const PartGroup& group, const NodePool& pool,
                                                std::size_t count, const Also& also) const {
        return group.ranking->best(cluster_, count, pool.candidates(), [&](NodeId node) {
            return pool.contains(node) && !required_.contains(node) && !used_.contains(node) &&
                   also(node) && group.takes(cluster_, node);
        });
    }
    [[nodiscard]] std::vector<Candidate> others(const PartGroup& group, const NodePool& pool,
                                                std::size_t count) const;

    [[nodiscard]] bool choose_greedily(const NodePool& pool);

    /// All nodes that matter to the parts, in order.
    [[nodiscard]] std::vector<Candidate> long_row(const PartGroup& group,
                                                  const NodePool& pool) const;
    /// Which of the expressions that count nodes of the class meet, a bit for each.
    [[nodiscard]] static std::uint64_t feature_kind(const PartGroup& group, const NodeClass& one);
    [[nodiscard]] std::vector<std::uint64_t> feature_kinds(const PartGroup& group) const;

    /// Chooses for the parts that have no node yet; false when there is no way, or none was found.
    /// Without feature counts can_finish() is never wrong, and no choice is ever taken back.
    [[nodiscard]] bool choose_exactly();

    /// False when the parts without a node cannot all be served, the required nodes not be used or
    /// the features not be had: two matchings that exist alone exist together (Mendelsohn and
    /// Dulmage, 1958); that features are asked for one by one makes a yes uncertain.
    [[nodiscard]] bool can_finish() const;
    [[nodiscard]] bool can_have_features(
        const std::vector<NodeId>& nodes,
        const std::vector<std::vector<std::size_t>>& parts_of_node) const;

    /// True when `holds(rules, count)` for each of the features that parts share out.
    template <class Holds>
    [[nodiscard]] bool for_each_feature_count(const Holds& holds) const {
        const NodeRules* last = nullptr;
        for (const PartGroup& group : groups_) {
            if (group.rules == last || !group.rules->has_feature_counts()) continue;
            last = group.rules;
            const auto& counts = *last->feature_counts;
            if (!std::all_of(counts.begin(), counts.end(),
                             [&](const FeatureCount& one) { return holds(last, one); })) {
                return false;
            }
        }
        return true;
    }
    /// How many of the nodes chosen under these rules meet the expression.
    [[nodiscard]] std::int64_t chosen_with(const NodeRules* rules,
                                           const FeatureExpression& features) const;
    [[nodiscard]] bool meets_feature_counts() const;

    void take(const Candidate& one);
    [[nodiscard]] std::vector<NodePlacement> placements() const;

    const Cluster& cluster_;
    std::vector<PartGroup> groups_;
    const NodeSet& required_;
    detail::StepBudget& budget_;
    std::vector<std::size_t> group_of_;  ///< by part
    bool has_feature_counts_ = false;
    std::vector<std::vector<Candidate>> rows_;  ///< by group
    std::vector<Candidate> chosen_;             ///< by part
    NodeSet used_;
    bool has_given_up_ = false;
};

}  // namespace trestle
