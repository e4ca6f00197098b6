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
        states.for_each([&](StateId state) {
            if (is_removed(state)) return;
            const auto [nodes, first] = filtered(state, answers, rules, filter);
            if (!first) return;
            if (answers.fits(state)) {
                fitting_ += nodes;
            } else {
                add(answers.refused_by(state), *first, nodes,
                    [&, node = *first] { return answers.refusal(cluster_, node); });
            }
        });
    }

    [[nodiscard]] std::uint64_t fitting() const { return fitting_; }
    /// Most nodes first, then the lowest node.
    [[nodiscard]] std::vector<RefusalCount> sorted() const {
        std::vector<RefusalCount> all = counts_;
        for (RefusalCount& one : all) spell_out(one);
        std::sort(all.begin(), all.end(), comes_before);
        return all;
    }
    [[nodiscard]] std::optional<Refusal> most_frequent() const {
        std::uint32_t most = 0;
        for (const RefusalCount& one : counts_) most = std::max(most, one.nodes);
        std::optional<RefusalCount> first;
        for (RefusalCount one : counts_) {
            if (one.nodes != most) continue;
            spell_out(one);
            if (!first || comes_before(one, *first)) first = std::move(one);
        }
        if (!first) return std::nullopt;
        return std::move(first->example);
    }

  private:
    [[nodiscard]] static bool comes_before(const RefusalCount& a, const RefusalCount& b) {
        return a.nodes != b.nodes ? a.nodes > b.nodes : a.first < b.first;
    }
    [[nodiscard]] bool is_removed(StateId state) const {
        const ClassId one = cluster_.states()[state]->node_class;
        return cluster_.classes()[one].state == NodeState::removed;
    }
    /// Where all nodes are in question they are counted already, and only the lowest node of a
    /// constraint that somebody asks about is asked for words.
    void add_all(PartAnswers& answers) {
        all_ = &answers;
        const PartAnswers::Tally& tally = answers.tally(cluster_);
        for (std::size_t c = 0; c < tally.size(); ++c) {
            const auto constraint = static_cast<Constraint>(c);
            if (constraint == Constraint::none) {
                fitting_ += tally[c];
            } else if (tally[c] != 0) {
                counts_.push_back({{constraint, {}}, tally[c], {}});
            }
        }
    }
    void spell_out(RefusalCount& one) const {
        if (all_ == nullptr) return;
        one.first = first_refused(one.example.constraint);
        one.example = all_->refusal(cluster_, one.first);
    }
    /// The lowest node that the constraint removed, mostly one of the lowest of all.
    [[nodiscard]] NodeId first_refused(Constraint constraint) const {
        const NodeStates& states = cluster_.states();
        const auto is_it = [&](StateId state) {
            return all_->refused_by(state) == constraint && !is_removed(state);
        };
        const std::uint32_t looked_at = std::min(states.count(), cluster_.node_count());
        for (std::uint32_t n = 0; n < looked_at; ++n) {
            if (is_it(states.of(NodeId(n)))) return NodeId(n);
        }
        NodeId first(cluster_.node_count());
        states.for_each([&](StateId state) {
            if (is_it(state)) first = std::min(first, *states.next(state, NodeId(looked_at)));
        });
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

    [[nodiscard]] std::optional<Refusal> refuse_by_limit(StateId state, NodeId node,
                                                         PartAnswers& answers,
                                                         const NodeRules& rules) const {
        if (!rules.limits || !answers.fits(state)) return std::nullopt;
        return rules.limits->refuse(node, answers.given(cluster_, state, node));
    }

    /// How many nodes of the state pass, and the first; those that do not are counted.
    [[nodiscard]] std::pair<std::uint32_t, std::optional<NodeId>> filtered(
        StateId state, PartAnswers& answers, const NodeRules& rules, const NodeFilter& filter) {
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
    PartAnswers* all_ = nullptr;  ///< where all nodes were in question
    std::vector<RefusalCount> counts_;
    std::uint64_t fitting_ = 0;
};

}  // namespace trestle::detail
