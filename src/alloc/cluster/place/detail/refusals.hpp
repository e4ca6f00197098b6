// SPDX-License-Identifier: Apache-2.0
#pragma once

// RefusalCounts: what the nodes say against a part of a job, counted by constraint.
//
// Layer: alloc (detail). Main type: RefusalCounts. States speak for their nodes, the lowest of
// which is the example.
// Pitfall: nodes that the caller forbids are counted as that, whatever else is wrong with them.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/place/node_ranking.hpp"
#include "alloc/cluster/place/node_rules.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle::detail {

/// How many nodes one constraint removed, and an example: the lowest of them, or the one that comes
/// nearest to what is asked where it has too little free.
struct RefusalCount {
    Refusal example;
    std::uint32_t nodes = 0;
    NodeId first;
    Score nearness = {};
};

class RefusalCounts {
  public:
    explicit RefusalCounts(const Cluster& cluster) : cluster_(cluster) {}

    /// Asks all nodes. Requires: the answers follow the cluster. Complexity: the states; with a
    /// filter the nodes.
    void add(NodeRanking& ranking, const NodeRules& rules, const NodeFilter& filter);

    [[nodiscard]] std::uint64_t fitting() const { return fitting_; }
    /// Most nodes first, then those that come nearest to what is asked, then the lowest node.
    /// Complexity: the states, for the examples.
    [[nodiscard]] std::vector<RefusalCount> sorted() const;
    /// What removed most nodes. Where that is too little of something: what the nodes lack that
    /// have enough of most other things, and the most that any of these has.
    [[nodiscard]] std::optional<Refusal> most_frequent() const;
    /// Why too few nodes of `asked` take a part: what stood in the way of most of them, and how
    /// many there are where that is not all.
    [[nodiscard]] Refusal too_few(std::int64_t asked) const;

  private:
    [[nodiscard]] static bool comes_before(const RefusalCount& a, const RefusalCount& b) {
        if (a.nodes != b.nodes) return a.nodes > b.nodes;
        return comes_nearer(a, b);
    }
    /// Nodes that have room, but are kept from the job, come nearer than those that lack some.
    [[nodiscard]] static bool comes_nearer(const RefusalCount& a, const RefusalCount& b) {
        const bool has_room = !is_about_room(a.example.constraint);
        if (has_room == is_about_room(b.example.constraint)) return has_room;
        return a.nearness != b.nearness ? a.nearness > b.nearness : a.first < b.first;
    }
    [[nodiscard]] bool is_removed(StateId state) const;
    /// Where all nodes are in question they are counted already, and only the lowest node of a
    /// constraint in question is asked for words.
    void add_all(NodeRanking& ranking);
    void spell_out(RefusalCount& one) const;
    /// The lowest node that the constraint removed, mostly one of the lowest of all; of those that
    /// have too little free the nearest.
    [[nodiscard]] NodeId example_of(RefusalCount& one) const;
    /// `refusal` gives the words, which cost most and of which few are wanted.
    template <class Words>
    void add(const RefusalCount& more, const Words& refusal) {
        const auto at = std::find_if(counts_.begin(), counts_.end(), [&](const RefusalCount& one) {
            return one.example.constraint == more.example.constraint;
        });
        if (at == counts_.end()) {
            counts_.push_back(more);
            counts_.back().example = refusal();
            return;
        }
        at->nodes += more.nodes;
        if (!comes_nearer(more, *at)) return;
        at->first = more.first;
        at->nearness = more.nearness;
        at->example = refusal();
    }
    void add(Refusal refusal, NodeId node, std::uint32_t nodes);

    [[nodiscard]] std::optional<Refusal> refuse_by_limit(StateId state, NodeId node,
                                                         NodeRanking& ranking,
                                                         const NodeRules& rules) const;

    /// How many nodes of the state pass, and the first; those that do not are counted.
    [[nodiscard]] std::pair<std::uint32_t, std::optional<NodeId>> filtered(
        StateId state, NodeRanking& ranking, const NodeRules& rules, const NodeFilter& filter);

    const Cluster& cluster_;
    NodeRanking* all_ = nullptr;  ///< where all nodes were in question
    std::vector<RefusalCount> counts_;
    std::uint64_t fitting_ = 0;
};

}  // namespace trestle::detail
