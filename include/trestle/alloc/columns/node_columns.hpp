// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeColumns: what every node says to a request, one entry a node, for whoever decides by columns.
//
// Layer: alloc. Main type: NodeColumns. Simulators and learners want all answers at once: which
// nodes could take it (feasible), how good each is (score), how often it would go there
// (fit_count). Each state that nodes are in is asked once, as by place(), so that the answers are
// place()'s; the rest is a walk through the nodes.
// A reader would get wrong: a request for several nodes is asked of each node by its largest part,
// on the fewest nodes that it accepts. Whether enough nodes are left, and what the network says, is
// for place(). Components of a job are requests of their own here.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/columns/detail/node_question.hpp"
#include "trestle/alloc/columns/detail/sum_columns.hpp"
#include "trestle/alloc/place/detail/job_memory.hpp"
#include "trestle/alloc/place/place_options.hpp"
#include "trestle/alloc/place/policy.hpp"
#include "trestle/alloc/place/state_follower.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// Columns over the nodes of a cluster as it is now. Alternatives of a request are asked in order;
/// a node's entry is of the first that it can take. No node is feasible where the cluster refuses
/// the job as a whole: licences, limits of its partition.
class NodeColumns {
  public:
    /// A copy of the cluster is kept. With a function of the caller's own, the options' policy says
    /// nothing, as for Placer.
    explicit NodeColumns(Cluster cluster, PlaceOptions options = {},
                         BatchScoreFunction function = {})
        : cluster_(std::move(cluster)),
          options_(std::move(options)),
          states_(Scorer(cluster_, options_, std::move(function))),
          state_of_(cluster_.node_count()) {
        states_.follow(cluster_);
        for (std::uint32_t n = 0; n < state_of_.size(); ++n) {
            state_of_[n] = cluster_.states().of(NodeId(n));
        }
    }

    /// Entries of a column.
    [[nodiscard]] std::size_t rows() const { return state_of_.size(); }

    /// Whether each node could take it; not where a function of the caller's has no score for it.
    /// Nodes that were too hard a question (Constraint::gave_up) are said to be unable. Requires,
    /// here and below: check(request) is ok, it has no components; `out` has rows() entries.
    /// Complexity: the nodes; and the states that they are in, where nearness, parts of devices or
    /// the like are asked for.
    void feasible(const Request& request, std::span<bool> out);
    /// What the policy finds, Score::first; NaN where the node cannot take it. Of nodes with the
    /// same PlaceOptions::spare_devices place() takes the highest, of equal ones by Score::second,
    /// then the lowest node; Policy::random gives all 0. Complexity: as for feasible().
    void score(const Request& request, std::span<double> out) {
        fill(request, out, std::numeric_limits<double>::quiet_NaN(),
             [this](const detail::NodeQuestion& asked, NodeId node) {
                 return asked.candidate(cluster_, node).score.first;
             });
    }
    /// How many such parts the node could take one after the other, if all were put there; licences
    /// count for the first only. Complexity: what feasible() costs, and a decision and a commit for
    /// each part on a node of each state.
    void fit_count(const Request& request, std::span<std::int32_t> out);

  private:
    void check_column(const Request& request, std::size_t entries) const;
    /// Adds what can take the variant, if sums tell; false if they do not.
    [[nodiscard]] bool add_by_sums(const Request& variant, std::span<bool> out);
    /// As fill() below, for one variant; `is_filled` tells which entries are there.
    template <class Value, class ValueOf>
    void add(const Request& variant, std::span<Value> out, std::vector<bool>& is_filled,
             const ValueOf& value_of);
    /// value_of(asked, node) for each node that can take it. It says the same of all nodes in a
    /// state where no limits are counted by node.
    template <class Value, class ValueOf>
    void fill(const Request& request, std::span<Value> out, Value absent, const ValueOf& value_of);

    Cluster cluster_;
    PlaceOptions options_;
    StateFollower states_;
    std::vector<StateId> state_of_;           ///< by NodeId
    std::optional<detail::SumColumns> sums_;  ///< once they were asked for
};

inline void NodeColumns::feasible(const Request& request, std::span<bool> out) {
    check_column(request, out.size());
    std::fill(out.begin(), out.end(), false);
    for (const Request& variant : detail::variants_of(request)) {
        if (add_by_sums(variant, out)) continue;
        std::vector<bool> is_filled(out.begin(), out.end());
        add(variant, out, is_filled, [](const detail::NodeQuestion&, NodeId) { return true; });
    }
}

inline bool NodeColumns::add_by_sums(const Request& variant, std::span<bool> out) {
    const detail::NodeQuestion asked(cluster_, variant, options_.fit);
    if (!asked.is_possible()) return true;
    if (asked.counts_by_node() || states_.scorer().has_function()) return false;
    if (!sums_) sums_.emplace(cluster_, states_);
    const auto question = sums_->question(cluster_, asked.request(), asked.part(), asked.fit());
    if (!question) return false;
    const bool is_open = asked.may_take_all();
    for (std::uint32_t n = 0; n < rows(); ++n) {
        const bool suffices = sums_->suffice(*question, n);
        out[n] = out[n] || (suffices && (is_open || asked.may_take(cluster_, NodeId(n))));
    }
    return true;
}

inline void NodeColumns::check_column(const Request& request, std::size_t entries) const {
    TRESTLE_EXPECTS(entries == rows(), "a column has an entry for each node");
    TRESTLE_EXPECTS(request.components.empty(), "a column is of one group of nodes");
}

template <class Value, class ValueOf>
void NodeColumns::fill(const Request& request, std::span<Value> out, Value absent,
                       const ValueOf& value_of) {
    check_column(request, out.size());
    std::fill(out.begin(), out.end(), absent);
    std::vector<bool> is_filled(rows(), false);
    for (const Request& variant : detail::variants_of(request)) {
        add(variant, out, is_filled, value_of);
    }
}

template <class Value, class ValueOf>
void NodeColumns::add(const Request& variant, std::span<Value> out, std::vector<bool>& is_filled,
                      const ValueOf& value_of) {
    detail::NodeQuestion asked(cluster_, variant, options_.fit);
    if (!asked.is_possible()) return;
    asked.follow(cluster_, states_);
    std::vector<std::optional<Value>> known(cluster_.states().limit());  // by StateId
    for (std::uint32_t n = 0; n < rows(); ++n) {
        const NodeId node(n);
        if (is_filled[n] || !asked.can_take(cluster_, node, state_of_[n])) continue;
        std::optional<Value>& value = known[state_of_[n].value()];
        if (!value || asked.counts_by_node()) value = value_of(asked, node);
        out[n] = *value;
        is_filled[n] = true;
    }
}

inline void NodeColumns::fit_count(const Request& request, std::span<std::int32_t> out) {
    detail::NodeFiller filler(cluster_, states_.scorer(), request, options_.fit);
    fill(request, out, 0,
         [&](const detail::NodeQuestion&, NodeId node) { return filler.fill(node); });
}

}  // namespace trestle
