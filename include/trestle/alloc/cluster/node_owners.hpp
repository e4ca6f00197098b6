// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeOwners: who is on each node, and what kind of job it has there.
//
// Layer: alloc. Main types: NodeOwner, NodeOwners. A node that nobody is on costs nothing, and who
// else is on a node is known without a look at any allocation.
// A reader would get wrong: an owner whose part of a node is empty is on it too.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "trestle/base/cow/cow.hpp"
#include "trestle/base/cow/cow_array.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

/// An owner on a node.
struct NodeOwner {
    OwnerId owner;
    std::uint64_t kind = 0;      ///< its bit of NodeStateData::kinds, or 0
    bool has_something = false;  ///< its part is not empty

    friend bool operator==(const NodeOwner&, const NodeOwner&) = default;
};

class NodeOwners {
  public:
    /// Rising.
    [[nodiscard]] std::span<const NodeOwner> on(NodeId node) const {
        if (node.value() >= by_node_.size()) return {};
        return *by_node_[node.value()];
    }
    /// Enters an owner. Requires: it is not on the node.
    void add(NodeId node, NodeOwner owner) {
        if (node.value() >= by_node_.size()) by_node_.resize(std::size_t{node.value()} + 1);
        std::vector<NodeOwner>& owners = by_node_.write(node.value()).write();
        owners.insert(place_of(owners, owner.owner), owner);
    }
    /// Requires: the owner is on the node.
    void remove(NodeId node, OwnerId owner) {
        Cow<std::vector<NodeOwner>>& slot = by_node_.write(node.value());
        if (slot->size() == 1) {
            slot = {};
            return;
        }
        std::vector<NodeOwner>& owners = slot.write();
        owners.erase(place_of(owners, owner));
    }

  private:
    [[nodiscard]] static std::vector<NodeOwner>::iterator place_of(std::vector<NodeOwner>& owners,
                                                                   OwnerId owner) {
        return std::lower_bound(
            owners.begin(), owners.end(), owner,
            [](const NodeOwner& one, OwnerId wanted) { return one.owner < wanted; });
    }

    CowArray<Cow<std::vector<NodeOwner>>> by_node_;
};

}  // namespace trestle::detail
