// SPDX-License-Identifier: Apache-2.0
#pragma once

// CowBitmap: a set of numbers, copied in O(1).
//
// Layer: set. Main type: CowBitmap. Two members lie in place. More are bits of a radix tree that
// knows how many there are below each branch: 512 bits a leaf, 16 leaves or branches a branch; what
// is empty is not there. Copies share leaves and branches; a write copies the path to its leaf if
// copies share it, and happens in place if not. Threads: copies may be read, copied and destroyed
// from any thread, and each written by one. Complexity: a level for each factor of 16: three for
// numbers below two million.
// Pitfall: a set of few members that are far apart costs a path of some 200 bytes a level for each.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "set/detail/bit_tree.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

class CowBitmap {
  public:
    CowBitmap() = default;
    CowBitmap(const CowBitmap&) = default;
    CowBitmap(CowBitmap&& other) noexcept { swap(other); }
    CowBitmap& operator=(const CowBitmap&) = default;
    /// What was moved from is empty.
    CowBitmap& operator=(CowBitmap&& other) noexcept {
        CowBitmap(std::move(other)).swap(*this);
        return *this;
    }
    ~CowBitmap() = default;
    void swap(CowBitmap& other) noexcept {
        std::swap(tree_, other.tree_);
        std::swap(size_, other.size_);
        std::swap(few_, other.few_);
    }

    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] bool is_empty() const { return size_ == 0; }
    [[nodiscard]] bool contains(std::uint32_t i) const {
        const auto at = next(i);
        return at && *at == i;
    }
    /// The lowest member that is >= i.
    [[nodiscard]] std::optional<std::uint32_t> next(std::uint32_t i) const {
        if (!tree_.is_empty()) return tree_.next(i);
        for (std::uint32_t n = 0; n < size_; ++n) {
            if (few_[n] >= i) return few_[n];
        }
        return std::nullopt;
    }
    /// The member with `rank` members below it. Requires: rank < size().
    [[nodiscard]] std::uint32_t nth(std::uint32_t rank) const {
        TRESTLE_EXPECTS(rank < size_, "there are more members than that");
        return tree_.is_empty() ? few_[rank] : tree_.nth(rank);
    }

    /// Brings member `i` nearer to the cache, which is soon to be erased. Requires: i is a member.
    void prefetch(std::uint32_t i) const {
        if (!tree_.is_empty()) tree_.prefetch(i);
    }
    /// Requires: i is no member.
    void insert(std::uint32_t i) {
        if (tree_.is_empty() && size_ < few_max) {
            few_[size_++] = i;
            if (size_ == 2 && few_[1] < few_[0]) std::swap(few_[0], few_[1]);
            return;
        }
        if (tree_.is_empty()) plant();
        tree_.insert(i);
        ++size_;
    }
    /// Adds the numbers in [first, last). Requires: none is a member.
    void insert_range(std::uint32_t first, std::uint32_t last) {
        TRESTLE_EXPECTS(first <= last, "an interval ends after it begins");
        if (last - first <= few_max - std::min(size_, few_max)) {
            for (; first < last; ++first) insert(first);
            return;
        }
        if (tree_.is_empty()) plant();
        tree_.insert_range(first, last);
        size_ += last - first;
    }
    /// Requires: i is a member.
    void erase(std::uint32_t i) {
        --size_;
        if (!tree_.is_empty()) return tree_.erase(i);
        if (few_[0] == i) few_[0] = few_[1];
    }

  private:
    static constexpr std::uint32_t few_max = 2;

    void plant() {
        for (std::uint32_t n = 0; n < size_; ++n) tree_.insert(few_[n]);
    }

    detail::BitTree tree_;  ///< of all members, or empty
    std::uint32_t size_ = 0;
    std::array<std::uint32_t, few_max> few_{};  ///< rising; all members while the tree is empty
};

}  // namespace trestle
