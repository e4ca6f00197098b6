// SPDX-License-Identifier: Apache-2.0
#pragma once

// StateCache: what is known of each node state, for every request, and which nodes moved.
//
// Layer: alloc. Main types: StateCache, KnownState. Every request looks at the same states: what
// one has left is worked out once, when a node first comes into it, and not for each request again.
// Answers to requests follow this, and not the cluster's journal.
// Pitfall: a state's number may come to stand for other data; its `version` tells the two apart.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alloc/cluster/place/scores.hpp"
#include "alloc/cluster/states/journal.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "alloc/node/free/free_sums.hpp"
#include "base/cow/cow.hpp"
#include "base/cow/cow_array.hpp"
#include "trestle/alloc/node/free_state.hpp"

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

class StateCache {
  public:
    explicit StateCache(Scorer scorer) : scorer_(std::move(scorer)) {}

    [[nodiscard]] const Scorer& scorer() const { return scorer_; }

    /// Takes note of what changed. Requires: the cluster has the description that the scorer is of.
    /// Complexity: what changed, or the states.
    void follow(const Cluster& cluster);

    /// What is known of a state. Requires: a node is in it; follow(cluster).
    [[nodiscard]] const KnownState& operator[](StateId state) const {
        return known_[state.value()];
    }

    /// How many nodes are in a state; 0 for a number that is not in use. Requires: follow(cluster).
    [[nodiscard]] std::uint32_t nodes_in(StateId state) const {
        return state.value() < known_.size() ? known_[state.value()].nodes : 0;
    }

    /// Moves so far; it only ever grows.
    [[nodiscard]] std::uint64_t position() const { return first_ + moves_.size(); }
    /// The moves from a position on, or nothing when they are not known: anything may have changed.
    [[nodiscard]] std::optional<std::span<const NodeMove>> since(std::uint64_t position) const;

  private:
    static constexpr std::size_t moves_max = 1U << 16;

    void restart(const Cluster& cluster);
    /// No position up to now is known any more.
    void forget_moves();
    void learn(const Cluster& cluster, StateId state);

    Scorer scorer_;
    JournalPosition followed_;
    std::vector<KnownState> known_;  ///< by StateId
    std::uint64_t versions_ = 0;
    std::uint64_t first_ = 1;  ///< position of the first move that is listed
    std::vector<NodeMove> moves_;
    CowArray<StateId> by_node_;  ///< the state of each node
};

}  // namespace trestle
