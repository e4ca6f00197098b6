// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeOwners: the owners on each node, and the kind of job that each has there.
//
// Layer: alloc. Main types: NodeOwner, NodeOwners. A node without owners costs nothing, and the
// other owners on a node are known without a look at any allocation.
// Pitfall: an owner whose part of a node is empty is on it too.

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <span>

#include "base/cow/cow.hpp"
#include "base/cow/cow_array.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

/// An owner on a node.
struct NodeOwner {
    static constexpr std::uint8_t no_kind = 64;

    OwnerId owner;
    std::uint8_t kind = no_kind;  ///< the place of its bit in NodeStateData::kinds
    bool has_something = false;   ///< its part is not empty

    /// Its bit, or 0.
    [[nodiscard]] std::uint64_t kinds() const;

    friend bool operator==(const NodeOwner&, const NodeOwner&) = default;
};

class NodeOwners {
  public:
    /// Rising.
    [[nodiscard]] std::span<const NodeOwner> on(NodeId node) const;
    /// Brings what on() gives nearer to the cache.
    void prefetch(NodeId node) const {
        if (node.value() < by_node_.size()) by_node_.prefetch(node.value());
    }
    /// Enters an owner. Requires: it is not on the node.
    void add(NodeId node, NodeOwner owner);
    /// Requires: the owner is on the node.
    void remove(NodeId node, OwnerId owner);

  private:
    /// With its head two cache lines: looking for a node's owners is a wait for memory.
    using List = absl::InlinedVector<NodeOwner, 7>;

    [[nodiscard]] static List::iterator place_of(List& owners, OwnerId owner);

    CowArray<Cow<List>> by_node_;
};

}  // namespace trestle::detail
