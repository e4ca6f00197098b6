// SPDX-License-Identifier: Apache-2.0
#pragma once

// RefusalCounts: what the nodes say against a part of a job, counted by constraint.
//
// Layer: alloc (detail). Main type: RefusalCounts. States speak for their nodes, the lowest of
// which is the example.
// A reader would get wrong: nodes that the caller forbids are counted as that, whatever else is
// wrong with them.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/place/answers.hpp"
#include "trestle/alloc/place/node_filter.hpp"
#include "trestle/alloc/place/node_rules.hpp"
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
    void add(PartAnswers& answers, const NodeRules& rules, const NodeFilter& filter) {
        if (filter.is_empty() && rules.allow_all()) return add_all(answers);
        const NodeStates& states = cluster_.states();
        for (std::uint32_t s = 0; s < states.limit(); ++s) {
            const StateId state(s);
            std::uint32_t nodes = states.nodes_in(state);
            if (nodes == 0 || is_removed(state)) continue;
            std::optional<NodeId> first;
            std::tie(nodes, first) = filtered(state, answers, rules, filter);
            if (!first) continue;
            if (answers.fits(state)) {
                fitting_ += nodes;
            } else {
                add(answers.refused_by(cluster_, state), *first, nodes,
                    [&] { return answers.refusal(cluster_, *first); });
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
    /// Where all nodes are in question: states are counted, and only the lowest node of each
    /// constraint is asked for words.
    void add_all(PartAnswers& answers) {
        std::array<std::uint32_t, enum_names(Constraint{}).size()> nodes{};
        const NodeStates& states = cluster_.states();
        for (std::uint32_t s = 0; s < states.limit(); ++s) {
            const StateId state(s);
            if (states.nodes_in(state) == 0) continue;
            if (answers.fits(state)) {
                fitting_ += states.nodes_in(state);
                continue;
            }
            const Constraint constraint = answers.refused_by(cluster_, state);
            if (constraint == Constraint::node_state && is_removed(state)) continue;
            nodes[static_cast<std::size_t>(constraint)] += states.nodes_in(state);
        }
        for (std::size_t c = 0; c < nodes.size(); ++c) {
            if (nodes[c] == 0) continue;
            const NodeId first = first_refused(answers, static_cast<Constraint>(c));
            counts_.push_back({answers.refusal(cluster_, first), nodes[c], first});
        }
    }
    /// The lowest node that the constraint removed, mostly one of the lowest of all.
    [[nodiscard]] NodeId first_refused(PartAnswers& answers, Constraint constraint) const {
        const NodeStates& states = cluster_.states();
        const auto is_it = [&](StateId state) {
            return !answers.fits(state) && answers.refused_by(cluster_, state) == constraint &&
                   !is_removed(state);
        };
        const std::uint32_t looked_at = std::min(states.count(), cluster_.node_count());
        for (std::uint32_t n = 0; n < looked_at; ++n) {
            if (is_it(states.of(NodeId(n)))) return NodeId(n);
        }
        NodeId first(cluster_.node_count());
        for (std::uint32_t s = 0; s < states.limit(); ++s) {
            if (states.nodes_in(StateId(s)) == 0 || !is_it(StateId(s))) continue;
            first = std::min(first, *states.next(StateId(s), NodeId(looked_at)));
        }
        return first;
    }
    /// `refusal` gives the words, which cost most and of which few are wanted.
    template <class Words>
    void add(Constraint constraint, NodeId node, std::uint32_t nodes, const Words& refusal) {
        const auto at = std::find_if(counts_.begin(), counts_.end(), [&](const RefusalCount& one) {
            return one.example.constraint == constraint;
        });
        if (at == counts_.end()) {
            counts_.push_back({refusal(), nodes, node});
            return;
        }
        at->nodes += nodes;
        if (node < at->first) {
            at->first = node;
            at->example = refusal();
        }
    }
    void add(Refusal refusal, NodeId node, std::uint32_t nodes) {
        const Constraint constraint = refusal.constraint;
        add(constraint, node, nodes, [&] { return std::move(refusal); });
    }

    [[nodiscard]] static std::optional<Refusal> refuse_by_limit(StateId state, NodeId node,
                                                                const PartAnswers& answers,
                                                                const NodeRules& rules) {
        if (!rules.limits || !answers.fits(state)) return std::nullopt;
        return rules.limits->refuse(node, answers.given(state, node));
    }

    /// How many nodes of the state pass, and the first; those that do not are counted.
    [[nodiscard]] std::pair<std::uint32_t, std::optional<NodeId>> filtered(
        StateId state, const PartAnswers& answers, const NodeRules& rules,
        const NodeFilter& filter) {
        std::uint32_t nodes = 0;
        std::optional<NodeId> first;
        for (auto node = cluster_.states().next(state, NodeId(0)); node;
             node = cluster_.states().next(state, NodeId(node->value() + 1))) {
            if (rules.excluded.contains(*node)) {
                add({Constraint::nodes, cluster_.name(*node) + " is excluded"}, *node, 1);
            } else if (!filter.passes(*node)) {
                add({Constraint::candidates, cluster_.name(*node) + " is not a candidate"}, *node,
                    1);
            } else if (auto limit = refuse_by_limit(state, *node, answers, rules)) {
                add(*std::move(limit), *node, 1);
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
