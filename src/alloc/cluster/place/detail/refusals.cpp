// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/detail/refusals.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/counted_text.hpp"

namespace trestle {

namespace detail {

void RefusalCounts::add(NodeRanking& ranking, const NodeRules& rules, const NodeFilter& filter) {
    if (filter.is_empty() && rules.allow_all()) return add_all(ranking);
    const NodeStates& states = cluster_.states();
    states.for_each([&](StateId state) {
        if (is_removed(state)) return;
        const auto [nodes, first] = filtered(state, ranking, rules, filter);
        if (!first) return;
        if (ranking.fits(state)) {
            fitting_ += nodes;
        } else {
            const Constraint by = ranking.refused_by(state);
            const Score nearness = is_about_room(by) ? ranking.nearness(state) : Score();
            add({{by, {}}, nodes, *first, nearness},
                [&, node = *first] { return ranking.refusal(cluster_, node); });
        }
    });
}

std::vector<RefusalCount> RefusalCounts::sorted() const {
    std::vector<RefusalCount> all = counts_;
    for (RefusalCount& one : all) spell_out(one);
    std::sort(all.begin(), all.end(), comes_before);
    return all;
}

std::optional<Refusal> RefusalCounts::most_frequent() const {
    std::uint32_t most = 0;
    bool is_room = false;  // what removed most nodes is too little of something
    for (const RefusalCount& one : counts_) {
        if (one.nodes < most) continue;
        is_room = is_about_room(one.example.constraint) && (is_room || one.nodes > most);
        most = one.nodes;
    }
    if (is_room && all_ != nullptr) return all_->refusal(cluster_, *all_->nearest(cluster_));
    std::optional<RefusalCount> first;
    for (RefusalCount one : counts_) {
        const bool is_asked = is_room ? is_about_room(one.example.constraint) : one.nodes == most;
        if (!is_asked) continue;
        spell_out(one);
        if (!first || comes_nearer(one, *first)) first = std::move(one);
    }
    if (!first) return std::nullopt;
    return std::move(first->example);
}

bool RefusalCounts::is_removed(StateId state) const {
    const ClassId one = cluster_.states()[state]->node_class;
    return cluster_.classes()[one].state == NodeState::removed;
}

void RefusalCounts::add_all(NodeRanking& ranking) {
    all_ = &ranking;
    const NodeRanking::Tally& tally = ranking.tally(cluster_);
    for (std::size_t c = 0; c < tally.size(); ++c) {
        const auto constraint = static_cast<Constraint>(c);
        if (constraint == Constraint::none) {
            fitting_ += tally[c];
        } else if (tally[c] != 0) {
            counts_.push_back({{constraint, {}}, tally[c], {}});
        }
    }
}

Refusal RefusalCounts::too_few(std::int64_t asked) const {
    const auto most = most_frequent();
    if (most && fitting_ == 0) return *most;
    return {
        Constraint::nodes,
        fmt::format("asked {}, {} of {} can take a part{}", counted_text(asked, "node"), fitting_,
                    cluster_.node_count(), most ? "; " + most->reason : std::string())};
}

void RefusalCounts::spell_out(RefusalCount& one) const {
    if (all_ == nullptr) return;
    one.first = example_of(one);
    one.example = all_->refusal(cluster_, one.first);
}

NodeId RefusalCounts::example_of(RefusalCount& one) const {
    const NodeStates& states = cluster_.states();
    const Constraint by = one.example.constraint;
    const auto is_it = [&](StateId state) {
        return all_->refused_by(state) == by && !is_removed(state);
    };
    NodeId first(cluster_.node_count());
    if (is_about_room(by)) {
        states.for_each([&](StateId state) {
            if (!is_it(state)) return;
            const RefusalCount here{
                {by, {}}, 0, *states.next(state, NodeId(0)), all_->nearness(state)};
            if (first.value() < cluster_.node_count() && !comes_nearer(here, one)) return;
            one.first = first = here.first;
            one.nearness = here.nearness;
        });
        return first;
    }
    const std::uint32_t looked_at = std::min(states.count(), cluster_.node_count());
    for (std::uint32_t n = 0; n < looked_at; ++n) {
        if (is_it(states.of(NodeId(n)))) return NodeId(n);
    }
    states.for_each([&](StateId state) {
        if (is_it(state)) first = std::min(first, *states.next(state, NodeId(looked_at)));
    });
    return first;
}

void RefusalCounts::add(Refusal refusal, NodeId node, std::uint32_t nodes) {
    const RefusalCount more{{refusal.constraint, {}}, nodes, node, {}};
    add(more, [&] { return std::move(refusal); });
}

std::optional<Refusal> RefusalCounts::refuse_by_limit(StateId state, NodeId node,
                                                      NodeRanking& ranking,
                                                      const NodeRules& rules) const {
    if (!rules.limits || !ranking.fits(state)) return std::nullopt;
    return rules.limits->refuse(node, ranking.given(cluster_, state, node));
}

std::pair<std::uint32_t, std::optional<NodeId>> RefusalCounts::filtered(StateId state,
                                                                        NodeRanking& ranking,
                                                                        const NodeRules& rules,
                                                                        const NodeFilter& filter) {
    std::uint32_t nodes = 0;
    std::optional<NodeId> first;
    for (auto node = cluster_.states().next(state, NodeId(0)); node;
         node = cluster_.states().next(state, NodeId(node->value() + 1))) {
        if (rules.excluded.contains(*node)) {
            add({Constraint::nodes, cluster_.name(*node) + " is excluded"}, *node, 1);
        } else if (!filter.passes(*node)) {
            add({Constraint::candidates, cluster_.name(*node) + " is not a candidate"}, *node, 1);
        } else if (auto limit = refuse_by_limit(state, *node, ranking, rules)) {
            add(*std::move(limit), *node, 1);
        } else {
            ++nodes;
            if (!first) first = node;
        }
    }
    return {nodes, first};
}

}  // namespace detail

}  // namespace trestle
