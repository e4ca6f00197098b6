// SPDX-License-Identifier: Apache-2.0
#pragma once

// PartAnswers: for one part of a job, what each node state says, and the states in order of score.
//
// Layer: alloc. Main types: PartAnswers, Candidate. Each state is asked once, as long as a node is
// in it; afterwards a decision looks at the nodes that changed since the last one and at the head
// of a heap. So its cost does not grow with the nodes, and hardly with the states.
// A reader would get wrong: an entry of the heap stands for the nodes of a state from one on; it
// may be out of date, which shows when it comes to the top.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/fit/demand.hpp"
#include "trestle/alloc/place/class_answers.hpp"
#include "trestle/alloc/place/eligibility.hpp"
#include "trestle/alloc/place/node_filter.hpp"
#include "trestle/alloc/place/random_draw.hpp"
#include "trestle/alloc/place/scores.hpp"
#include "trestle/alloc/place/state_follower.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// A node that can take the part.
struct Candidate {
    Score score{};
    NodeId node{};
    StateId state{};
    bool is_spared = false;  ///< comes behind all that are not, for its devices
};

[[nodiscard]] inline bool comes_before(const Candidate& a, const Candidate& b) {
    if (a.is_spared != b.is_spared) return b.is_spared;
    return a.score != b.score ? a.score > b.score : a.node < b.node;
}

class PartAnswers {
  public:
    PartAnswers(Shared<Request> request, NodePart part, FitOptions options)
        : request_(std::move(request)), part_(part), options_(options) {}

    /// Takes note of what changed. Requires: `states` follows the cluster, and is the same at all
    /// calls.
    void follow(const Cluster& cluster, StateFollower& states);

    /// The best nodes that pass the filter, at most `count`, in order. Requires: follow(cluster).
    template <class Passes>
    [[nodiscard]] std::vector<Candidate> best(const Cluster& cluster, std::size_t count,
                                              const NodeSet* candidates, const Passes& passes);
    /// The best node of all, or nothing. Requires: follow(cluster).
    [[nodiscard]] std::optional<Candidate> best(const Cluster& cluster);
    /// The node as a candidate, if it can take the part. Requires: follow(cluster).
    [[nodiscard]] std::optional<Candidate> candidate(const Cluster& cluster, NodeId node) const {
        const StateId state = cluster.states().of(node);
        if (!fits(state)) return std::nullopt;
        return as_candidate(node, state);
    }
    /// What the candidate gives. Requires: it is of this part, and the cluster has not changed.
    [[nodiscard]] NodePlacement placement(const Cluster& cluster, const Candidate& candidate) {
        NodePlacement placement = given(cluster, candidate.state, candidate.node);
        placement.node = candidate.node;
        return placement;
    }
    /// True when a node in the state can take the part. Requires: follow(cluster), and a node is in
    /// the state.
    [[nodiscard]] bool fits(StateId state) const {
        return answers_[state.value()].said.refused_by == Constraint::none;
    }
    /// What the node, which is in the state, gives; `node` in it is id 0. Requires: fits(state).
    [[nodiscard]] NodePlacement given(const Cluster& cluster, StateId state, NodeId node);
    /// What keeps nodes in the state from taking the part; `none` where nothing does. Requires: as
    /// fits().
    [[nodiscard]] Constraint refused_by(StateId state) const {
        return answers_[state.value()].said.refused_by;
    }
    /// True when nodes are drawn at random: they come in an order that scores do not tell.
    [[nodiscard]] bool is_drawn() const { return seed_.has_value(); }
    /// True when a state that nodes are in was too hard a question. Complexity: the states.
    [[nodiscard]] bool has_given_up(const Cluster& cluster) const;
    /// Why a node cannot take the part. Requires: follow(cluster); it cannot.
    [[nodiscard]] const Refusal& refusal(const Cluster& cluster, NodeId node);

    /// Nodes by the constraint that keeps them from taking a part; `none`: those that can.
    using Tally = std::array<std::uint32_t, enum_names(Constraint{}).size()>;
    /// Of all nodes but removed ones. Requires: follow(cluster). Complexity: what changed since it
    /// was last asked for, or the states.
    [[nodiscard]] const Tally& tally(const Cluster& cluster);

  private:
    /// What a state says, as long as it has this version.
    struct Answer {
        std::uint64_t version = 0;
        StateAnswer said;
        bool is_spared = false;
    };
    /// What a state gives after a search, once it was given. Few are, of those that are asked.
    struct Searched {
        std::uint64_t version = 0;
        NodePlacement placement;
    };
    /// The nodes of a state as they were counted.
    struct Counted {
        Constraint by = Constraint::none;
        std::uint32_t nodes = 0;
    };

    [[nodiscard]] static bool comes_after(const Candidate& a, const Candidate& b) {
        return comes_before(b, a);
    }
    static void push(std::vector<Candidate>& heap, Candidate one) {
        heap.push_back(one);
        std::push_heap(heap.begin(), heap.end(), comes_after);
    }
    static Candidate pop(std::vector<Candidate>& heap) {
        std::pop_heap(heap.begin(), heap.end(), comes_after);
        const Candidate top = heap.back();
        heap.pop_back();
        return top;
    }

    /// best() at random.
    template <class Passes>
    [[nodiscard]] std::vector<Candidate> drawn(const Cluster& cluster, std::size_t count,
                                               const NodeSet* candidates,
                                               const Passes& passes) const;
    /// The candidates that can take the part, rising.
    [[nodiscard]] std::vector<Candidate> fitting(const Cluster& cluster,
                                                 const NodeSet& candidates) const;
    /// best() by looking at each candidate.
    template <class Passes>
    [[nodiscard]] std::vector<Candidate> best_among(const Cluster& cluster, std::size_t count,
                                                    const NodeSet& candidates,
                                                    const Passes& passes) const;
    /// Brings the answers about where nodes went nearer to the cache: with many requests those of
    /// each have left it until it is asked again.
    void prefetch_answers(std::span<const NodeMove> moves) const {
        for (const NodeMove& move : moves) {
            const std::size_t at = move.to.value();
            if (at >= answers_.size() || states_->nodes_in(move.to) == 0) continue;
            __builtin_prefetch(&answers_[at], 1);
        }
    }
    /// The state's answer, which is worked out when its data is new.
    const Answer& answer(const Cluster& cluster, const StateFollower& states, StateId state);
    [[nodiscard]] Candidate as_candidate(NodeId node, StateId state) const {
        const Answer& answer = answers_[state.value()];
        return {answer.said.score, node, state, answer.is_spared};
    }
    void ask_function(const Cluster& cluster, std::vector<StateId> states);
    ClassAnswers& class_answers(const Cluster& cluster, const Scorer& scorer, ClassId id);
    void rebuild(const Cluster& cluster, const StateFollower& states);
    /// True when the candidate's state is the one that gave it its score: numbers of states are
    /// used again.
    [[nodiscard]] bool is_current(const Cluster& cluster, const Candidate& one) const {
        const NodeStates& states = cluster.states();
        if (states.nodes_in(one.state) == 0) return false;
        const Answer& answer = answers_[one.state.value()];
        return answer.version == (*states_)[one.state].version && fits(one.state) &&
               answer.said.score == one.score;
    }
    /// The next node of the candidate's state from `from` on, among the candidates.
    [[nodiscard]] static std::optional<Candidate> next(const Cluster& cluster, Candidate one,
                                                       NodeId from, const NodeSet* among);
    /// Counts the nodes of a state as they are now.
    void count(const Cluster& cluster, StateId state);
    /// Lets what is at the top be true.
    void settle(const Cluster& cluster);

    Shared<Request> request_;
    NodePart part_;
    FitOptions options_;
    StateFollower* states_ = nullptr;
    std::uint64_t position_ = 0;
    std::vector<Answer> answers_;          ///< by StateId
    std::vector<std::uint32_t> place_of_;  ///< in searched_, less one, by StateId; 0: never given
    std::vector<Searched> searched_;
    std::vector<std::optional<ClassAnswers>> classes_;
    bool has_ever_given_up_ = false;
    std::vector<Candidate> heap_;  ///< best first
    Tally tally_{};
    std::vector<Counted> counted_;  ///< by StateId
    std::uint64_t tally_position_ = 0;
    /// The last refusal(), of which node and which version of its state.
    std::optional<std::tuple<NodeId, std::uint64_t, Refusal>> refusal_;
    std::optional<std::uint64_t> seed_;  ///< of the decision, where nodes are drawn at random
};

inline bool PartAnswers::has_given_up(const Cluster& cluster) const {
    if (!has_ever_given_up_) return false;
    bool has_given_up = false;
    cluster.states().for_each(
        [&](StateId state) { has_given_up |= refused_by(state) == Constraint::gave_up; });
    return has_given_up;
}

inline ClassAnswers& PartAnswers::class_answers(const Cluster& cluster, const Scorer& scorer,
                                                ClassId id) {
    if (id.value() >= classes_.size()) classes_.resize(cluster.classes().size());
    std::optional<ClassAnswers>& known = classes_[id.value()];
    if (!known) known.emplace(cluster, id, *request_, part_, options_, scorer);
    return *known;
}

inline const PartAnswers::Answer& PartAnswers::answer(const Cluster& cluster,
                                                      const StateFollower& states, StateId state) {
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
inline void PartAnswers::ask_function(const Cluster& cluster, std::vector<StateId> states) {
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
        const ClassAnswers& of_class = *classes_[known.node_class.value()];
        placements.push_back(given(cluster, state, NodeId(0)));
        inputs.push_back(
            scorer.input(*known.data, *known.before, of_class.demand(), placements.back()));
    }
    const std::vector<Score> scores = scorer.scores(inputs);
    for (std::size_t i = 0; i < states.size(); ++i) {
        StateAnswer& said = answers_[states[i].value()].said;
        said.score = scores[i];
        if (!std::isnan(scores[i].first) && !std::isnan(scores[i].second)) continue;
        said.refused_by = Constraint::candidates;
    }
}

inline NodePlacement PartAnswers::given(const Cluster& cluster, StateId state, NodeId node) {
    const Answer& answer = answers_[state.value()];
    const NodeStateData& data = *cluster.states()[state];
    ClassAnswers& of_class = *classes_[data.node_class.value()];
    if (seed_) {
        const std::vector<std::uint32_t> draws = of_class.draws(data.free);
        if (!draws.empty()) {
            StateAnswer drawn = answer.said;
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

inline void PartAnswers::rebuild(const Cluster& cluster, const StateFollower& followed) {
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

inline void PartAnswers::follow(const Cluster& cluster, StateFollower& states) {
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

inline std::optional<Candidate> PartAnswers::next(const Cluster& cluster, Candidate one,
                                                  NodeId from, const NodeSet* among) {
    auto node = cluster.states().next(one.state, from);
    while (node && among && !among->contains(*node)) {
        const auto allowed = among->next(*node);
        node = allowed ? cluster.states().next(one.state, *allowed) : std::nullopt;
    }
    if (!node) return std::nullopt;
    one.node = *node;
    return one;
}

inline void PartAnswers::settle(const Cluster& cluster) {
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

template <class Passes>
std::vector<Candidate> PartAnswers::best(const Cluster& cluster, std::size_t count,
                                         const NodeSet* candidates, const Passes& passes) {
    if (seed_) return drawn(cluster, count, candidates, passes);
    if (candidates && candidates->count() <= 64 + heap_.size()) {
        return best_among(cluster, count, *candidates, passes);
    }
    std::vector<Candidate> found;
    std::vector<Candidate> aside;  // of the heap, to be put back
    std::vector<Candidate> more;   // a heap of what follows those
    while (found.size() < count) {
        settle(cluster);
        if (heap_.empty() && more.empty()) break;
        const bool is_more =
            heap_.empty() || (!more.empty() && comes_before(more.front(), heap_.front()));
        if (!is_more && count == 1 && passes(heap_.front().node)) {
            found.push_back(heap_.front());
            break;
        }
        const Candidate one = pop(is_more ? more : heap_);
        if (!is_more) aside.push_back(one);
        const auto later = next(cluster, one, NodeId(one.node.value() + 1), candidates);
        if (later) push(more, *later);
        if (!found.empty() && found.back().node == one.node) continue;
        if (passes(one.node)) found.push_back(one);
    }
    for (const Candidate& one : aside) push(heap_, one);
    return found;
}

inline std::optional<Candidate> PartAnswers::best(const Cluster& cluster) {
    if (seed_) {
        const auto found = drawn(cluster, 1, nullptr, [](NodeId) { return true; });
        return found.empty() ? std::nullopt : std::optional(found.front());
    }
    settle(cluster);
    return heap_.empty() ? std::nullopt : std::optional(heap_.front());
}

inline std::vector<Candidate> PartAnswers::fitting(const Cluster& cluster,
                                                   const NodeSet& candidates) const {
    std::vector<Candidate> found;
    for (const NodeId node : candidates) {
        if (node.value() >= cluster.node_count()) break;
        if (const auto one = candidate(cluster, node)) found.push_back(*one);
    }
    return found;
}

template <class Passes>
std::vector<Candidate> PartAnswers::drawn(const Cluster& cluster, std::size_t count,
                                          const NodeSet* candidates, const Passes& passes) const {
    std::vector<Candidate> found;
    for (const bool is_spared : {false, true}) {
        std::vector<Candidate> named;
        std::vector<StateId> states;
        if (candidates) {
            named = fitting(cluster, *candidates);
            std::erase_if(named, [&](const Candidate& one) { return one.is_spared != is_spared; });
        } else {
            cluster.states().for_each([&](StateId state) {
                if (fits(state) && answers_[state.value()].is_spared == is_spared) {
                    states.push_back(state);
                }
            });
        }
        const NodeRow row(cluster.states(), states);
        RandomDraw draw(candidates ? named.size() : row.size(), *seed_);
        while (found.size() < count && draw.has_next()) {
            const std::uint64_t place = draw.next();
            Candidate one;
            if (candidates) {
                one = named[static_cast<std::size_t>(place)];
            } else {
                std::tie(one.node, one.state) = row[place];
                one.is_spared = is_spared;
            }
            if (passes(one.node)) found.push_back(one);
        }
        if (found.size() == count) break;
    }
    return found;
}

template <class Passes>
std::vector<Candidate> PartAnswers::best_among(const Cluster& cluster, std::size_t count,
                                               const NodeSet& candidates,
                                               const Passes& passes) const {
    std::vector<Candidate> found = fitting(cluster, candidates);
    std::erase_if(found, [&](const Candidate& one) { return !passes(one.node); });
    const std::size_t kept = std::min(count, found.size());
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(),
                      comes_before);
    found.resize(kept);
    return found;
}

inline const Refusal& PartAnswers::refusal(const Cluster& cluster, NodeId node) {
    const StateId state = cluster.states().of(node);
    const std::uint64_t version = (*states_)[state].version;
    if (!refusal_ || std::get<0>(*refusal_) != node || std::get<1>(*refusal_) != version) {
        const NodeStateData& data = *cluster.states()[state];
        auto why = refuse_class(cluster, cluster.class_of(node), *request_, cluster.name(node));
        if (!why && refused_by(state) == Constraint::candidates) {
            why = Refusal{Constraint::candidates,
                          cluster.name(node) + " has no score, the caller's policy leaves it out"};
        }
        if (!why) why = classes_[data.node_class.value()]->refusal(data.free);
        refusal_.emplace(node, version, *std::move(why));
    }
    return std::get<2>(*refusal_);
}

inline const PartAnswers::Tally& PartAnswers::tally(const Cluster& cluster) {
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

inline void PartAnswers::count(const Cluster& cluster, StateId state) {
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
