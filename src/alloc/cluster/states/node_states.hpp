// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeStates: the states that nodes of a cluster are in, and which nodes are in each.
//
// Layer: alloc. Main types: NodeStates, StateId. Decisions look at states (NodeStateData), never at
// nodes: nodes of one class with equal free units are equally good, and the lowest of them is
// taken. A million nodes are mostly in few states.
// Pitfall: a StateId is good while a node is in the state, and differs between clusters that are
// equal; the data behind it, an object that never changes, tells states apart for ever.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/cow/cow.hpp"
#include "base/cow/cow_array.hpp"
#include "set/cow_bitmap.hpp"
#include "trestle/alloc/cluster/node_class.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/ids.hpp"

namespace trestle {

using StateId = Id<struct StateIdTag>;  ///< position in NodeStates

class NodeStates {
  public:
    NodeStates() = default;
    NodeStates(const NodeStates&) = default;
    NodeStates(NodeStates&& other) noexcept { swap(other); }
    NodeStates& operator=(const NodeStates&) = default;
    NodeStates& operator=(NodeStates&& other) noexcept;
    ~NodeStates() = default;

    [[nodiscard]] std::uint32_t node_count() const {
        return static_cast<std::uint32_t>(state_of_.size());
    }
    /// States have numbers below this; some are not in use. It shrinks when states are forgotten.
    [[nodiscard]] std::uint32_t limit() const {
        return static_cast<std::uint32_t>(entries_.size());
    }
    /// Different states that nodes are in.
    [[nodiscard]] std::uint32_t count() const { return used_.size(); }
    /// visit(state) for each state that nodes are in, rising. Complexity: their number.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (auto at = used_.next(0); at; at = used_.next(*at + 1)) visit(StateId(*at));
    }

    /// Requires: the node exists.
    [[nodiscard]] StateId of(NodeId node) const { return state_of_[node.value()]; }
    /// The state of each node. A copy costs nothing but what either writes afterwards.
    [[nodiscard]] const CowArray<StateId>& by_node() const { return state_of_; }
    /// Nodes in the state; 0 for a number from limit() on.
    [[nodiscard]] std::uint32_t nodes_in(StateId state) const {
        return state.value() < limit() ? entries_[state.value()].nodes.size() : 0;
    }
    /// Requires: a node is in the state.
    [[nodiscard]] const Cow<NodeStateData>& operator[](StateId state) const {
        return entries_[state.value()].data;
    }
    [[nodiscard]] const NodeStateData& of_node(NodeId node) const { return *(*this)[of(node)]; }

    /// The lowest node from `from` on that is in the state, or nothing.
    /// Complexity: logarithmic in the nodes.
    [[nodiscard]] std::optional<NodeId> next(StateId state, NodeId from) const;

    /// The node in the state with `rank` nodes of it below. Requires: rank < nodes_in(state).
    /// Complexity: logarithmic in the nodes.
    [[nodiscard]] NodeId nth(StateId state, std::uint32_t rank) const {
        return NodeId(entries_[state.value()].nodes.nth(rank));
    }
    /// visit(node) for each node that both have and that may be in different states, in no order
    /// and perhaps twice. Complexity: that of what the two do not share.
    template <class Visit>
    void for_each_difference(const NodeStates& other, const Visit& visit) const {
        const std::uint32_t both = std::min(node_count(), other.node_count());
        state_of_.for_each_difference(other.state_of_, [&](std::size_t node) {
            if (node < both) visit(NodeId(static_cast<std::uint32_t>(node)));
        });
        entries_.for_each_difference(other.entries_, [&](std::size_t at) {
            if (at >= std::min(limit(), other.limit())) return;
            const StateId state(static_cast<std::uint32_t>(at));
            for (auto node = next(state, NodeId(0)); node && node->value() < both;
                 node = next(state, NodeId(node->value() + 1))) {
                visit(*node);
            }
        });
    }

    /// Brings what a move of the node needs nearer to the cache. Requires: the node exists.
    void prefetch_move(NodeId node) const {
        entries_[of(node).value()].nodes.prefetch(node.value());
    }

    /// Adds nodes at the end, all with this data.
    void append(std::uint32_t count, const NodeStateData& data);
    /// Takes the last node away. Requires: there is one.
    void remove_last_node();
    /// The number of the state with this data, which may be new and then has no node yet; its
    /// number is good until the epoch ends.
    [[nodiscard]] StateId intern(const NodeStateData& data) { return intern(data, nullptr); }
    /// The same for data that was a state's once: where it has to be entered it is that very
    /// object.
    [[nodiscard]] StateId intern(const Cow<NodeStateData>& data) { return intern(*data, &data); }
    /// Puts a node into a state. Requires: the node exists, and the state is known.
    void move(NodeId node, StateId state);

    /// Grows when numbers of states may become those of others: where states are forgotten.
    [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
    /// Forgets the states that no node is in where they are many: states are kept when the last
    /// node leaves, for it may come back.
    /// Complexity: constant, spread over the states that were entered.
    void tidy() {
        if (known_ > 2 * count() + spare) forget_unused();
    }
    /// Forgets the states that no node is in. Complexity: linear in the states.
    void forget_unused();

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    struct Entry {
        Cow<NodeStateData> data;
        std::uint64_t hash = 0;
        CowBitmap nodes;            ///< that are in the state
        std::uint32_t next = none;  ///< in its bucket, or in the list of entries that are free

        friend bool operator==(const Entry& a, const Entry& b) {
            return a.data.is_same_object(b.data);
        }
    };

    [[nodiscard]] std::uint32_t bucket_of(std::uint64_t hash) const {
        return static_cast<std::uint32_t>(hash & (buckets_.size() - 1));
    }

    void leave(NodeId node, StateId state);

    void swap(NodeStates& other) noexcept;

    [[nodiscard]] static std::uint64_t hash_of(const NodeStateData& data);
    /// The data of a new state is `object`, where there is one, or a copy.
    [[nodiscard]] StateId intern(const NodeStateData& data, const Cow<NodeStateData>* object);
    void grow();

    /// So many states without nodes are kept, and as many again as there are.
    static constexpr std::uint32_t spare = 256;

    CowArray<StateId> state_of_;       ///< by node
    CowArray<Entry> entries_;          ///< by state
    CowArray<std::uint32_t> buckets_;  ///< the first state of each hash
    std::uint32_t free_ = none;        ///< the first entry that has no data
    std::uint32_t known_ = 0;          ///< entries that have
    CowBitmap used_;                   ///< of these, states that nodes are in
    std::uint64_t epoch_ = 0;
};

}  // namespace trestle
