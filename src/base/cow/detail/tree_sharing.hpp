// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ownership of the nodes of a CowTree: counting, releasing, and copying what is to be written.
//
// Layer: base (detail). Main names: own_node, release_node. Level 0 are the leaves.
// Pitfall: that a node has one owner says something only if its parent has one too, and so up to
// the root; own_node is therefore called from the root downward.

#include <cstdint>
#include <utility>

#include "base/cow/detail/tree_node.hpp"
#include "base/prefetch.hpp"
#include "trestle/base/detail/uses.hpp"

namespace trestle::detail {

template <class Key, class Value>
[[nodiscard]] const RefCount& uses_of(TreeChild<Key, Value> node, std::uint32_t level) {
    return level == 0 ? node.leaf->uses : node.branch->uses;
}

/// Gives up one ownership of `node`, and with the last one the node.
template <class Key, class Value>
void release_node(TreeChild<Key, Value> node, std::uint32_t level) {
    if (!uses_of(node, level).drop()) return;
    if (level == 0) {
        delete node.leaf;
        return;
    }
    for (std::uint32_t row = 0; row < node.branch->size; ++row) {
        release_node(node.branch->children[row], level - 1);
    }
    delete node.branch;
}

/// Puts a copy into `slot`, which shares the children of what was there.
template <class Key, class Value>
void copy_node(TreeChild<Key, Value>& slot, std::uint32_t level) {
    TreeChild<Key, Value> copy;
    if (level == 0) {
        copy.leaf = new TreeLeaf<Key, Value>(*slot.leaf);
    } else {
        copy.branch = new TreeBranch<Key, Value>(*slot.branch);
        const auto& children = copy.branch->children;
        const std::uint32_t size = copy.branch->size;
        for (std::uint32_t row = 0; row < size; ++row) {
            prefetch_write(&uses_of(children[row], level - 1));
        }
        for (std::uint32_t row = 0; row < size; ++row) uses_of(children[row], level - 1).add();
    }
    release_node(std::exchange(slot, copy), level);
}

/// Makes the node in `slot` one that only the owner of `slot` has.
template <class Key, class Value>
void own_node(TreeChild<Key, Value>& slot, std::uint32_t level) {
    if (!uses_of(slot, level).is_one()) copy_node(slot, level);
}

}  // namespace trestle::detail
