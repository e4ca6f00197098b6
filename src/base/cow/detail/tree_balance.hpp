// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the nodes of a CowTree keep a fair number of rows: full ones split, poor ones merge.
//
// Layer: base (detail). Main names: split_if_full (before an insertion, on the way down, so that
// each step leaves a whole tree) and mend_child (after an erasure, on the way up).
// Pitfall: a node is poor below a quarter, but a merge may fill it only to three quarters, so that
// a key that comes and goes does not split and merge each time.

#include <cstdint>

#include "base/cow/detail/tree_node.hpp"
#include "base/cow/detail/tree_sharing.hpp"

namespace trestle::detail {

template <class Node>
inline constexpr std::uint32_t rows_min = Node::capacity / 4;

/// Splits the child of `parent` on the way to `key` if it is full. `level` is the child's.
/// Requires: `parent` is owned and has room for a row.
template <class Node, class Key, class Value>
void split_if_full(TreeBranch<Key, Value>& parent, const Key& key, std::uint32_t level) {
    const std::uint32_t row = parent.row_of(key);
    if (node_of<Node>(parent.children[row])->size < Node::capacity) return;
    own_node(parent.children[row], level);
    Node& left = *node_of<Node>(parent.children[row]);
    Node& right = *new Node;
    // Keys that come in order fill the nodes they leave behind.
    const bool is_at_end = left.keys[Node::capacity - 1] < key;
    move_right(left, is_at_end ? Node::capacity - 2 : Node::capacity / 2, right);
    TreeChild<Key, Value> child;
    node_of<Node>(child) = &right;
    put_row(parent, row + 1, right.keys[0], child);
}

/// Merges or evens out the child at `row` with a neighbour if it is poor. `level` is the child's.
/// Requires: `parent` is owned.
template <class Node, class Key, class Value>
void mend_child(TreeBranch<Key, Value>& parent, std::uint32_t row, std::uint32_t level) {
    if (node_of<Node>(parent.children[row])->size >= rows_min<Node> || parent.size == 1) return;
    const std::uint32_t at = row == 0 ? 0 : row - 1;
    own_node(parent.children[at], level);
    own_node(parent.children[at + 1], level);
    Node& left = *node_of<Node>(parent.children[at]);
    Node& right = *node_of<Node>(parent.children[at + 1]);

    const std::uint32_t rows = left.size + right.size;
    if (rows <= Node::capacity * 3 / 4) {
        move_left(left, right, right.size);
        delete &right;
        close_row(parent, at + 1);
        return;
    }
    if (left.size < right.size) {
        move_left(left, right, rows / 2 - left.size);
    } else {
        move_right(left, rows / 2, right);
    }
    parent.keys[at + 1] = right.keys[0];
}

}  // namespace trestle::detail
