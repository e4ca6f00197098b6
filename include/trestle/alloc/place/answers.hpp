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
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/fit/demand.hpp"
#include "trestle/alloc/fit/fit_cache.hpp"
#include "trestle/alloc/place/eligibility.hpp"
#include "trestle/alloc/place/node_filter.hpp"
#include "trestle/alloc/place/random_draw.hpp"
#include "trestle/alloc/place/scores.hpp"
#include "trestle/base/cow/cow.hpp"
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

    /// Takes note of what changed. Requires: the scorer is of a cluster with the same description,
    /// and so were those of earlier calls.
    void follow(const Cluster& cluster, const Scorer& scorer);

    /// The best nodes that pass the filter, at most `count`, in order. Requires: follow(cluster).
    template <class Passes>
    [[nodiscard]] std::vector<Candidate> best(const Cluster& cluster, std::size_t count,
                                              const NodeSet* candidates, const Passes& passes);
    /// The node as a candidate, if it can take the part. Requires: follow(cluster).
    [[nodiscard]] std::optional<Candidate> candidate(const Cluster& cluster, NodeId node) const {
        const StateId state = cluster.states().of(node);
        const Answer& answer = answers_[state.value()];
        if (!answer.placement) return std::nullopt;
        return Candidate{answer.score, node, state, answer.is_spared};
    }
    /// What the candidate gives. Requires: it is of this part, and the cluster has not changed.
    [[nodiscard]] NodePlacement placement(const Candidate& candidate) const {
        NodePlacement placement = given(candidate.state, candidate.node);
        placement.node = candidate.node;
        return placement;
    }
    /// True when a node in the state can take the part. Requires: follow(cluster).
    [[nodiscard]] bool fits(StateId state) const {
        return answers_[state.value()].placement.has_value();
    }
    /// What a node in the state gives. Requires: fits(state).
    [[nodiscard]] const NodePlacement& given(StateId state, NodeId node) const {
        const Answer& answer = answers_[state.value()];
        if (answer.draws.empty()) return *answer.placement;
        return answer.draws[drawn_device(*seed_, node, answer.draws.size())];
    }
    /// True when nodes are drawn at random: they come in an order that scores do not tell.
    [[nodiscard]] bool is_drawn() const { return seed_.has_value(); }
    /// True when a state that nodes are in was too hard a question. Complexity: the states.
    [[nodiscard]] bool has_given_up(const Cluster& cluster) const;
    /// Why a node cannot take the part. Requires: follow(cluster); it cannot.
    [[nodiscard]] Refusal refusal(const Cluster& cluster, NodeId node);
    /// The constraint of refusal() for nodes in the state, remembered.
    [[nodiscard]] Constraint refused_by(const Cluster& cluster, StateId state) {
        Constraint& known = answers_[state.value()].refused_by;
        if (known == Constraint::none) {
            known = refusal(cluster, *cluster.states().next(state, NodeId(0))).constraint;
        }
        return known;
    }

  private:
    /// What a state says, as long as it has this data.
    struct Answer {
        Cow<NodeStateData> data;
        Score score;
        std::optional<NodePlacement> placement;
        /// Without a placement: by what; `none` where that was not asked yet.
        Constraint refused_by = Constraint::none;
        bool is_spared = false;
        std::vector<NodePlacement> draws{};  ///< one for each device where that is drawn
    };
    /// What all states of a class have in common.
    struct ClassAnswer {
        bool is_eligible = false;
        std::optional<FitCache> fits;
        /// Of each device that counts, the first that is like it but for its number.
        std::vector<DeviceId> first_alike;
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
    /// The state's answer, which is worked out when its data is new.
    const Answer& answer(const Cluster& cluster, const Scorer& scorer, StateId state);
    void work_out(Answer& answer, const Cluster& cluster, const Scorer& scorer);
    void choose_device(Answer& answer, ClassAnswer& known, const Scorer::Before& before,
                       const Scorer& scorer);
    static void add_draws(Answer& answer, ClassAnswer& known, const Scorer& scorer);
    void ask_function(const Cluster& cluster, const Scorer& scorer, std::vector<StateId> states);
    [[nodiscard]] static std::optional<NodePlacement> on_device(
        const NodePlacement& somewhere, FitCache& fits, const FreeState& free,
        const std::vector<DeviceId>& devices, DeviceId id);
    ClassAnswer& class_answer(const Cluster& cluster, ClassId id);
    void rebuild(const Cluster& cluster, const Scorer& scorer);
    /// True when the candidate's state is the one that gave it its score: numbers of states are
    /// used again.
    [[nodiscard]] bool is_current(const Cluster& cluster, const Candidate& one) const {
        const NodeStates& states = cluster.states();
        if (one.state.value() >= states.limit() || states.nodes_in(one.state) == 0) return false;
        const Answer& answer = answers_[one.state.value()];
        return answer.data.is_same_object(states[one.state]) && answer.placement &&
               answer.score == one.score;
    }
    /// The next node of the candidate's state from `from` on, among the candidates.
    [[nodiscard]] static std::optional<Candidate> next(const Cluster& cluster, Candidate one,
                                                       NodeId from, const NodeSet* among);
    /// Lets what is at the top be true.
    void settle(const Cluster& cluster);

    Shared<Request> request_;
    NodePart part_;
    FitOptions options_;
    JournalPosition position_;
    std::vector<Answer> answers_;  ///< by StateId
    std::vector<std::optional<ClassAnswer>> classes_;
    bool has_ever_given_up_ = false;
    std::vector<Candidate> heap_;        ///< best first
    std::optional<std::uint64_t> seed_;  ///< of the decision, where nodes are drawn at random
};

namespace detail {

/// Of each of the devices, the first that is like it but for its number.
[[nodiscard]] inline std::vector<DeviceId> first_alike(const NodeShape& shape,
                                                       const std::vector<DeviceId>& devices) {
    std::vector<DeviceId> first;
    for (const DeviceId id : devices) {
        const auto at = std::find_if(devices.begin(), devices.end(), [&](DeviceId other) {
            Device like = shape.devices[other.value()];
            like.index = shape.devices[id.value()].index;
            like.uuid = shape.devices[id.value()].uuid;
            like.files = shape.devices[id.value()].files;
            return like == shape.devices[id.value()];
        });
        first.push_back(*at);
    }
    return first;
}

}  // namespace detail

inline bool PartAnswers::has_given_up(const Cluster& cluster) const {
    if (!has_ever_given_up_) return false;
    for (std::uint32_t s = 0; s < cluster.states().limit(); ++s) {
        if (cluster.states().nodes_in(StateId(s)) != 0 &&
            answers_[s].refused_by == Constraint::gave_up) {
            return true;
        }
    }
    return false;
}

inline PartAnswers::ClassAnswer& PartAnswers::class_answer(const Cluster& cluster, ClassId id) {
    if (id.value() >= classes_.size()) classes_.resize(cluster.classes().size());
    std::optional<ClassAnswer>& known = classes_[id.value()];
    if (!known) {
        const NodeClass& one = cluster.classes()[id];
        known.emplace();
        known->is_eligible = !refuse_class(cluster, one, *request_, "");
        if (known->is_eligible) {
            known->fits.emplace(one.shape, demand_of(*request_, part_, socket_count(*one.shape)),
                                options_);
        }
    }
    return *known;
}

inline const PartAnswers::Answer& PartAnswers::answer(const Cluster& cluster, const Scorer& scorer,
                                                      StateId state) {
    if (state.value() >= answers_.size()) answers_.resize(cluster.states().limit());
    Answer& one = answers_[state.value()];
    const Cow<NodeStateData>& data = cluster.states()[state];
    if (!one.data.is_same_object(data)) {
        one = {data, {}, std::nullopt};
        one.is_spared = scorer.is_spared(data->node_class, *request_);
        work_out(one, cluster, scorer);
    }
    return one;
}

inline void PartAnswers::work_out(Answer& answer, const Cluster& cluster, const Scorer& scorer) {
    ClassAnswer& known = class_answer(cluster, answer.data->node_class);
    if (!known.is_eligible) return;
    const auto& verdict = known.fits->quick_fit(answer.data->free);
    if (!verdict) {
        answer.refused_by = verdict.refusal().constraint;
        has_ever_given_up_ |= answer.refused_by == Constraint::gave_up;
        return;
    }
    answer.placement = *verdict;
    if (scorer.has_function()) return;  // which is asked about all new states at once
    const Scorer::Before before = scorer.before(*answer.data);
    answer.score = scorer.score(*answer.data, before, known.fits->demand(), *answer.placement);
    if (scorer.device_choice() != DeviceChoice::by_fit) {
        choose_device(answer, known, before, scorer);
    }
}

/// Where a part of one device is asked, each device is tried alone, of those that do not differ
/// the first.
inline void PartAnswers::choose_device(Answer& answer, ClassAnswer& known,
                                       const Scorer::Before& before, const Scorer& scorer) {
    FitCache& fits = *known.fits;
    const auto& demands = fits.demand().devices;
    const bool is_part_of_one = demands.size() == 1 && !demands.front().request.shares.is_zero() &&
                                demands.front().request.shares_per == Per::device &&
                                answer.placement->devices.size() == 1;
    if (!is_part_of_one) return;
    if (scorer.device_choice() == DeviceChoice::at_random) return add_draws(answer, known, scorer);
    const bool takes_least = scorer.device_choice() == DeviceChoice::least_left;
    const FreeState& free = answer.data->free;
    const std::vector<DeviceId>& devices = scorer.devices(answer.data->node_class);
    if (known.first_alike.empty()) known.first_alike = detail::first_alike(fits.shape(), devices);
    const auto is_like = [&](std::size_t a, std::size_t b) {
        return known.first_alike[a] == known.first_alike[b] &&
               free.shares[devices[a].value()] == free.shares[devices[b].value()];
    };
    std::optional<NodePlacement> best;
    Count least = Count::max();
    for (std::size_t d = 0; d < devices.size(); ++d) {
        const Count left = free.shares[devices[d].value()];
        if (takes_least && least <= left) continue;
        std::size_t first = 0;
        while (!is_like(first, d)) ++first;
        if (first != d) continue;
        auto placement = on_device(*answer.placement, fits, free, devices, devices[d]);
        if (!placement) continue;
        const Score score = scorer.score(*answer.data, before, fits.demand(), *placement);
        if (best && !takes_least && score <= answer.score) continue;
        best = std::move(placement);
        least = left;
        answer.score = score;
    }
    if (best) answer.placement = *std::move(best);
}

inline void PartAnswers::add_draws(Answer& answer, ClassAnswer& known, const Scorer& scorer) {
    const std::vector<DeviceId>& devices = scorer.devices(answer.data->node_class);
    for (const DeviceId id : devices) {
        auto draw = on_device(*answer.placement, *known.fits, answer.data->free, devices, id);
        if (draw) answer.draws.push_back(*std::move(draw));
    }
}

/// Lets the function of the caller's score those of the states that are new.
inline void PartAnswers::ask_function(const Cluster& cluster, const Scorer& scorer,
                                      std::vector<StateId> states) {
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
    std::erase_if(states, [&](StateId state) {
        const bool is_known = state.value() < answers_.size() &&
                              answers_[state.value()].data.is_same_object(cluster.states()[state]);
        return is_known || !answer(cluster, scorer, state).placement;
    });
    if (states.empty()) return;
    std::vector<Scorer::Before> before;
    std::vector<ScoreInput> inputs;
    before.reserve(states.size());
    inputs.reserve(states.size());
    for (const StateId state : states) {
        const Answer& one = answers_[state.value()];
        const ClassAnswer& known = class_answer(cluster, one.data->node_class);
        before.push_back(scorer.before(*one.data));
        inputs.push_back(
            scorer.input(*one.data, before.back(), known.fits->demand(), *one.placement));
    }
    const std::vector<Score> scores = scorer.scores(inputs);
    for (std::size_t i = 0; i < states.size(); ++i) {
        Answer& one = answers_[states[i].value()];
        one.score = scores[i];
        if (!std::isnan(scores[i].first) && !std::isnan(scores[i].second)) continue;
        one.placement.reset();
        one.refused_by = Constraint::candidates;
    }
}

/// What the node would give if `id` were the only one of the devices with something left.
inline std::optional<NodePlacement> PartAnswers::on_device(const NodePlacement& somewhere,
                                                           FitCache& fits, const FreeState& free,
                                                           const std::vector<DeviceId>& devices,
                                                           DeviceId id) {
    if (fits.is_plain()) {
        const auto& able = fits.devices(0);
        const Count asked = fits.demand().devices.front().request.shares;
        if (free.shares[id.value()] < asked || !std::binary_search(able.begin(), able.end(), id)) {
            return std::nullopt;
        }
        NodePlacement placement = somewhere;
        placement.devices.front().device = id;
        return placement;
    }
    FreeState alone = free;
    for (const DeviceId other : devices) {
        if (other != id) alone.shares[other.value()] = Count();
    }
    const auto& verdict = fits.fit(alone);
    return verdict ? std::optional(*verdict) : std::nullopt;
}

inline void PartAnswers::rebuild(const Cluster& cluster, const Scorer& scorer) {
    heap_.clear();
    const NodeStates& states = cluster.states();
    answers_.resize(std::max<std::size_t>(answers_.size(), states.limit()));
    if (scorer.has_function()) {
        std::vector<StateId> all;
        for (std::uint32_t s = 0; s < states.limit(); ++s) {
            if (states.nodes_in(StateId(s)) != 0) all.emplace_back(s);
        }
        ask_function(cluster, scorer, std::move(all));
    }
    for (std::uint32_t s = 0; s < states.limit(); ++s) {
        const StateId state(s);
        if (states.nodes_in(state) == 0) continue;
        const Answer& one = answer(cluster, scorer, state);
        if (!one.placement) continue;
        heap_.push_back({one.score, *states.next(state, NodeId(0)), state, one.is_spared});
    }
    std::make_heap(heap_.begin(), heap_.end(), comes_after);
}

inline void PartAnswers::follow(const Cluster& cluster, const Scorer& scorer) {
    const auto changed = cluster.journal().since(position_);
    const std::size_t heap_max = 64 + 2 * std::size_t{cluster.states().count()};
    seed_ = scorer.random_seed();
    if (seed_) seed_ = draw_seed(cluster, *seed_);
    if (changed && changed->empty()) return;
    position_ = cluster.journal().position();
    if (!changed || heap_.size() + changed->size() > heap_max) return rebuild(cluster, scorer);
    if (scorer.has_function()) {
        std::vector<StateId> states;
        for (const NodeId node : *changed) states.push_back(cluster.states().of(node));
        ask_function(cluster, scorer, std::move(states));
    }
    for (const NodeId node : *changed) {
        const StateId state = cluster.states().of(node);
        const Answer& one = answer(cluster, scorer, state);
        if (one.placement) push(heap_, {one.score, node, state, one.is_spared});
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
            for (std::uint32_t s = 0; s < cluster.states().limit(); ++s) {
                const bool is_there = cluster.states().nodes_in(StateId(s)) != 0;
                if (is_there && fits(StateId(s)) && answers_[s].is_spared == is_spared) {
                    states.emplace_back(s);
                }
            }
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

inline Refusal PartAnswers::refusal(const Cluster& cluster, NodeId node) {
    const std::string name = cluster.name(node);
    const NodeStateData& data = cluster.state(node);
    if (auto why = refuse_class(cluster, cluster.class_of(node), *request_, name)) return *why;
    const StateId state = cluster.states().of(node);
    if (answers_[state.value()].refused_by == Constraint::candidates) {
        return {Constraint::candidates, name + " has no score, the caller's policy leaves it out"};
    }
    return class_answer(cluster, data.node_class).fits->fit(data.free).refusal();
}

}  // namespace trestle
