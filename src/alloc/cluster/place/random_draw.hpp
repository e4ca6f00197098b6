// SPDX-License-Identifier: Apache-2.0
#pragma once

// The order in which the policy `random` takes nodes, and which device it takes a part of.
//
// Layer: alloc. Main types: RandomDraw, NodeRow. All nodes in question stand in a row: those in one
// state behind each other, rising, states by their lowest node; or, where the caller names
// candidates, rising. They are shuffled (Fisher and Yates) by a seed made of the caller's, the
// number of allocations and the highest owner, so that the next decision has another order. What is
// taken is the first of it that serves. The device is drawn by the same seed and the node.
// Pitfall: the row is never made; places in it are turned into nodes by counting, and only as many
// places are drawn as are looked at.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alloc/cluster/states/node_states.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/rng.hpp"

namespace trestle {

/// The numbers below `count` in an order that the seed decides, each once.
class RandomDraw {
  public:
    RandomDraw(std::uint64_t count, std::uint64_t seed) : rng_(seed), count_(count) {}

    [[nodiscard]] bool has_next() const { return drawn_ < count_; }
    /// Requires: has_next().
    [[nodiscard]] std::uint64_t next();

  private:
    [[nodiscard]] std::uint64_t at(std::uint64_t place) const;

    Rng rng_;
    std::uint64_t count_;
    std::uint64_t drawn_ = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> moved_;  ///< what is not in its own place
};

/// The seed of one decision.
[[nodiscard]] std::uint64_t draw_seed(const Cluster& cluster, std::uint64_t seed);

/// Which of `count` devices of the node is drawn, by the seed of the decision. Requires: count > 0.
[[nodiscard]] std::size_t drawn_device(std::uint64_t seed, NodeId node, std::size_t count);

/// The nodes in some states as a row.
class NodeRow {
  public:
    /// Complexity: sorts the states.
    NodeRow(const NodeStates& states, const std::vector<StateId>& some);

    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Requires: place < size(). Complexity: logarithmic in states and nodes.
    [[nodiscard]] std::pair<NodeId, StateId> operator[](std::uint64_t place) const;

  private:
    /// The nodes of one state.
    struct Block {
        NodeId lowest;
        StateId state;
        std::uint64_t first = 0;  ///< their place in the row
    };

    const NodeStates& states_;
    std::vector<Block> blocks_;
    std::uint64_t size_ = 0;
};

}  // namespace trestle
