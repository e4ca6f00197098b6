// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/node_ranking.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/cluster/place/eligibility.hpp"
#include "trestle/alloc/node/fit.hpp"

namespace trestle {

std::optional<Candidate> NodeRanking::candidate(const Cluster& cluster, NodeId node) const {
    const StateId state = cluster.states().of(node);
    if (!fits(state)) return std::nullopt;
    return as_candidate(node, state);
}

NodePlacement NodeRanking::placement(const Cluster& cluster, const Candidate& candidate) {
    NodePlacement placement = given(cluster, candidate.state, candidate.node);
    placement.node = candidate.node;
    return placement;
}

Verdict<NodePlacement> NodeRanking::fit_beside(const NodeShape& shape,
                                               const NodeLedger& ledger) const {
    return fit(shape, ledger, demand_on(shape), options_);
}

void NodeRanking::push(std::vector<Candidate>& heap, Candidate one) {
    heap.push_back(one);
    std::push_heap(heap.begin(), heap.end(), comes_after);
}

Candidate NodeRanking::pop(std::vector<Candidate>& heap) {
    std::pop_heap(heap.begin(), heap.end(), comes_after);
    const Candidate top = heap.back();
    heap.pop_back();
    return top;
}

void NodeRanking::prefetch_answers(std::span<const NodeMove> moves) const {
    for (const NodeMove& move : moves) {
        const std::size_t at = move.to.value();
        if (at >= answers_.size() || states_->nodes_in(move.to) == 0) continue;
        __builtin_prefetch(&answers_[at], 1);
    }
}

Candidate NodeRanking::as_candidate(NodeId node, StateId state) const {
    const Answer& answer = answers_[state.value()];
    return {answer.said.score, node, state, answer.is_spared};
}

bool NodeRanking::is_current(const Cluster& cluster, const Candidate& one) const {
    const NodeStates& states = cluster.states();
    if (states.nodes_in(one.state) == 0) return false;
    const Answer& answer = answers_[one.state.value()];
    return answer.version == (*states_)[one.state].version && fits(one.state) &&
           answer.said.score == one.score;
}

bool NodeRanking::has_given_up(const Cluster& cluster) const {
    if (!has_ever_given_up_) return false;
    bool has_given_up = false;
    cluster.states().for_each(
        [&](StateId state) { has_given_up |= refused_by(state) == Constraint::gave_up; });
    return has_given_up;
}

ClassEvaluator& NodeRanking::class_answers(const Cluster& cluster, const Scorer& scorer,
                                           ClassId id) {
    if (id.value() >= classes_.size()) classes_.resize(cluster.classes().size());
    std::optional<ClassEvaluator>& known = classes_[id.value()];
    if (!known) known.emplace(cluster, id, *request_, part_, options_, scorer);
    return *known;
}

const NodeRanking::Answer& NodeRanking::answer(const Cluster& cluster, const StateCache& states,
                                               StateId state) {
    if (state.value() >= answers_.size()) answers_.resize(cluster.states().limit());
    Answer& one = answers_[state.value()];
    const KnownState& known = states[state];
    if (one.version != known.version) {
        const Scorer& scorer = states.scorer();
        one.version = known.version;
        one.said = class_answers(cluster, scorer, known.node_class).answer(known, scorer);
        one.is_spared = scorer.is_spared(known.node_class, *request_);
        has_ever_given_up_ |= one.said.refused_by == Constraint::gave_up;
    }
    return one;
}

/// Lets the function of the caller's score those of the states that are new.
void NodeRanking::ask_function(const Cluster& cluster, std::vector<StateId> states) {
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
    std::erase_if(states, [&](StateId state) {
        const bool is_known = state.value() < answers_.size() &&
                              answers_[state.value()].version == (*states_)[state].version;
        if (is_known) return true;
        answer(cluster, *states_, state);
        return !fits(state);
    });
    if (states.empty()) return;
    const Scorer& scorer = states_->scorer();
    std::vector<NodePlacement> placements;
    std::vector<ScoreInput> inputs;
    placements.reserve(states.size());
    inputs.reserve(states.size());
    for (const StateId state : states) {
        const KnownState& known = (*states_)[state];
        const ClassEvaluator& of_class = *classes_[known.node_class.value()];
        placements.push_back(given(cluster, state, NodeId(0)));
        inputs.push_back(
            scorer.input(*known.data, *known.before, of_class.demand(), placements.back()));
    }
    const std::vector<Score> scores = scorer.scores(inputs);
    for (std::size_t i = 0; i < states.size(); ++i) {
        Feasibility& said = answers_[states[i].value()].said;
        said.score = scores[i];
        if (!std::isnan(scores[i].first) && !std::isnan(scores[i].second)) continue;
        said.refused_by = Constraint::candidates;
    }
}

NodePlacement NodeRanking::given(const Cluster& cluster, StateId state, NodeId node) {
    const Answer& answer = answers_[state.value()];
    const NodeStateData& data = *cluster.states()[state];
    ClassEvaluator& of_class = *classes_[data.node_class.value()];
    if (seed_) {
        const std::vector<std::uint32_t> draws = of_class.draws(data.free);
        if (!draws.empty()) {
            Feasibility drawn = answer.said;
            drawn.device = draws[drawn_device(*seed_, node, draws.size())];
            return of_class.placement(data.free, drawn);
        }
    }
    if (of_class.is_plain()) return of_class.placement(data.free, answer.said);
    if (state.value() >= place_of_.size()) place_of_.resize(cluster.states().limit());
    std::uint32_t& place = place_of_[state.value()];
    if (place == 0) {
        searched_.emplace_back();
        place = static_cast<std::uint32_t>(searched_.size());
    }
    Searched& searched = searched_[place - 1];
    if (searched.version != answer.version) {
        searched = {answer.version, of_class.placement(data.free, answer.said)};
    }
    return searched.placement;
}

void NodeRanking::rebuild(const Cluster& cluster, const StateCache& followed) {
    heap_.clear();
    const NodeStates& states = cluster.states();
    answers_.resize(std::max<std::size_t>(answers_.size(), states.limit()));
    if (followed.scorer().has_function()) {
        std::vector<StateId> all;
        states.for_each([&](StateId state) { all.push_back(state); });
        ask_function(cluster, std::move(all));
    }
    states.for_each([&](StateId state) {
        answer(cluster, followed, state);
        if (fits(state)) heap_.push_back(as_candidate(*states.next(state, NodeId(0)), state));
    });
    std::make_heap(heap_.begin(), heap_.end(), comes_after);
}

void NodeRanking::follow(const Cluster& cluster, StateCache& states) {
    const auto moves = states.since(position_);
    const std::size_t heap_max = 64 + 2 * std::size_t{cluster.states().count()};
    states_ = &states;
    seed_ = states.scorer().random_seed();
    if (seed_) seed_ = draw_seed(cluster, *seed_);
    if (moves && moves->empty()) return;
    position_ = states.position();
    if (!moves || heap_.size() + moves->size() > heap_max) return rebuild(cluster, states);
    if (states.scorer().has_function()) {
        std::vector<StateId> reached;
        for (const NodeMove& move : *moves) {
            if (states.nodes_in(move.to) != 0) reached.push_back(move.to);
        }
        ask_function(cluster, std::move(reached));
    }
    if (moves->size() >= 8) prefetch_answers(*moves);
    for (const NodeMove& move : *moves) {
        if (states.nodes_in(move.to) == 0) continue;
        answer(cluster, states, move.to);
        if (fits(move.to)) push(heap_, as_candidate(move.node, move.to));
    }
}

std::optional<Candidate> NodeRanking::next(const Cluster& cluster, Candidate one, NodeId from,
                                           const NodeSet* among) {
    auto node = cluster.states().next(one.state, from);
    while (node && among && !among->contains(*node)) {
        const auto allowed = among->next(*node);
        node = allowed ? cluster.states().next(one.state, *allowed) : std::nullopt;
    }
    if (!node) return std::nullopt;
    one.node = *node;
    return one;
}

void NodeRanking::drop_stale(const Cluster& cluster) {
    while (!heap_.empty()) {
        const Candidate& top = heap_.front();
        const bool is_true = cluster.states().of(top.node) == top.state;
        const bool is_of_this_state = is_current(cluster, top);
        if (is_true && is_of_this_state) return;
        const Candidate gone = pop(heap_);
        if (!is_of_this_state) continue;
        const auto later = next(cluster, gone, NodeId(gone.node.value() + 1), nullptr);
        if (later) push(heap_, *later);
    }
}

std::optional<Candidate> NodeRanking::best(const Cluster& cluster) {
    if (seed_) {
        const auto found = drawn(cluster, 1, nullptr, [](NodeId) { return true; });
        return found.empty() ? std::nullopt : std::optional(found.front());
    }
    drop_stale(cluster);
    return heap_.empty() ? std::nullopt : std::optional(heap_.front());
}

std::vector<Candidate> NodeRanking::fitting(const Cluster& cluster,
                                            const NodeSet& candidates) const {
    std::vector<Candidate> found;
    for (const NodeId node : candidates) {
        if (node.value() >= cluster.node_count()) break;
        if (const auto one = candidate(cluster, node)) found.push_back(*one);
    }
    return found;
}

const Refusal& NodeRanking::refusal(const Cluster& cluster, NodeId node) {
    const StateId state = cluster.states().of(node);
    const std::uint64_t version = (*states_)[state].version;
    if (!refusal_ || std::get<0>(*refusal_) != node || std::get<1>(*refusal_) != version) {
        const NodeStateData& data = *cluster.states()[state];
        auto why = refuse_class(cluster, cluster.class_of(node), *request_, cluster.name(node));
        if (!why && refused_by(state) == Constraint::candidates) {
            why = Refusal{Constraint::candidates,
                          cluster.name(node) + " " + states_->scorer().why_none()};
        }
        if (!why) why = classes_[data.node_class.value()]->refusal(data.free);
        refusal_.emplace(node, version, *std::move(why));
    }
    return std::get<2>(*refusal_);
}

Score NodeRanking::nearness(StateId state) const {
    const KnownState& known = (*states_)[state];
    return classes_[known.node_class.value()]->nearness(known, refused_by(state));
}

std::optional<NodeId> NodeRanking::nearest(const Cluster& cluster) {
    const NodeStates& states = cluster.states();
    const auto moves = states_->since(refused_position_);
    refused_position_ = states_->position();
    const std::size_t most = 64 + 2 * std::size_t{states.count()};
    if (moves && refused_.size() + moves->size() <= most) {
        for (const NodeMove& move : *moves) {
            if (states_->nodes_in(move.to) == 0 || !has_too_little(move.to)) continue;
            push(refused_, {nearness(move.to), move.node, move.to});
        }
    } else {
        refused_.clear();
        states.for_each([&](StateId state) {
            if (!has_too_little(state)) return;
            refused_.push_back({nearness(state), *states.next(state, NodeId(0)), state});
        });
        std::make_heap(refused_.begin(), refused_.end(), comes_after);
    }
    while (!refused_.empty()) {
        const Candidate top = refused_.front();
        const bool is_of_this_state = states.nodes_in(top.state) != 0 &&
                                      has_too_little(top.state) && nearness(top.state) == top.score;
        if (is_of_this_state && states.of(top.node) == top.state) return top.node;
        pop(refused_);
        if (!is_of_this_state) continue;
        const auto later = next(cluster, top, NodeId(top.node.value() + 1), nullptr);
        if (later) push(refused_, *later);
    }
    return std::nullopt;
}

const NodeRanking::Tally& NodeRanking::tally(const Cluster& cluster) {
    const auto moves = states_->since(tally_position_);
    if (moves) {
        for (const NodeMove& move : *moves) {
            count(cluster, move.from);
            count(cluster, move.to);
        }
    } else {
        tally_ = {};
        counted_.assign(cluster.states().limit(), {});
        for (std::uint32_t s = 0; s < counted_.size(); ++s) count(cluster, StateId(s));
    }
    tally_position_ = states_->position();
    return tally_;
}

void NodeRanking::count(const Cluster& cluster, StateId state) {
    if (state.value() >= counted_.size()) counted_.resize(std::size_t{state.value()} + 1);
    Counted& counted = counted_[state.value()];
    tally_[static_cast<std::size_t>(counted.by)] -= counted.nodes;
    counted.nodes = states_->nodes_in(state);
    if (counted.nodes == 0) return;
    counted.by = answers_[state.value()].said.refused_by;
    if (counted.by == Constraint::node_state &&
        cluster.classes()[cluster.states()[state]->node_class].state == NodeState::removed) {
        counted.nodes = 0;
    }
    tally_[static_cast<std::size_t>(counted.by)] += counted.nodes;
}

}  // namespace trestle
