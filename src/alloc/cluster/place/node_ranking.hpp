// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeRanking: for one part of a job, what each node state says, and the states in order of score.
//
// Layer: alloc. Main types: NodeRanking, Candidate. Each state is asked once, as long as a node is
// in it; afterwards a decision looks at the nodes that changed since the last one and at the head
// of a heap. So its cost does not grow with the nodes, and hardly with the states.
// Pitfall: an entry of the heap stands for the nodes of a state from one on; it may be out of date,
// which shows when it comes to the top.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/cluster/place/class_evaluator.hpp"
#include "alloc/cluster/place/random_draw.hpp"
#include "alloc/cluster/place/scores.hpp"
#include "alloc/cluster/place/state_cache.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"
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

class NodeRanking {
  public:
    NodeRanking(Shared<Request> request, NodePart part, FitOptions options)
        : request_(std::move(request)), part_(part), options_(options) {}

    /// Takes note of what changed. Requires: `states` follows the cluster, and is the same at all
    /// calls.
    void follow(const Cluster& cluster, StateCache& states);

    /// The best nodes that pass the filter, at most `count`, in order. Requires: follow(cluster).
    template <class Passes>
    [[nodiscard]] std::vector<Candidate> best(const Cluster& cluster, std::size_t count,
                                              const NodeSet* candidates, const Passes& passes);
    /// The best node of all, or nothing. Requires: follow(cluster).
    [[nodiscard]] std::optional<Candidate> best(const Cluster& cluster);
    /// The node as a candidate, if it can take the part. Requires: follow(cluster).
    [[nodiscard]] std::optional<Candidate> candidate(const Cluster& cluster, NodeId node) const;
    /// What the candidate gives. Requires: it is of this part, and the cluster has not changed.
    [[nodiscard]] NodePlacement placement(const Cluster& cluster, const Candidate& candidate);
    /// True when a node in the state can take the part. Requires: follow(cluster), and a node is in
    /// the state.
    [[nodiscard]] bool fits(StateId state) const {
        return answers_[state.value()].said.refused_by == Constraint::none;
    }
    /// What the node, which is in the state, gives; `node` in it is id 0. Requires: fits(state).
    [[nodiscard]] NodePlacement given(const Cluster& cluster, StateId state, NodeId node);
    /// What a node of this shape and ledger gives, beside other parts of the job that the ledger
    /// has. Devices are fit()'s choice, whatever the policy.
    [[nodiscard]] Verdict<NodePlacement> fit_beside(const NodeShape& shape,
                                                    const NodeLedger& ledger) const;
    [[nodiscard]] const Request& request() const { return *request_; }
    [[nodiscard]] NodeDemand demand_on(const NodeShape& shape) const {
        return demand_of(*request_, part_, shape.socket_count());
    }
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

    /// How near a node in the state comes to the part: see ClassEvaluator::nearness(). Requires: as
    /// fits(); is_about_room(refused_by(state)).
    [[nodiscard]] Score nearness(StateId state) const;
    /// Of the nodes that have too little free the one that comes nearest, of equals the lowest.
    /// Requires: follow(cluster). Complexity: as for tally().
    [[nodiscard]] std::optional<NodeId> nearest(const Cluster& cluster);

    /// Nodes by the constraint that keeps them from taking a part; `none`: those that can.
    using Tally = std::array<std::uint32_t, enum_names(Constraint{}).size()>;
    /// Of all nodes but removed ones. Requires: follow(cluster). Complexity: what changed since it
    /// was last asked for, or the states.
    [[nodiscard]] const Tally& tally(const Cluster& cluster);

  private:
    /// What a state says, as long as it has this version.
    struct Answer {
        std::uint64_t version = 0;
        Feasibility said;
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

    /// The order of heaps. An object, not a function: its calls are inlined.
    static constexpr auto comes_after = [](const Candidate& a, const Candidate& b) {
        return comes_before(b, a);
    };
    static void push(std::vector<Candidate>& heap, Candidate one);
    static Candidate pop(std::vector<Candidate>& heap);

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
    void prefetch_answers(std::span<const NodeMove> moves) const;
    /// The state's answer, which is worked out when its data is new.
    const Answer& answer(const Cluster& cluster, const StateCache& states, StateId state);
    [[nodiscard]] Candidate as_candidate(NodeId node, StateId state) const;
    void ask_function(const Cluster& cluster, std::vector<StateId> states);
    ClassEvaluator& class_answers(const Cluster& cluster, const Scorer& scorer, ClassId id);
    void rebuild(const Cluster& cluster, const StateCache& states);
    /// True when the candidate's state is the one that gave it its score: numbers of states are
    /// used again.
    [[nodiscard]] bool is_current(const Cluster& cluster, const Candidate& one) const;
    /// The next node of the candidate's state from `from` on, among the candidates.
    [[nodiscard]] static std::optional<Candidate> next(const Cluster& cluster, Candidate one,
                                                       NodeId from, const NodeSet* among);
    /// Counts the nodes of a state as they are now.
    void count(const Cluster& cluster, StateId state);
    /// Lets what is at the top be true.
    void drop_stale(const Cluster& cluster);
    [[nodiscard]] bool has_too_little(StateId state) const {
        return is_about_room(refused_by(state));
    }

    Shared<Request> request_;
    NodePart part_;
    FitOptions options_;
    StateCache* states_ = nullptr;
    std::uint64_t position_ = 0;
    std::vector<Answer> answers_;          ///< by StateId
    std::vector<std::uint32_t> place_of_;  ///< in searched_, less one, by StateId; 0: never given
    std::vector<Searched> searched_;
    std::vector<std::optional<ClassEvaluator>> classes_;
    bool has_ever_given_up_ = false;
    std::vector<Candidate> heap_;  ///< best first
    Tally tally_{};
    std::vector<Counted> counted_;  ///< by StateId
    std::uint64_t tally_position_ = 0;
    std::vector<Candidate> refused_;  ///< a heap of nodes with too little free, nearest first
    std::uint64_t refused_position_ = 0;
    /// The last refusal(), of which node and which version of its state.
    std::optional<std::tuple<NodeId, std::uint64_t, Refusal>> refusal_;
    std::optional<std::uint64_t> seed_;  ///< of the decision, where nodes are drawn at random
};

template <class Passes>
std::vector<Candidate> NodeRanking::best(const Cluster& cluster, std::size_t count,
                                         const NodeSet* candidates, const Passes& passes) {
    if (seed_) return drawn(cluster, count, candidates, passes);
    if (candidates && candidates->count() <= 64 + heap_.size()) {
        return best_among(cluster, count, *candidates, passes);
    }
    std::vector<Candidate> found;
    std::vector<Candidate> aside;  // of the heap, to be put back
    std::vector<Candidate> more;   // a heap of what follows those
    while (found.size() < count) {
        drop_stale(cluster);
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

template <class Passes>
std::vector<Candidate> NodeRanking::drawn(const Cluster& cluster, std::size_t count,
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
std::vector<Candidate> NodeRanking::best_among(const Cluster& cluster, std::size_t count,
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

}  // namespace trestle
