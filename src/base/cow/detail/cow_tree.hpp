// SPDX-License-Identifier: Apache-2.0
#pragma once

// CowTree: the B+ tree below CowMap, whose copies share nodes.
//
// Layer: base (detail). Nodes know nothing of their parents, which differ from tree to tree. A tree
// may write a node when the whole path from its root to it has one owner; own() makes it so.
// Pitfall: the shape depends on the history. Equal trees may differ in shape.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/cow/detail/tree_balance.hpp"
#include "base/cow/detail/tree_node.hpp"
#include "base/cow/detail/tree_sharing.hpp"
#include "trestle/base/contract.hpp"

namespace trestle::detail {

template <class Key, class Value>
class CowTree {
  public:
    using Leaf = TreeLeaf<Key, Value>;
    using Branch = TreeBranch<Key, Value>;
    using Child = TreeChild<Key, Value>;
    enum class IfThere { keep, replace };
    // Most branches have at least a quarter of their 32 rows: 2^32 keys need about 10 levels.
    static constexpr std::uint32_t max_height = 20;

    /// One key and its value; no leaf is the place after the last key.
    struct Place {
        const Leaf* leaf = nullptr;
        std::uint32_t row = 0;

        [[nodiscard]] explicit operator bool() const { return leaf != nullptr; }
        [[nodiscard]] const Key& key() const { return leaf->keys[row]; }
        [[nodiscard]] const Value& value() const { return leaf->values[row]; }
        friend bool operator==(const Place&, const Place&) = default;
    };

    CowTree() = default;
    CowTree(const CowTree& other) noexcept
        : root_(other.root_), height_(other.height_), size_(other.size_) {
        if (size_ != 0) uses_of(root_, height_).add();
    }
    CowTree(CowTree&& other) noexcept { swap(other); }
    CowTree& operator=(const CowTree& other) noexcept {
        CowTree(other).swap(*this);
        return *this;
    }
    CowTree& operator=(CowTree&& other) noexcept {
        CowTree(std::move(other)).swap(*this);
        return *this;
    }
    ~CowTree() {
        if (size_ != 0) release_node(root_, height_);
    }
    void swap(CowTree& other) noexcept {
        std::swap(root_, other.root_);
        std::swap(height_, other.height_);
        std::swap(size_, other.size_);
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    /// How many levels of branches are above the leaves.
    [[nodiscard]] std::uint32_t height() const { return height_; }
    [[nodiscard]] Child root() const { return root_; }

    [[nodiscard]] Place find(const Key& key) const {
        if (size_ == 0) return {};
        Child node = root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            node = node.branch->children[node.branch->row_of(key)];
        }
        const std::uint32_t row = node.leaf->lower_bound(key);
        return node.leaf->holds(row, key) ? Place{node.leaf, row} : Place{};
    }
    /// The same, quicker where `near`, a place of this tree or none, is a little before the key.
    [[nodiscard]] Place find(const Key& key, const Place& near) const {
        if (!near || key < near.key() || near.leaf->keys[near.leaf->size - 1] < key) {
            return find(key);
        }
        std::uint32_t row = near.row;
        while (near.leaf->keys[row] < key) ++row;
        return near.leaf->holds(row, key) ? Place{near.leaf, row} : Place{};
    }
    [[nodiscard]] Place lower_bound(const Key& key) const {
        if (size_ == 0) return {};
        const Descent end = leaf_of(key);
        const std::uint32_t row = end.leaf->lower_bound(key);
        return row < end.leaf->size ? Place{end.leaf, row} : end.next();
    }
    [[nodiscard]] Place first() const {
        return size_ == 0 ? Place{} : Descent{nullptr, root_, height_}.next();
    }
    [[nodiscard]] Place last() const {
        if (size_ == 0) return {};
        Child node = root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            node = node.branch->children[node.branch->size - 1];
        }
        return {node.leaf, node.leaf->size - 1};
    }
    /// The place after `place`; from leaf to leaf by a descent, for a leaf knows no neighbour.
    [[nodiscard]] Place after(Place place) const {
        if (++place.row < place.leaf->size) return place;
        return leaf_of(place.leaf->keys[0]).next();
    }

    /// True if the key was not there; otherwise `if_there` says what becomes of its value.
    template <IfThere if_there>
    bool insert(const Key& key, Value&& value) {
        if (size_ == 0) root_.leaf = new Leaf;
        Spot spot = walk(key);
        if (spot.is_there) {
            if constexpr (if_there == IfThere::replace) {
                own(spot, key).values[spot.row] = std::move(value);
            }
            return false;
        }
        if (spot.leaf->size == Leaf::capacity) {
            make_room(key);
            spot = walk(key);
        }
        put_row(own(spot, key), spot.row, key, std::move(value));
        ++size_;
        return true;
    }
    /// The value of `key` to be changed, or nullptr.
    [[nodiscard]] Value* write(const Key& key) {
        if (size_ == 0) return nullptr;
        const Spot spot = walk(key);
        return spot.is_there ? &own(spot, key).values[spot.row] : nullptr;
    }
    /// Erases `key`. Its value, if it was there.
    std::optional<Value> take(const Key& key) {
        std::optional<Value> taken;
        if (size_ == 0) return taken;
        const Spot spot = walk(key);
        if (!spot.is_there) return taken;
        Leaf& leaf = own(spot, key);
        taken.emplace(std::move(leaf.values[spot.row]));
        close_row(leaf, spot.row);  // `key` may be the one in that row: it is not asked again
        --size_;
        if (leaf.size < rows_min<Leaf>) mend(leaf);
        return taken;
    }

    /// visit(key, value) for all, in order.
    template <class Visit>
    void for_each(Visit visit) const {
        if (size_ != 0) for_each_below(root_, height_, visit);
    }

  private:
    /// Where a key led to, and the subtree that follows the leaf in the order of keys, if any.
    struct Descent {
        const Leaf* leaf = nullptr;
        Child right{};
        std::uint32_t right_level = 0;

        [[nodiscard]] Place next() const {
            if (right.branch == nullptr) return {};
            Child node = right;
            for (std::uint32_t level = right_level; level > 0; --level) {
                node = node.branch->children[0];
            }
            return {node.leaf, 0};
        }
    };
    /// Where a key is or belongs, and whether the path to its leaf has one owner.
    struct Spot {
        Leaf* leaf;
        std::uint32_t row;
        bool is_there;
        bool is_owned;
    };

    [[nodiscard]] Descent leaf_of(const Key& key) const {
        Descent descent;
        Child node = root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            const Branch& branch = *node.branch;
            const std::uint32_t row = branch.row_of(key);
            if (row + 1 < branch.size) {
                descent.right = branch.children[row + 1];
                descent.right_level = level - 1;
            }
            node = branch.children[row];
        }
        descent.leaf = node.leaf;
        return descent;
    }
    [[nodiscard]] Spot walk(const Key& key) {
        Child node = root_;
        bool is_owned = true;
        for (std::uint32_t level = height_; level > 0; --level) {
            prefetch_rows(*node.branch);
            is_owned &= node.branch->uses.is_one();
            node = node.branch->children[node.branch->row_of(key)];
        }
        prefetch_rows(*node.leaf);
        const std::uint32_t row = node.leaf->lower_bound(key);
        return {node.leaf, row, node.leaf->holds(row, key), is_owned && node.leaf->uses.is_one()};
    }
    /// The leaf of `spot`, to be written.
    [[nodiscard]] Leaf& own(const Spot& spot, const Key& key) {
        return spot.is_owned ? *spot.leaf : own_path(key);
    }
    [[nodiscard]] Leaf& own_path(const Key& key) {
        Child* slot = &root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            own_node(*slot, level);
            slot = &slot->branch->children[slot->branch->row_of(key)];
        }
        own_node(*slot, 0);
        return *slot->leaf;
    }

    /// Splits every full node on the way to `key`.
    void make_room(const Key& key) {
        const bool is_full = height_ == 0 ? root_.leaf->size == Leaf::capacity
                                          : root_.branch->size == Branch::capacity;
        if (is_full) {
            TRESTLE_EXPECTS(height_ < max_height, "a tree has fewer than 2^32 keys");
            auto* const above = new Branch;
            put_row(*above, 0, height_ == 0 ? root_.leaf->keys[0] : root_.branch->keys[0], root_);
            root_.branch = above;
            ++height_;
        }
        Child* slot = &root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            own_node(*slot, level);
            Branch& branch = *slot->branch;
            if (level == 1) {
                split_if_full<Leaf>(branch, key, 0);
            } else {
                split_if_full<Branch>(branch, key, level - 1);
            }
            slot = &branch.children[branch.row_of(key)];
        }
    }
    /// Merges or evens out nodes that became too small, from `leaf` up. Requires: the path to it
    /// has one owner; it has a row, or is the root.
    void mend(Leaf& leaf) {
        if (height_ > 0) mend_below(*root_.branch, height_, leaf.keys[0]);
        while (height_ > 0 && root_.branch->size == 1) {
            Branch* const old = root_.branch;
            root_ = old->children[0];
            delete old;
            --height_;
        }
        if (size_ == 0) {
            delete root_.leaf;
            root_ = {};
        }
    }
    static void mend_below(Branch& branch, std::uint32_t level, const Key& key) {
        const std::uint32_t row = branch.row_of(key);
        if (level == 1) {
            mend_child<Leaf>(branch, row, 0);
        } else {
            mend_below(*branch.children[row].branch, level - 1, key);
            mend_child<Branch>(branch, row, level - 1);
        }
    }
    template <class Visit>
    static void for_each_below(Child node, std::uint32_t level, Visit& visit) {
        if (level == 0) {
            for (std::uint32_t row = 0; row < node.leaf->size; ++row) {
                visit(node.leaf->keys[row], node.leaf->values[row]);
            }
            return;
        }
        for (std::uint32_t row = 0; row < node.branch->size; ++row) {
            for_each_below(node.branch->children[row], level - 1, visit);
        }
    }

    Child root_;
    std::uint32_t height_ = 0;
    std::size_t size_ = 0;
};

}  // namespace trestle::detail
