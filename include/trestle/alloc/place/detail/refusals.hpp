// SPDX-License-Identifier: Apache-2.0
#pragma once

// RefusalCounts: what the nodes say against a part of a job, counted by constraint.
//
// Layer: alloc (detail). Main type: RefusalCounts. States speak for their nodes, the lowest of
// which is the example.
// A reader would get wrong: nodes that the caller forbids are counted as that, whatever else is
// wrong with them.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/place/answers.hpp"
#include "trestle/alloc/place/node_filter.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::detail {

/// How many nodes one constraint removed, and the lowest of them.
struct RefusalCount {
    Refusal example;
    std::uint32_t nodes = 0;
    NodeId first;
};

class RefusalCounts {
  public:
    explicit RefusalCounts(const Cluster& cluster) : cluster_(cluster) {}

    /// Asks all nodes. Requires: the answers follow the cluster. Complexity: the states; with a
    /// filter the nodes.
    void add(PartAnswers& answers, const NodeSet& excluded, const NodeFilter& filter) {
        const NodeStates& states = cluster_.states();
        for (std::uint32_t s = 0; s < states.limit(); ++s) {
            const StateId state(s);
            std::uint32_t nodes = states.nodes_in(state);
            if (nodes == 0 || is_removed(state)) continue;
            std::optional<NodeId> first = states.next(state, NodeId(0));
            if (!filter.is_empty() || !excluded.is_empty()) {
                std::tie(nodes, first) = filtered(state, excluded, filter);
            }
            if (!first) continue;
            if (answers.fits(state)) {
                fitting_ += nodes;
            } else {
                add(answers.refusal(cluster_, *first), *first, nodes);
            }
        }
    }

    [[nodiscard]] std::uint64_t fitting() const { return fitting_; }
    /// Most nodes first, then the lowest node.
    [[nodiscard]] std::vector<RefusalCount> sorted() const {
        std::vector<RefusalCount> all = counts_;
        std::sort(all.begin(), all.end(), [](const RefusalCount& a, const RefusalCount& b) {
            return a.nodes != b.nodes ? a.nodes > b.nodes : a.first < b.first;
        });
        return all;
    }
    [[nodiscard]] std::optional<Refusal> most_frequent() const {
        if (counts_.empty()) return std::nullopt;
        return sorted().front().example;
    }

  private:
    [[nodiscard]] bool is_removed(StateId state) const {
        const ClassId one = cluster_.states()[state]->node_class;
        return cluster_.classes()[one].state == NodeState::removed;
    }
    void add(Refusal refusal, NodeId node, std::uint32_t nodes) {
        const auto at = std::find_if(counts_.begin(), counts_.end(), [&](const RefusalCount& one) {
            return one.example.constraint == refusal.constraint;
        });
        if (at == counts_.end()) {
            counts_.push_back({std::move(refusal), nodes, node});
            return;
        }
        at->nodes += nodes;
        if (node < at->first) {
            at->first = node;
            at->example = std::move(refusal);
        }
    }

    /// How many nodes of the state pass, and the first; those that do not are counted.
    [[nodiscard]] std::pair<std::uint32_t, std::optional<NodeId>> filtered(
        StateId state, const NodeSet& excluded, const NodeFilter& filter) {
        std::uint32_t nodes = 0;
        std::optional<NodeId> first;
        for (auto node = cluster_.states().next(state, NodeId(0)); node;
             node = cluster_.states().next(state, NodeId(node->value() + 1))) {
            if (excluded.contains(*node)) {
                add({Constraint::nodes, cluster_.name(*node) + " is excluded"}, *node, 1);
            } else if (!filter.passes(*node)) {
                add({Constraint::candidates, cluster_.name(*node) + " is not a candidate"}, *node,
                    1);
            } else {
                ++nodes;
                if (!first) first = node;
            }
        }
        return {nodes, first};
    }

    const Cluster& cluster_;
    std::vector<RefusalCount> counts_;
    std::uint64_t fitting_ = 0;
};

}  // namespace trestle::detail
