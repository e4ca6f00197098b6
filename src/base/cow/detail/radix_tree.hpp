// SPDX-License-Identifier: Apache-2.0
#pragma once

// RadixTree<T>: the blocks of a CowArray, found by the digits of an index.
//
// Layer: base (detail). A branch has 16 children: copying one means counting each of its children,
// and that, not the copying of a block, is what the first write after a copy costs.
// Pitfall: two branches of one tree may share a child, as grow() makes them. Places behind the size
// are null or hold T{}, so that nothing dropped is kept alive.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/prefetch.hpp"
#include "trestle/base/detail/uses.hpp"

namespace trestle::detail {

template <class T>
class RadixTree {
  public:
    static constexpr std::size_t block_size =
        std::bit_floor(std::clamp<std::size_t>(4096 / sizeof(T), 16, 256));

    struct Block {
        RefCount uses;
        std::array<T, block_size> values{};
    };

    RadixTree() = default;
    RadixTree(const RadixTree& other) noexcept
        : root_(other.root_), height_(other.height_), size_(other.size_) {
        share(root_, height_);
    }
    RadixTree(RadixTree&& other) noexcept { swap(other); }
    RadixTree& operator=(const RadixTree& other) noexcept {
        RadixTree(other).swap(*this);
        return *this;
    }
    RadixTree& operator=(RadixTree&& other) noexcept {
        RadixTree(std::move(other)).swap(*this);
        return *this;
    }
    ~RadixTree() { release(root_, height_); }
    void swap(RadixTree& other) noexcept {
        std::swap(root_, other.root_);
        std::swap(height_, other.height_);
        std::swap(size_, other.size_);
    }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// The block of element `i`. Requires: i < size().
    [[nodiscard]] const Block& block_of(std::size_t i) const {
        Node node = root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            node = node.branch->children[digit(i, level)];
        }
        return *node.block;
    }
    /// The block of element `i`, to be written. Requires: i < size().
    [[nodiscard]] Block& own_block(std::size_t i) {
        Node* slot = &root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            own(*slot, level);
            slot = &slot->branch->children[digit(i, level)];
        }
        own(*slot, 0);
        return *slot->block;
    }

    /// Drops elements at the end or adds copies of `value`.
    void resize(std::size_t size, const T& value) {
        if (size < size_) {
            shrink(size);
        } else {
            grow(size, value);
        }
        size_ = size;
    }

    /// visit(i) for each i that both have where they differ, in order, until it returns false.
    /// Returns false if it did.
    template <class Visit>
    static bool visit_differences(const RadixTree& a, const RadixTree& b, Visit visit) {
        const std::size_t size = std::min(a.size_, b.size_);
        const std::uint32_t height = std::min(a.height_, b.height_);
        return visit_differences(a.leftmost(height), b.leftmost(height), height, 0, size, visit);
    }

  private:
    static constexpr std::size_t fan_out = 16;

    struct Branch;
    union Node {
        Branch* branch = nullptr;
        Block* block;

        [[nodiscard]] bool is_null() const { return branch == nullptr; }
    };
    struct Branch {
        RefCount uses;
        std::array<Node, fan_out> children{};
    };

    /// How many elements a subtree has place for.
    static constexpr std::size_t span_of(std::uint32_t level) {
        return std::size_t{1} << span_bits(level);
    }
    static constexpr std::uint32_t span_bits(std::uint32_t level) {
        return static_cast<std::uint32_t>(std::countr_zero(block_size)) + 4 * level;
    }
    static constexpr std::size_t digit(std::size_t i, std::uint32_t level) {
        return (i >> span_bits(level - 1)) % fan_out;
    }

    static const RefCount& uses_of(Node node, std::uint32_t level) {
        return level == 0 ? node.block->uses : node.branch->uses;
    }
    static void share(Node node, std::uint32_t level) {
        if (!node.is_null()) uses_of(node, level).add();
    }
    static void release(Node node, std::uint32_t level) {
        if (node.is_null() || !uses_of(node, level).drop()) return;
        if (level == 0) {
            delete node.block;
            return;
        }
        for (const Node child : node.branch->children) release(child, level - 1);
        delete node.branch;
    }
    /// Makes the node in `slot` the only owner's, whose own node the slot is in.
    static void own(Node& slot, std::uint32_t level) {
        if (slot.is_null() || !uses_of(slot, level).is_one()) renew(slot, level);
    }
    static void renew(Node& slot, std::uint32_t level) {
        Node fresh;
        if (level == 0) {
            fresh.block = slot.is_null() ? new Block : new Block(*slot.block);
        } else {
            fresh.branch = slot.is_null() ? new Branch : new Branch(*slot.branch);
            for (const Node child : fresh.branch->children) {
                if (!child.is_null()) prefetch_write(&uses_of(child, level - 1));
            }
            for (const Node child : fresh.branch->children) share(child, level - 1);
        }
        release(std::exchange(slot, fresh), level);
    }

    void grow(std::size_t size, const T& value) {
        for (; size > span_of(height_); ++height_) {
            if (root_.is_null()) continue;
            auto* const above = new Branch;
            above->children[0] = root_;
            root_.branch = above;
        }
        RadixTree pattern;
        fill(root_, height_, size_, size, value, pattern);
    }
    /// Writes `value` to [first, last) of a subtree; a subtree filled as a whole is the pattern's.
    static void fill(Node& slot, std::uint32_t level, std::size_t first, std::size_t last,
                     const T& value, RadixTree& pattern) {
        if (first == 0 && last == span_of(level)) {
            const Node whole = pattern.repeated(level, value);
            share(whole, level);
            release(std::exchange(slot, whole), level);
            return;
        }
        if (first == last) return;
        own(slot, level);
        if (level == 0) {
            std::fill(slot.block->values.data() + first, slot.block->values.data() + last, value);
            return;
        }
        const std::size_t span = span_of(level - 1);
        for (std::size_t child = first / span; child * span < last; ++child) {
            const std::size_t begin = child * span;
            fill(slot.branch->children[child], level - 1, std::max(first, begin) - begin,
                 std::min(last, begin + span) - begin, value, pattern);
        }
    }
    /// A subtree that holds `value` everywhere, all of whose siblings are one node.
    [[nodiscard]] Node repeated(std::uint32_t level, const T& value) {
        if (root_.is_null()) {
            root_.block = new Block;
            root_.block->values.fill(value);
        }
        for (; height_ < level; ++height_) {
            auto* const above = new Branch;
            above->children.fill(root_);
            for (std::size_t i = 1; i < fan_out; ++i) share(root_, height_);
            root_.branch = above;
        }
        return leftmost(level);
    }

    void shrink(std::size_t size) {
        while (height_ > 0 && size <= span_of(height_ - 1)) {
            const Node child = root_.branch->children[0];
            share(child, height_ - 1);
            release(std::exchange(root_, child), height_);
            --height_;
        }
        drop(root_, height_, size, std::min(size_, span_of(height_)));
    }
    /// Empties [first, last) of a subtree, which are the last elements it has.
    static void drop(Node& slot, std::uint32_t level, std::size_t first, std::size_t last) {
        if (first >= last) return;
        if (first == 0) {
            release(std::exchange(slot, {}), level);
            return;
        }
        own(slot, level);
        if (level == 0) {
            std::fill(slot.block->values.data() + first, slot.block->values.data() + last, T{});
            return;
        }
        const std::size_t span = span_of(level - 1);
        for (std::size_t child = first / span; child * span < last; ++child) {
            const std::size_t begin = child * span;
            drop(slot.branch->children[child], level - 1, std::max(first, begin) - begin,
                 std::min(last, begin + span) - begin);
        }
    }

    /// The first subtree of `level`.
    [[nodiscard]] Node leftmost(std::uint32_t level) const {
        Node node = root_;
        for (std::uint32_t at = height_; at > level; --at) node = node.branch->children[0];
        return node;
    }
    template <class Visit>
    static bool visit_differences(Node a, Node b, std::uint32_t level, std::size_t first,
                                  std::size_t size, Visit& visit) {
        if (first >= size) return true;
        if (level == 0) {
            if (a.block == b.block) return true;
            const std::size_t last = std::min(block_size, size - first);
            for (std::size_t i = 0; i < last; ++i) {
                if (!(a.block->values[i] == b.block->values[i]) && !visit(first + i)) return false;
            }
            return true;
        }
        if (a.branch == b.branch) return true;
        for (std::size_t child = 0; child < fan_out; ++child) {
            if (!visit_differences(a.branch->children[child], b.branch->children[child], level - 1,
                                   first + child * span_of(level - 1), size, visit)) {
                return false;
            }
        }
        return true;
    }

    Node root_;
    std::uint32_t height_ = 0;
    std::size_t size_ = 0;
};

}  // namespace trestle::detail
