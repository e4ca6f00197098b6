// SPDX-License-Identifier: Apache-2.0
#pragma once

// The nodes of a B+ tree: rows in columns, filled from the left.
//
// Layer: base (detail). Main types: TreeLeaf (keys, values), TreeBranch (children, and the lowest
// key of each), TreeChild (either, told apart by its level). The functions move rows inside a node
// and between two of a kind; CowTree decides when.
// Pitfall: keys[0] of a branch is never compared when searching. It repeats what the parent has as
// the lowest key of the branch, and goes along when rows move to the left.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "base/cow/detail/column.hpp"
#include "base/prefetch.hpp"
#include "trestle/base/detail/uses.hpp"

namespace trestle::detail {

/// How many of the first `size` keys hold for `is_before`, which holds for a head of them.
/// The last key is asked first, for keys mostly come in order. Then by eights, and within eight a
/// half and a sum: this guesses once which way to go, and what it reads does not wait for what it
/// read before.
template <class Key, class IsBefore>
[[nodiscard]] inline std::uint32_t count_before(const Key* keys, std::uint32_t size,
                                                IsBefore is_before) {
    const auto count = [&](std::uint32_t from, std::uint32_t to) {
        std::uint32_t found = from;
        for (std::uint32_t i = from; i < to; ++i) found += is_before(keys[i]) ? 1u : 0u;
        return found;
    };
    if (size == 0 || is_before(keys[size - 1])) return size;
    if (size < 8) return count(0, size - 1);
    std::uint32_t first = 0;
    while (first + 8 <= size && is_before(keys[first + 7])) first += 8;
    first = std::min(first, size - 8);
    first += is_before(keys[first + 3]) ? 4u : 0u;
    return count(first, first + 4);
}

/// Destroys the rows in [from, to).
template <class Node>
void destroy_rows(Node& node, std::uint32_t from, std::uint32_t to) {
    Node::for_each_column([&](auto column) {
        auto* const rows = (node.*column).data();
        std::destroy(rows + from, rows + to);
    });
}

/// Copies all rows into a node that has none.
template <class Node>
void copy_rows(const Node& from, Node& to) {
    Node::for_each_column([&](auto column) {
        std::uninitialized_copy_n((from.*column).data(), from.size, (to.*column).data());
    });
    to.size = from.size;
}

/// Brings a node nearer to the cache all at once: a search in it would wait for one part after the
/// other.
template <class Node>
void prefetch_rows(const Node& node) {
    constexpr std::size_t line = 64;
    const auto bytes = std::as_bytes(std::span(&node, 1));
    for (std::size_t at = 0; at < bytes.size(); at += line) prefetch_write(&bytes[at]);
}

template <class Key, class Value>
struct TreeLeaf {
    static constexpr std::uint32_t capacity = std::clamp<std::uint32_t>(
        static_cast<std::uint32_t>(512 / (sizeof(Key) + sizeof(Value))), 16, 64);

    RefCount uses;
    std::uint32_t size = 0;
    Column<Key, capacity> keys;
    Column<Value, capacity> values;

    TreeLeaf() = default;
    TreeLeaf(const TreeLeaf& other) { copy_rows(other, *this); }
    TreeLeaf& operator=(const TreeLeaf&) = delete;
    ~TreeLeaf() { destroy_rows(*this, 0, size); }

    /// The row of the lowest key >= `key`, or size.
    [[nodiscard]] std::uint32_t lower_bound(const Key& key) const {
        return count_before(keys.data(), size, [&key](const Key& k) { return k < key; });
    }
    [[nodiscard]] bool holds(std::uint32_t row, const Key& key) const {
        return row < size && !(key < keys[row]);
    }

    template <class Visit>
    static void for_each_column(Visit visit) {
        visit(&TreeLeaf::keys);
        visit(&TreeLeaf::values);
    }
};

template <class Key, class Value>
struct TreeBranch;

template <class Key, class Value>
union TreeChild {
    TreeBranch<Key, Value>* branch = nullptr;
    TreeLeaf<Key, Value>* leaf;
};

template <class Key, class Value>
struct TreeBranch {
    // Copying a branch counts each of its children: a wider one makes the first write slower.
    static constexpr std::uint32_t capacity = 32;

    RefCount uses;
    std::uint32_t size = 0;
    Column<Key, capacity> keys;  ///< from row 1 on: > keys of the child before, <= its own
    Column<TreeChild<Key, Value>, capacity> children;

    TreeBranch() = default;
    TreeBranch(const TreeBranch& other) { copy_rows(other, *this); }
    TreeBranch& operator=(const TreeBranch&) = delete;
    ~TreeBranch() { destroy_rows(*this, 0, size); }

    /// The row of the only child that may hold `key`.
    [[nodiscard]] std::uint32_t row_of(const Key& key) const {
        return count_before(keys.data() + 1, size - 1, [&key](const Key& k) { return !(key < k); });
    }

    template <class Visit>
    static void for_each_column(Visit visit) {
        visit(&TreeBranch::keys);
        visit(&TreeBranch::children);
    }
};

/// The leaf or branch that `child` is.
template <class Node, class Child>
[[nodiscard]] Node*& node_of(Child& child) {
    if constexpr (std::is_same_v<decltype(child.leaf), Node*>) {
        return child.leaf;
    } else {
        return child.branch;
    }
}

/// Makes room for a row at `row`; what belongs there is then to be made.
template <class Node>
void open_row(Node& node, std::uint32_t row) {
    if (row < node.size) {
        Node::for_each_column([&](auto column) {
            auto* const rows = (node.*column).data();
            relocate(rows + row, node.size - row, rows + row + 1);
        });
    }
    ++node.size;
}

template <class Key, class Value>
void put_row(TreeLeaf<Key, Value>& leaf, std::uint32_t row, const Key& key, Value&& value) {
    open_row(leaf, row);
    std::construct_at(&leaf.keys[row], key);
    std::construct_at(&leaf.values[row], std::move(value));
}
template <class Key, class Value>
void put_row(TreeBranch<Key, Value>& branch, std::uint32_t row, const Key& key,
             TreeChild<Key, Value> child) {
    open_row(branch, row);
    std::construct_at(&branch.keys[row], key);
    std::construct_at(&branch.children[row], child);
}

/// Takes away the row at `row`.
template <class Node>
void close_row(Node& node, std::uint32_t row) {
    destroy_rows(node, row, row + 1);
    Node::for_each_column([&](auto column) {
        auto* const rows = (node.*column).data();
        relocate(rows + row + 1, node.size - row - 1, rows + row);
    });
    --node.size;
}

/// Moves the rows from `keep` on of `left` to the front of `right`, its right neighbour.
template <class Node>
void move_right(Node& left, std::uint32_t keep, Node& right) {
    const std::uint32_t moved = left.size - keep;
    Node::for_each_column([&](auto column) {
        auto* const from = (left.*column).data();
        auto* const to = (right.*column).data();
        relocate(to, right.size, to + moved);
        relocate(from + keep, moved, to);
    });
    left.size = keep;
    right.size += moved;
}

/// Moves the first `moved` rows of `right` to the end of `left`, its left neighbour.
template <class Node>
void move_left(Node& left, Node& right, std::uint32_t moved) {
    Node::for_each_column([&](auto column) {
        auto* const to = (left.*column).data();
        auto* const from = (right.*column).data();
        relocate(from, moved, to + left.size);
        relocate(from + moved, right.size - moved, from);
    });
    left.size += moved;
    right.size -= moved;
}

}  // namespace trestle::detail
