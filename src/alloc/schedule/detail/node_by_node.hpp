// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeByNode: the cheapest plan for a job that any nodes make which can take a part of it.
//
// Layer: alloc (detail). Main type: NodeByNode. Each node has a cheapest set of its own, and the
// job has the nodes with the first of these. Nodes in the same state, with victims alike in the
// same order, have the same answer: it is searched for once.
// Pitfall: is_all_that_is_asked() says for which jobs that holds; licences, wishes to the network
// and uneven parts tie nodes together, and so does a victim on two of them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/cluster/place/detail/request_cache.hpp"
#include "alloc/cluster/place/node_choice.hpp"
#include "alloc/cluster/place/node_rules.hpp"
#include "alloc/schedule/detail/ended_set.hpp"
#include "alloc/schedule/detail/like_nodes.hpp"
#include "alloc/schedule/detail/set_search.hpp"
#include "alloc/schedule/detail/victim_nodes.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

class NodeByNode {
  public:
    /// `request` is one of PreparedRequest::variants() of the job.
    NodeByNode(Cluster& cluster, const Shared<Request>& request, const PlaceOptions& options,
               const NodeFilter& filter, const VictimNodes& nodes, const SetQuestion& question,
               Trials& trials);

    /// True when any nodes will do that can take a part, and none of them takes part in another's
    /// gain.
    [[nodiscard]] bool is_all_that_is_asked() const;

    /// The first set of all that is enough for the variant, as far as the trials go; for one node
    /// only if it comes before `best`. Several nodes together may be more than the limits allow.
    /// Requires: is_all_that_is_asked().
    [[nodiscard]] std::optional<EndedSet> run(const std::optional<EndedSet>& best);
    /// True when a node was too hard a question.
    [[nodiscard]] bool has_given_up() const { return has_given_up_; }

  private:
    /// How many nodes the job takes; nothing when that depends.
    [[nodiscard]] std::optional<std::int64_t> nodes_asked() const;
    /// True when the partition refuses this variant, wherever.
    [[nodiscard]] bool is_refused() const;

    /// Finds the nodes that can take a part as they are, and so how many others are needed. False
    /// when a required node cannot and has no victims.
    [[nodiscard]] bool look_at_nodes_as_they_are();
    [[nodiscard]] bool takes(NodeId node) const {
        return part_.takes(cluster_, node) && filter_.passes(node);
    }

    [[nodiscard]] TrialAnswer try_ends(NodeId node, const Positions& ended);

    [[nodiscard]] Positions positions_on(std::size_t i) const {
        return {nodes_[i].positions.begin(), nodes_[i].positions.end()};
    }
    [[nodiscard]] bool is_required(std::size_t i) const {
        return rules_.required.contains(nodes_[i].node);
    }
    [[nodiscard]] bool is_among_first(std::size_t i) const {
        return std::find(firsts_.begin(), firsts_.end(), i) != firsts_.end();
    }
    /// What a set of the node has to come before to be of any use.
    [[nodiscard]] const std::optional<EndedSet>& bound(std::size_t i) const {
        if (own_[i] && (is_required(i) || is_among_first(i))) return own_[i];
        if (is_required(i) || firsts_.size() < needed_) return ceiling_;
        return own_[firsts_.back()];
    }
    /// True when some set of the node might be of use.
    [[nodiscard]] bool may_help(std::size_t i) const;
    [[nodiscard]] bool is_better(std::size_t i, const EndedSet& one) const;
    /// Keeps a set of the node, if it is of use.
    void offer(std::size_t i, const EndedSet& found);

    /// Some set of the node from which none can be left out. Requires: may_help(i).
    void find_some(std::size_t i);
    /// The first set of the node, if it is of use.
    void find_first(std::size_t i);
    /// Nothing either where a partition counts what its jobs have: that differs in equal states.
    [[nodiscard]] std::optional<LikeNodes::Known> find_like(std::size_t i) {
        return question_.is_monotone ? like_->find(i) : std::nullopt;
    }

    /// The sets of all nodes that the job has.
    [[nodiscard]] std::optional<EndedSet> together() const;

    Cluster& cluster_;
    const NodeFilter& filter_;
    const VictimNodes& victim_nodes_;
    const std::vector<VictimNode>& nodes_;
    const SetQuestion& question_;
    Trials& trials_;
    std::optional<LikeNodes> like_;
    StateCache states_;
    VariantCache cache_;
    NodeRules rules_;
    std::optional<std::int64_t> count_;
    PartGroup part_;
    std::optional<EndedSet> ceiling_;
    std::size_t needed_ = 0;  ///< nodes, but for required ones, that victims leave
    std::vector<std::optional<EndedSet>> own_;  ///< by node, the best set known
    std::vector<TrialAnswer> whole_;            ///< by node, whether the end of all is enough
    std::vector<std::size_t> firsts_;           ///< as many nodes as needed, by their sets
    bool has_given_up_ = false;
};

}  // namespace trestle::detail
