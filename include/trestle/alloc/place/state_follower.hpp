// SPDX-License-Identifier: Apache-2.0
#pragma once

// StateFollower: what there is to know of each node state, whoever asks, and which nodes moved.
//
// Layer: alloc. Main types: StateFollower, KnownState. Every request looks at the same states: what
// one has left is worked out once, when a node first comes into it, and not for each request again.
// Answers to requests follow this, and not the cluster's journal.
// A reader would get wrong: a state's number may come to stand for other data; its `version` tells
// the two apart.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/alloc/place/scores.hpp"
#include "trestle/base/cow/cow.hpp"
#include "trestle/base/cow/cow_array.hpp"

namespace trestle {

/// A state as all requests look at it. A line of the cache: many are asked for each that is taken.
struct KnownState {
    std::uint64_t version = 0;  ///< of its data, never used twice; 0: no node was ever in it
    std::uint32_t nodes = 0;    ///< in the state
    ClassId node_class;
    FreeSums sums;
    std::uint64_t untouched = 0;  ///< untouched_devices()
    Cow<NodeStateData> data;
    std::unique_ptr<Scorer::Before> before;  ///< nothing where no score is asked for
};

/// A node that changed, and the states it came from and went to.
struct NodeMove {
    NodeId node;
    StateId from;
    StateId to;
};

class StateFollower {
  public:
    explicit StateFollower(Scorer scorer) : scorer_(std::move(scorer)) {}

    [[nodiscard]] const Scorer& scorer() const { return scorer_; }

    /// Takes note of what changed. Requires: the cluster has the description that the scorer is of.
    /// Complexity: what changed, or the states.
    void follow(const Cluster& cluster) {
        const auto changed = cluster.journal().since(followed_);
        if (changed && changed->empty()) return;
        followed_ = cluster.journal().position();
        if (!changed) return restart(cluster);
        if (moves_.size() + changed->size() > moves_max) forget_moves();
        const NodeStates& states = cluster.states();
        if (known_.size() < states.limit()) known_.resize(states.limit());
        const std::uint64_t versions_before = versions_;
        for (const NodeId node : *changed) {
            const StateId to = states.of(node);
            learn(cluster, to);
            const StateId from = by_node_[node.value()];
            // A node that has come back; but a state with a new version is another one.
            if (from == to && known_[to.value()].version <= versions_before) continue;
            by_node_.set(node.value(), to);
            --known_[from.value()].nodes;
            ++known_[to.value()].nodes;
            moves_.push_back({node, from, to});
        }
    }

    /// What is known of a state. Requires: a node is in it; follow(cluster).
    [[nodiscard]] const KnownState& operator[](StateId state) const {
        return known_[state.value()];
    }

    /// How many nodes are in a state; 0 for a number that is nobody's. Requires: follow(cluster).
    [[nodiscard]] std::uint32_t nodes_in(StateId state) const {
        return state.value() < known_.size() ? known_[state.value()].nodes : 0;
    }

    /// Moves so far; it only ever grows.
    [[nodiscard]] std::uint64_t position() const { return first_ + moves_.size(); }
    /// The moves from a position on, or nothing when they are not known: anything may have changed.
    [[nodiscard]] std::optional<std::span<const NodeMove>> since(std::uint64_t position) const {
        if (position < first_) return std::nullopt;
        return std::span(moves_).subspan(static_cast<std::size_t>(position - first_));
    }

  private:
    static constexpr std::size_t moves_max = 1U << 16;

    void restart(const Cluster& cluster) {
        forget_moves();
        const NodeStates& states = cluster.states();
        by_node_ = states.by_node();
        for (KnownState& known : known_) known.nodes = 0;
        known_.resize(states.limit());
        states.for_each([&](StateId state) {
            learn(cluster, state);
            known_[state.value()].nodes = states.nodes_in(state);
        });
    }
    /// No position up to now is known any more.
    void forget_moves() {
        first_ += moves_.size() + 1;
        moves_.clear();
    }
    void learn(const Cluster& cluster, StateId state) {
        const Cow<NodeStateData>& data = cluster.states()[state];
        KnownState& known = known_[state.value()];
        if (known.version != 0 && known.data.is_same_object(data)) return;
        const detail::KnownClass& one = cluster.classes().known(data->node_class);
        known.version = ++versions_;
        known.sums = sums_of(data->free, *one.value.shape, one.threads);
        known.untouched = untouched_devices(data->free, *one.value.shape);
        known.node_class = data->node_class;
        known.data = data;
        if (!scorer_.has_scores()) return;
        if (!known.before) known.before = std::make_unique<Scorer::Before>();
        *known.before = scorer_.before(*data);
    }

    Scorer scorer_;
    JournalPosition followed_;
    std::vector<KnownState> known_;  ///< by StateId
    std::uint64_t versions_ = 0;
    std::uint64_t first_ = 1;  ///< position of the first move that is listed
    std::vector<NodeMove> moves_;
    CowArray<StateId> by_node_;  ///< the state of each node
};

}  // namespace trestle
