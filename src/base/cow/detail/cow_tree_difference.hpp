// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where two CowTrees differ, at the price of what they do not share.
//
// Layer: base (detail). Main name: visit_differences. Two cursors go through the trees in the order
// of keys; where both stand before one and the same node, both step over it.
// Pitfall: equal keys need not lie in equal rows or levels; the cursors meet again before the next
// shared node all the same, because both have then seen all lower keys.

#include <array>
#include <cstdint>

#include "base/cow/detail/cow_tree.hpp"

namespace trestle::detail {

/// Stands before a subtree, or inside a leaf.
template <class Key, class Value>
class TreeCursor {
  public:
    explicit TreeCursor(const CowTree<Key, Value>& tree)
        : node_(tree.root()), level_(tree.height()), height_(tree.height()) {}

    [[nodiscard]] bool is_done() const { return node_.branch == nullptr; }
    [[nodiscard]] std::uint32_t level() const { return level_; }
    [[nodiscard]] const Key& key() const { return node_.leaf->keys[row_]; }
    [[nodiscard]] const Value& value() const { return node_.leaf->values[row_]; }
    /// True when both are before, and then never inside, one node.
    [[nodiscard]] bool meets(const TreeCursor& other) const {
        if (level_ != other.level_) return false;
        return level_ == 0 ? node_.leaf == other.node_.leaf : node_.branch == other.node_.branch;
    }

    /// To the first child. Requires: level() > 0.
    void open() {
        above_[level_] = {node_.branch, 0};
        node_ = node_.branch->children[0];
        --level_;
    }
    /// Past the node.
    void skip() {
        row_ = 0;
        while (level_ < height_) {
            auto& [branch, row] = above_[++level_];
            if (++row < branch->size) {
                node_ = branch->children[row];
                --level_;
                return;
            }
        }
        node_ = {};
    }
    /// Past the key. Requires: level() == 0.
    void next() {
        if (++row_ == node_.leaf->size) skip();
    }

  private:
    struct Step {
        const TreeBranch<Key, Value>* branch;
        std::uint32_t row;
    };

    TreeChild<Key, Value> node_;
    std::uint32_t level_;
    std::uint32_t height_;
    std::uint32_t row_ = 0;
    std::array<Step, CowTree<Key, Value>::max_height + 1> above_;
};

/// visit(key) for each key that only one has, or that both have with unequal values, in order,
/// until it returns false. Returns false if it did.
template <class Key, class Value, class Visit>
bool visit_differences(const CowTree<Key, Value>& left, const CowTree<Key, Value>& right,
                       Visit visit) {
    TreeCursor<Key, Value> a(left);
    TreeCursor<Key, Value> b(right);
    const auto visit_and_pass = [&visit](TreeCursor<Key, Value>& cursor) {
        const bool goes_on = visit(cursor.key());
        cursor.next();
        return goes_on;
    };
    while (!a.is_done() || !b.is_done()) {
        if (a.meets(b)) {
            a.skip();
            b.skip();
        } else if (!a.is_done() && a.level() > 0 && (b.is_done() || a.level() >= b.level())) {
            a.open();
        } else if (!b.is_done() && b.level() > 0) {
            b.open();
        } else if (b.is_done() || (!a.is_done() && a.key() < b.key())) {
            if (!visit_and_pass(a)) return false;
        } else if (a.is_done() || b.key() < a.key()) {
            if (!visit_and_pass(b)) return false;
        } else {
            if (!(a.value() == b.value()) && !visit(a.key())) return false;
            a.next();
            b.next();
        }
    }
    return true;
}

template <class Key, class Value>
bool operator==(const CowTree<Key, Value>& a, const CowTree<Key, Value>& b) {
    return a.size() == b.size() && visit_differences(a, b, [](const Key&) { return false; });
}

}  // namespace trestle::detail
