// SPDX-License-Identifier: Apache-2.0
#pragma once

// The nodes of a B+ tree: rows in columns, filled from the left.
//
// Layer: base (detail). Main types: TreeLeaf (keys, values), TreeBranch (children, and the lowest
// key of each), TreeChild (either, told apart by its level). The functions move rows inside a node
// and between two of a kind; CowTree decides when. A reader would get wrong: keys[0] of a branch is
// never compared when searching. It repeats what the parent has as the lowest key of the branch,
// and goes along when rows move to the left.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "trestle/base/cow/detail/uses.hpp"

namespace trestle::detail {

/// How many of the first `size` keys hold for `is_before`, which holds for a head of them.
/// By eights, then one by one: measured against a binary search this wins for up to 64 keys, for
/// it guesses at most once which way to go. The last steps are a sum, so as not to guess again.
template <class Key, class IsBefore>
[[nodiscard]] inline std::uint32_t count_before(const Key* keys, std::uint32_t size,
                                                IsBefore is_before) {
    constexpr std::uint32_t step = 8;
    std::uint32_t first = 0;
    while (first + step <= size && is_before(keys[first + step - 1])) first += step;
    const std::uint32_t last = std::min(size, first + step);
    std::uint32_t count = first;
    for (std::uint32_t i = first; i < last; ++i) count += is_before(keys[i]) ? 1u : 0u;
    return count;
}

template <class Key, class Value>
struct TreeLeaf {
    static constexpr std::uint32_t capacity = std::clamp<std::uint32_t>(
        static_cast<std::uint32_t>(512 / (sizeof(Key) + sizeof(Value))), 16, 64);

    Uses uses;
    std::uint32_t size = 0;
    std::array<Key, capacity> keys{};
    std::array<Value, capacity> values{};

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

    Uses uses;
    std::uint32_t size = 0;
    std::array<Key, capacity> keys{};  ///< from row 1 on: > keys of the child before, <= its own
    std::array<TreeChild<Key, Value>, capacity> children{};

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

/// Makes room for a row at `row`; what stands there then is to be overwritten.
template <class Node>
void open_row(Node& node, std::uint32_t row) {
    Node::for_each_column([&](auto column) {
        auto* const rows = (node.*column).data();
        std::move_backward(rows + row, rows + node.size, rows + node.size + 1);
    });
    ++node.size;
}

/// Rows from `size` on hold nothing that lives: a value that is gone must not be kept by them.
template <class Node>
void clear_rows(Node& node, std::uint32_t from, std::uint32_t to) {
    Node::for_each_column([&](auto column) {
        auto& rows = node.*column;
        using Cell = typename std::remove_reference_t<decltype(rows)>::value_type;
        if constexpr (!std::is_trivially_destructible_v<Cell>) {
            std::fill(rows.data() + from, rows.data() + to, Cell{});
        }
    });
}

/// Takes away the row at `row`.
template <class Node>
void close_row(Node& node, std::uint32_t row) {
    Node::for_each_column([&](auto column) {
        auto* const rows = (node.*column).data();
        std::move(rows + row + 1, rows + node.size, rows + row);
    });
    --node.size;
    clear_rows(node, node.size, node.size + 1);
}

/// Moves the rows from `keep` on of `left` to the front of `right`, its right neighbour.
template <class Node>
void move_right(Node& left, std::uint32_t keep, Node& right) {
    const std::uint32_t moved = left.size - keep;
    Node::for_each_column([&](auto column) {
        auto* const from = (left.*column).data();
        auto* const to = (right.*column).data();
        std::move_backward(to, to + right.size, to + right.size + moved);
        std::move(from + keep, from + left.size, to);
    });
    left.size = keep;
    right.size += moved;
    clear_rows(left, keep, keep + moved);
}

/// Moves the first `moved` rows of `right` to the end of `left`, its left neighbour.
template <class Node>
void move_left(Node& left, Node& right, std::uint32_t moved) {
    Node::for_each_column([&](auto column) {
        auto* const to = (left.*column).data();
        auto* const from = (right.*column).data();
        std::move(from, from + moved, to + left.size);
        std::move(from + moved, from + right.size, from);
    });
    left.size += moved;
    right.size -= moved;
    clear_rows(right, right.size, right.size + moved);
}

}  // namespace trestle::detail
