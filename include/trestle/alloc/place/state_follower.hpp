// SPDX-License-Identifier: Apache-2.0
#pragma once

// StateFollower: what there is to know of each node state, whoever asks, and which nodes moved.
//
// Layer: alloc. Main types: StateFollower, KnownState. Every request looks at the same states: what
// one has left is worked out once, when a node first comes into it, and not for each request again.
// Memories of requests follow this, and not the cluster's journal.
// A reader would get wrong: a state's number may come to stand for other data; its `version` tells
// the two apart.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/alloc/place/scores.hpp"
#include "trestle/base/cow/cow.hpp"

namespace trestle {

/// A state as all requests look at it.
struct KnownState {
    std::uint64_t version = 0;  ///< of its data, never used twice; 0: no node was ever in it
    std::uint32_t nodes = 0;    ///< in the state, where moves are tracked
    Cow<NodeStateData> data;
    FreeSums sums;
    Scorer::Before before;
};

/// A node that changed, and the states it came from and went to.
struct NodeMove {
    NodeId node;
    StateId from;  ///< good after StateFollower::tracked_since()
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
        for (const NodeId node : *changed) {
            const StateId to = states.of(node);
            learn(cluster, to);
            StateId from = to;
            if (!state_of_.empty()) {
                from = std::exchange(state_of_[node.value()], to);
                --known_[from.value()].nodes;
                ++known_[to.value()].nodes;
            }
            moves_.push_back({node, from, to});
        }
        if (moves_.size() > cluster.node_count() / nodes_a_move) track(cluster);
    }

    /// What is known of a state. Requires: a node is in it; follow(cluster).
    [[nodiscard]] const KnownState& operator[](StateId state) const {
        return known_[state.value()];
    }

    /// How many nodes are in a state, as the cluster says. Requires: follow(cluster).
    [[nodiscard]] std::uint32_t nodes_in(const Cluster& cluster, StateId state) const {
        if (state_of_.empty()) return cluster.states().nodes_in(state);
        return known_[state.value()].nodes;
    }

    /// Moves so far; it only ever grows.
    [[nodiscard]] std::uint64_t position() const { return first_ + moves_.size(); }
    /// The moves from a position on, or nothing when they are not known: anything may have changed.
    [[nodiscard]] std::optional<std::span<const NodeMove>> since(std::uint64_t position) const {
        if (position < first_) return std::nullopt;
        return std::span(moves_).subspan(static_cast<std::size_t>(position - first_));
    }

    /// From now on moves say where a node came from. They do in any case once many nodes have
    /// moved. Complexity: the nodes, the first time.
    void track(const Cluster& cluster) {
        if (!state_of_.empty()) return;
        tracked_since_ = position();
        state_of_.reserve(cluster.node_count());
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
            state_of_.push_back(cluster.states().of(NodeId(i)));
        }
        for (std::uint32_t s = 0; s < known_.size(); ++s) {
            known_[s].nodes = cluster.states().nodes_in(StateId(s));
        }
    }
    /// Moves before this position do not.
    [[nodiscard]] std::uint64_t tracked_since() const {
        return state_of_.empty() ? position() + 1 : tracked_since_;
    }

  private:
    static constexpr std::size_t moves_max = 1U << 16;
    static constexpr std::size_t nodes_a_move = 64;  ///< that are read when moves are tracked

    void restart(const Cluster& cluster) {
        forget_moves();
        state_of_.clear();
        const NodeStates& states = cluster.states();
        known_.resize(states.limit());
        states.for_each([&](StateId state) { learn(cluster, state); });
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
        known.before = scorer_.before(*data);
        known.data = data;
    }

    Scorer scorer_;
    JournalPosition followed_;
    std::vector<KnownState> known_;  ///< by StateId
    std::uint64_t versions_ = 0;
    std::uint64_t first_ = 1;  ///< position of the first move that is listed
    std::vector<NodeMove> moves_;
    std::vector<StateId> state_of_;  ///< by node, where that is tracked
    std::uint64_t tracked_since_ = 0;
};

}  // namespace trestle
