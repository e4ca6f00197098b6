// SPDX-License-Identifier: Apache-2.0
#pragma once

// CowArray<T>: indexed like std::vector, copied in O(1).
//
// Layer: base. Copies share the blocks of a radix tree; a write copies the path to its block if
// copies share it (16 pointers a level and one block of up to 4 KiB), and happens in place if not.
// An array of one value repeated shares its blocks with itself. Threads: copies may be read, copied
// and destroyed from any thread, and each written by one. Complexity: a level for each factor of
// 16: a million elements of up to 16 bytes have three.
// Pitfall: write(i) gives a reference that a later copy does not stop; it is good until the array
// is copied, resized or assigned.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/cow/detail/radix_tree.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

/// A sequence of T. T has a default, copies and ==.
template <class T>
class CowArray {
  public:
    using value_type = T;

    CowArray() = default;
    /// `size` times `value`. Complexity: O(log size).
    explicit CowArray(std::size_t size, const T& value = T{}) { resize(size, value); }

    [[nodiscard]] std::size_t size() const { return tree_.size(); }
    [[nodiscard]] bool is_empty() const { return size() == 0; }

    /// Requires: i < size().
    [[nodiscard]] const T& operator[](std::size_t i) const {
        TRESTLE_EXPECTS(i < size(), "an array is read within its size");
        return tree_.block_of(i).values[i % block_size];
    }
    /// Brings element `i` nearer to the cache, for one that is soon to be read or written.
    /// Requires: i < size().
    void prefetch(std::size_t i) const {
        __builtin_prefetch(&tree_.block_of(i).values[i % block_size]);
    }
    /// The element to be changed. Requires: i < size().
    [[nodiscard]] T& write(std::size_t i) {
        TRESTLE_EXPECTS(i < size(), "an array is written within its size");
        return tree_.own_block(i).values[i % block_size];
    }
    /// Requires: i < size().
    void set(std::size_t i, T value) { write(i) = std::move(value); }

    void push_back(T value) { tree_.resize(size() + 1, value); }
    /// Requires: the array is not empty.
    void pop_back() {
        TRESTLE_EXPECTS(!is_empty(), "there is a last element");
        resize(size() - 1);
    }
    /// Drops elements at the end or adds copies of `value`. Complexity: O(log size).
    void resize(std::size_t size, T value = T{}) { tree_.resize(size, value); }
    void clear() { *this = {}; }

    /// visit(i, value) for all, in order.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t first = 0; first < size(); first += block_size) {
            const auto& block = tree_.block_of(first);
            const std::size_t last = std::min(size(), first + block_size);
            for (std::size_t i = first; i < last; ++i) visit(i, block.values[i - first]);
        }
    }
    /// visit(i) for each index at which the values differ or that only one of both has, in order.
    /// Complexity: what the two do not share.
    template <class Visit>
    void for_each_difference(const CowArray& other, Visit visit) const {
        const auto [common, longest] = std::minmax({size(), other.size()});
        Tree::visit_differences(tree_, other.tree_, [&visit](std::size_t i) {
            visit(i);
            return true;
        });
        for (std::size_t i = common; i < longest; ++i) visit(i);
    }

    friend bool operator==(const CowArray& a, const CowArray& b) {
        return a.size() == b.size() &&
               Tree::visit_differences(a.tree_, b.tree_, [](std::size_t) { return false; });
    }
    void hash_into(HashState& state) const {
        state.add(size());
        for_each([&state](std::size_t, const T& value) { trestle::hash_into(state, value); });
    }

  private:
    using Tree = detail::RadixTree<T>;
    static constexpr std::size_t block_size = Tree::block_size;

    Tree tree_;
};

}  // namespace trestle
