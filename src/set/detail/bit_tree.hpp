// SPDX-License-Identifier: Apache-2.0
#pragma once

// BitTree: the leaves and branches of a CowBitmap.
//
// Layer: set (detail). A branch knows which of its children are there and how many bits each has.
// Pitfall: a child without bits is not there, so that an insertion may make the whole path and an
// erasure free it; the root is as high as the highest number ever needed.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/prefetch.hpp"
#include "trestle/base/detail/uses.hpp"
#include "trestle/set/detail/bits.hpp"

namespace trestle::detail {

class BitTree {
  public:
    BitTree() = default;
    BitTree(const BitTree& other) noexcept : root_(other.root_), height_(other.height_) {
        if (!is_empty()) uses_of(root_, height_).add();
    }
    BitTree(BitTree&& other) noexcept
        : root_(std::exchange(other.root_, {})), height_(std::exchange(other.height_, 0)) {}
    BitTree& operator=(BitTree other) noexcept {
        std::swap(root_, other.root_);
        std::swap(height_, other.height_);
        return *this;
    }
    ~BitTree() {
        if (!is_empty()) release(root_, height_);
    }

    [[nodiscard]] bool is_empty() const { return root_.branch == nullptr; }

    /// The lowest bit from `i` on. Requires: not is_empty().
    [[nodiscard]] std::optional<std::uint32_t> next(std::uint32_t i) const {
        if (i >= span_of(height_)) return std::nullopt;
        const std::uint64_t found = next(root_, height_, i);
        return found == none ? std::nullopt : std::optional(static_cast<std::uint32_t>(found));
    }
    /// Requires: there are more than `rank` bits.
    [[nodiscard]] std::uint32_t nth(std::uint32_t rank) const {
        Child node = root_;
        std::uint32_t base = 0;
        for (std::uint32_t level = height_; level > 0; --level) {
            const Branch& branch = *node.branch;
            std::uint32_t row = 0;
            while (rank >= branch.counts[row]) rank -= branch.counts[row++];
            base += row << span_bits(level - 1);
            node = branch.children[row];
        }
        std::uint32_t w = 0;
        for (; rank >= count_bits(node.leaf->words[w]); ++w)
            rank -= count_bits(node.leaf->words[w]);
        return base + word_bits * w + select_bit(node.leaf->words[w], rank);
    }

    /// Requires: the bit is there.
    void prefetch(std::uint32_t i) const {
        Child node = root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            node = node.branch->children[digit(i, level)];
        }
        prefetch_write(&node.leaf->words[i % leaf_bits / word_bits]);
    }
    /// Requires: the bit is not there.
    void insert(std::uint32_t i) {
        grow(i);
        Child* slot = &root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            Branch& branch = own(slot->branch, level);
            const std::uint32_t row = digit(i, level);
            branch.filled |= std::uint32_t{1} << row;
            ++branch.counts[row];
            slot = &branch.children[row];
        }
        own(slot->leaf, 0).words[i % leaf_bits / word_bits] |= bit_of(i);
    }
    /// Requires: no bit of [first, last) is there, and first < last.
    void insert_range(std::uint32_t first, std::uint32_t last) {
        grow(last - 1);
        fill(root_, height_, first, last);
    }
    /// Requires: the bit is there.
    void erase(std::uint32_t i) {
        std::array<Child*, height_max + 1> path{};
        Child* slot = &root_;
        for (std::uint32_t level = height_; level > 0; --level) {
            path[level] = slot;
            Branch& branch = own(slot->branch, level);
            const std::uint32_t row = digit(i, level);
            --branch.counts[row];
            slot = &branch.children[row];
        }
        Leaf& leaf = own(slot->leaf, 0);
        leaf.words[i % leaf_bits / word_bits] &= ~bit_of(i);
        if (std::any_of(leaf.words.begin(), leaf.words.end(),
                        [](std::uint64_t w) { return w != 0; })) {
            return;
        }
        delete slot->leaf;
        for (std::uint32_t level = 1; level <= height_; ++level) {
            Branch& branch = *path[level]->branch;
            const std::uint32_t row = digit(i, level);
            branch.children[row] = {};
            branch.filled &= ~(std::uint32_t{1} << row);
            if (branch.filled != 0) return;
            delete path[level]->branch;
        }
        root_ = {};
        height_ = 0;
    }

  private:
    static constexpr std::uint32_t leaf_span_bits = 9;
    static constexpr std::uint32_t leaf_bits = 1U << leaf_span_bits;
    static constexpr std::uint32_t fan_out = 16;
    static constexpr std::uint32_t height_max = 6;  // 2^33 bits
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    struct Leaf {
        RefCount uses;
        std::array<std::uint64_t, leaf_bits / word_bits> words{};
    };
    struct Branch;
    /// Which of the two it is the level says; both are pointers, and null is read as either.
    union Child {
        Branch* branch = nullptr;
        Leaf* leaf;
    };
    struct Branch {
        RefCount uses;
        std::uint32_t filled = 0;  ///< a bit for each child that is there
        std::array<std::uint32_t, fan_out> counts{};
        std::array<Child, fan_out> children{};
    };

    [[nodiscard]] static constexpr std::uint32_t span_bits(std::uint32_t level) {
        return leaf_span_bits + 4 * level;
    }
    [[nodiscard]] static constexpr std::uint64_t span_of(std::uint32_t level) {
        return std::uint64_t{1} << span_bits(level);
    }
    [[nodiscard]] static constexpr std::uint32_t digit(std::uint32_t i, std::uint32_t level) {
        return (i >> span_bits(level - 1)) % fan_out;
    }
    [[nodiscard]] static const RefCount& uses_of(Child child, std::uint32_t level) {
        return level == 0 ? child.leaf->uses : child.branch->uses;
    }
    static void release(Child node, std::uint32_t level) {
        if (!uses_of(node, level).drop()) return;
        if (level == 0) {
            delete node.leaf;
            return;
        }
        for (const Child child : node.branch->children) {
            if (child.branch != nullptr) release(child, level - 1);
        }
        delete node.branch;
    }

    /// The node in `slot`, made if it was not there, copied if others have it too. The branch above
    /// is owned.
    template <class Node>
    [[nodiscard]] static Node& own(Node*& slot, std::uint32_t level) {
        if (slot == nullptr) {
            slot = new Node;
        } else if (!slot->uses.is_one()) {
            slot = &copy(*slot, level);
        }
        return *slot;
    }
    [[nodiscard]] static Leaf& copy(Leaf& leaf, std::uint32_t level) {
        Leaf& fresh = *new Leaf(leaf);
        release(Child{.leaf = &leaf}, level);
        return fresh;
    }
    [[nodiscard]] static Branch& copy(Branch& branch, std::uint32_t level) {
        Branch& fresh = *new Branch(branch);
        for (const Child child : fresh.children) {
            if (child.branch != nullptr) prefetch_write(&uses_of(child, level - 1));
        }
        for (const Child child : fresh.children) {
            if (child.branch != nullptr) uses_of(child, level - 1).add();
        }
        release(Child{.branch = &branch}, level);
        return fresh;
    }

    /// Makes place for number `i`.
    void grow(std::uint32_t i) {
        if (is_empty()) {
            while (i >= span_of(height_)) ++height_;
            return;
        }
        while (i >= span_of(height_)) {
            auto* const above = new Branch;
            above->children[0] = root_;
            above->filled = 1;
            above->counts[0] = count(root_, height_);
            root_.branch = above;
            ++height_;
        }
    }
    [[nodiscard]] static std::uint32_t count(Child node, std::uint32_t level) {
        std::uint32_t sum = 0;
        if (level == 0) {
            for (const std::uint64_t word : node.leaf->words) sum += count_bits(word);
        } else {
            for (const std::uint32_t part : node.branch->counts) sum += part;
        }
        return sum;
    }
    static void fill(Child& slot, std::uint32_t level, std::uint64_t first, std::uint64_t last) {
        if (level == 0) {
            Leaf& leaf = own(slot.leaf, 0);
            for (std::uint64_t w = first / word_bits; w * word_bits < last; ++w) {
                const std::uint64_t begin = std::max(first, w * word_bits) % word_bits;
                const std::uint64_t end = std::min(last - w * word_bits, std::uint64_t{word_bits});
                leaf.words[w] |= low_bits(static_cast<std::uint32_t>(end)) &
                                 ~low_bits(static_cast<std::uint32_t>(begin));
            }
            return;
        }
        Branch& branch = own(slot.branch, level);
        const std::uint64_t span = span_of(level - 1);
        for (std::uint64_t row = first / span; row * span < last; ++row) {
            const std::uint64_t begin = std::max(first, row * span) - row * span;
            const std::uint64_t end = std::min(last - row * span, span);
            fill(branch.children[row], level - 1, begin, end);
            branch.filled |= std::uint32_t{1} << row;
            branch.counts[row] += static_cast<std::uint32_t>(end - begin);
        }
    }

    /// The lowest bit of the subtree from `i` on, which lies within it, or none.
    [[nodiscard]] static std::uint64_t next(Child node, std::uint32_t level, std::uint64_t i) {
        if (level == 0) return next_in(*node.leaf, static_cast<std::uint32_t>(i));
        const Branch& branch = *node.branch;
        const auto row = static_cast<std::uint32_t>(i >> span_bits(level - 1));
        if (branch.children[row].branch != nullptr) {
            const std::uint64_t within = i % span_of(level - 1);
            const std::uint64_t found = next(branch.children[row], level - 1, within);
            if (found != none) return (std::uint64_t{row} << span_bits(level - 1)) + found;
        }
        const std::uint64_t right = branch.filled & ~((std::uint64_t{2} << row) - 1);
        if (right == 0) return none;
        const auto first = static_cast<std::uint32_t>(std::countr_zero(right));
        return (std::uint64_t{first} << span_bits(level - 1)) +
               next(branch.children[first], level - 1, 0);
    }
    [[nodiscard]] static std::uint64_t next_in(const Leaf& leaf, std::uint32_t i) {
        std::uint32_t w = i / word_bits;
        std::uint64_t word = leaf.words[w] & ~low_bits(i % word_bits);
        while (word == 0) {
            if (++w == leaf.words.size()) return none;
            word = leaf.words[w];
        }
        return std::uint64_t{word_bits} * w + lowest_bit(word);
    }

    Child root_;
    std::uint32_t height_ = 0;
};

}  // namespace trestle::detail
