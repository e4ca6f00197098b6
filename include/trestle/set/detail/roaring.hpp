// SPDX-License-Identifier: Apache-2.0
#pragma once

// RoaringSet: the machinery of IndexSet, and the only place that includes CRoaring.
//
// Layer: set (detail). Main types: RoaringSet, RoaringIterator. Written against the C interface,
// which 0.2.66 (Debian 12) and 5.x share but for the iterator functions. An empty set is a null
// pointer, so that default and moved-from sets cost nothing.
// Pitfall: CRoaring changed its names between global scope and roaring::api; everything here is
// found by unqualified look-up inside trestle::detail.

#include <roaring/roaring.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>

#include "trestle/base/contract.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/set/detail/index.hpp"

namespace roaring::api {}

namespace trestle::detail {

using namespace ::roaring::api;  // NOLINT: a no-op with 0.2.66, where the names are global

/// The iterator functions under their old and their new names.
template <class It>
void start_iterator(const roaring_bitmap_t* bitmap, It* it) {
    if constexpr (requires { roaring_iterator_init(bitmap, it); }) {
        roaring_iterator_init(bitmap, it);
    } else {
        roaring_init_iterator(bitmap, it);
    }
}
template <class It>
bool move_iterator_to(It* it, std::uint32_t least) {
    if constexpr (requires { roaring_uint32_iterator_move_equalorlarger(it, least); }) {
        return roaring_uint32_iterator_move_equalorlarger(it, least);
    } else {
        return roaring_move_uint32_iterator_equalorlarger(it, least);
    }
}
template <class It>
std::uint32_t read_iterator(It* it, std::uint32_t* buffer, std::uint32_t size) {
    if constexpr (requires { roaring_uint32_iterator_read(it, buffer, size); }) {
        return roaring_uint32_iterator_read(it, buffer, size);
    } else {
        return roaring_read_uint32_iterator(it, buffer, size);
    }
}

/// Walks over the members in rising order, read ahead in blocks: a call into the library for each
/// member takes several times as long. Invalid after any change of the set.
template <SetIndex Index>
class RoaringIterator {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Index;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Index;

    RoaringIterator() = default;  ///< the end of every set
    explicit RoaringIterator(const roaring_bitmap_t& bitmap) {
        start_iterator(&bitmap, &source_);
        refill();
    }

    [[nodiscard]] Index operator*() const { return Index(block_[at_]); }
    RoaringIterator& operator++() {
        if (++at_ == size_) refill();
        return *this;
    }
    RoaringIterator operator++(int) {
        RoaringIterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const RoaringIterator& a, const RoaringIterator& b) {
        const bool is_a_end = a.at_ == a.size_;
        const bool is_b_end = b.at_ == b.size_;
        return is_a_end || is_b_end ? is_a_end == is_b_end : *a == *b;
    }

  private:
    void refill() {
        at_ = 0;
        size_ = read_iterator(&source_, block_.data(), static_cast<std::uint32_t>(block_.size()));
    }

    roaring_uint32_iterator_t source_{};
    std::array<std::uint32_t, 16> block_{};
    std::uint32_t at_ = 0;
    std::uint32_t size_ = 0;
};

/// A set of numbers below 2^32 - 1. The meaning of each function stands in BasicSet.
class RoaringSet {
  public:
    template <class Index>
    using Iterator = RoaringIterator<Index>;

    static constexpr std::uint32_t index_limit = ~std::uint32_t{0};

    RoaringSet() = default;
    RoaringSet(const RoaringSet& other)
        : bitmap_(other.bitmap_ ? made(roaring_bitmap_copy(other.bitmap_.get())) : nullptr) {}
    RoaringSet(RoaringSet&&) noexcept = default;
    RoaringSet& operator=(const RoaringSet& other) {
        if (this != &other) *this = RoaringSet(other);
        return *this;
    }
    RoaringSet& operator=(RoaringSet&&) noexcept = default;
    ~RoaringSet() = default;

    void insert(std::uint32_t i) {
        TRESTLE_EXPECTS(i < index_limit, "a member of an index set is below 2^32 - 1");
        roaring_bitmap_add(&owned(), i);
    }
    void insert_range(Run run) {
        if (!run.is_empty()) roaring_bitmap_add_range(&owned(), run.first, run.end);
    }
    void erase(std::uint32_t i) {
        if (bitmap_) roaring_bitmap_remove(bitmap_.get(), i);
    }
    void erase_range(Run run) {
        if (bitmap_ && !run.is_empty()) {
            roaring_bitmap_remove_range(bitmap_.get(), run.first, run.end);
        }
    }
    void clear() { bitmap_.reset(); }

    [[nodiscard]] bool contains(std::uint32_t i) const {
        return bitmap_ && roaring_bitmap_contains(bitmap_.get(), i);
    }
    [[nodiscard]] bool contains_all(const RoaringSet& other) const {
        if (!bitmap_) return other.is_empty();
        return !other.bitmap_ || roaring_bitmap_is_subset(other.bitmap_.get(), bitmap_.get());
    }
    [[nodiscard]] bool intersects(const RoaringSet& other) const {
        return bitmap_ && other.bitmap_ &&
               roaring_bitmap_intersect(bitmap_.get(), other.bitmap_.get());
    }
    [[nodiscard]] bool is_empty() const {
        return !bitmap_ || roaring_bitmap_is_empty(bitmap_.get());
    }

    [[nodiscard]] std::uint32_t count() const {
        return bitmap_ ? narrow(roaring_bitmap_get_cardinality(bitmap_.get())) : 0;
    }
    [[nodiscard]] std::uint32_t count_in(Run run) const {
        if (!bitmap_ || run.is_empty()) return 0;
        return narrow(roaring_bitmap_range_cardinality(bitmap_.get(), run.first, run.end));
    }
    [[nodiscard]] std::uint32_t count_and(const RoaringSet& other) const {
        if (!bitmap_ || !other.bitmap_) return 0;
        return narrow(roaring_bitmap_and_cardinality(bitmap_.get(), other.bitmap_.get()));
    }

    [[nodiscard]] std::optional<std::uint32_t> first() const {
        if (is_empty()) return std::nullopt;
        return roaring_bitmap_minimum(bitmap_.get());
    }
    [[nodiscard]] std::optional<std::uint32_t> last() const {
        if (is_empty()) return std::nullopt;
        return roaring_bitmap_maximum(bitmap_.get());
    }
    [[nodiscard]] std::optional<std::uint32_t> next(std::uint32_t i) const {
        if (!bitmap_) return std::nullopt;
        roaring_uint32_iterator_t it;
        start_iterator(bitmap_.get(), &it);
        if (!it.has_value || !move_iterator_to(&it, i)) return std::nullopt;
        return it.current_value;
    }
    [[nodiscard]] std::optional<std::uint32_t> nth(std::uint32_t k) const {
        std::uint32_t member = 0;
        if (!bitmap_ || !roaring_bitmap_select(bitmap_.get(), k, &member)) return std::nullopt;
        return member;
    }
    [[nodiscard]] RoaringSet first_k(std::uint32_t k) const;
    [[nodiscard]] std::optional<Run> first_run(std::uint32_t k) const;

    RoaringSet& operator|=(const RoaringSet& other) {
        if (!bitmap_) return *this = other;
        if (other.bitmap_) roaring_bitmap_or_inplace(bitmap_.get(), other.bitmap_.get());
        return *this;
    }
    RoaringSet& operator&=(const RoaringSet& other) {
        if (!other.bitmap_) bitmap_.reset();
        if (bitmap_) roaring_bitmap_and_inplace(bitmap_.get(), other.bitmap_.get());
        return *this;
    }
    RoaringSet& operator-=(const RoaringSet& other) {
        if (this == &other) bitmap_.reset();  // the library excludes a set minus itself
        if (bitmap_ && other.bitmap_) {
            roaring_bitmap_andnot_inplace(bitmap_.get(), other.bitmap_.get());
        }
        return *this;
    }
    RoaringSet& operator^=(const RoaringSet& other) {
        if (this == &other) {
            bitmap_.reset();
        } else if (!bitmap_) {
            *this = other;
        } else if (other.bitmap_) {
            roaring_bitmap_xor_inplace(bitmap_.get(), other.bitmap_.get());
        }
        return *this;
    }
    friend RoaringSet operator|(const RoaringSet& a, const RoaringSet& b) {
        if (!a.bitmap_ || !b.bitmap_) return a.bitmap_ ? a : b;
        return RoaringSet(roaring_bitmap_or(a.bitmap_.get(), b.bitmap_.get()));
    }
    friend RoaringSet operator&(const RoaringSet& a, const RoaringSet& b) {
        if (!a.bitmap_ || !b.bitmap_) return {};
        return RoaringSet(roaring_bitmap_and(a.bitmap_.get(), b.bitmap_.get()));
    }
    friend RoaringSet operator-(const RoaringSet& a, const RoaringSet& b) {
        if (!a.bitmap_ || !b.bitmap_) return a;
        return RoaringSet(roaring_bitmap_andnot(a.bitmap_.get(), b.bitmap_.get()));
    }
    friend RoaringSet operator^(const RoaringSet& a, const RoaringSet& b) {
        if (!a.bitmap_ || !b.bitmap_) return a.bitmap_ ? a : b;
        return RoaringSet(roaring_bitmap_xor(a.bitmap_.get(), b.bitmap_.get()));
    }

    friend bool operator==(const RoaringSet& a, const RoaringSet& b) {
        if (!a.bitmap_ || !b.bitmap_) return a.is_empty() && b.is_empty();
        return roaring_bitmap_equals(a.bitmap_.get(), b.bitmap_.get());
    }
    /// At the first place where the lists of members differ, the smaller member is in one set only.
    friend std::strong_ordering operator<=>(const RoaringSet& a, const RoaringSet& b) {
        const auto smaller = (a ^ b).first();
        if (!smaller) return std::strong_ordering::equal;
        const bool is_in_a = a.contains(*smaller);
        const bool is_prefix = !(is_in_a ? b : a).next(*smaller);  // the list that has ended
        return is_in_a == is_prefix ? std::strong_ordering::greater : std::strong_ordering::less;
    }

    template <class Index>
    [[nodiscard]] RoaringIterator<Index> begin() const {
        return bitmap_ ? RoaringIterator<Index>(*bitmap_) : RoaringIterator<Index>();
    }
    template <class Index>
    [[nodiscard]] RoaringIterator<Index> end() const {
        return {};
    }
    [[nodiscard]] RoaringIterator<std::uint32_t> begin() const { return begin<std::uint32_t>(); }
    [[nodiscard]] RoaringIterator<std::uint32_t> end() const { return {}; }

    /// visit(run) is false to end the walk.
    template <class Visit>
    void walk_runs(Visit visit) const;

    /// By runs, since the containers of equal sets may differ; the count marks the end.
    void hash_into(HashState& state) const {
        for_each_run(*this, [&](Run run) {
            state.add(run.first);
            state.add(run.end);
        });
        state.add(count());
    }

  private:
    /// The smallest number from `i` on that is no member. O(log n) searches in the containers.
    [[nodiscard]] std::uint32_t next_gap(std::uint32_t i) const;

    struct Free {
        void operator()(roaring_bitmap_t* bitmap) const { roaring_bitmap_free(bitmap); }
    };

    explicit RoaringSet(roaring_bitmap_t* taken) : bitmap_(made(taken)) {}

    /// CRoaring answers null when memory is out; most of its functions do not get that far.
    static roaring_bitmap_t* made(roaring_bitmap_t* bitmap) {
        TRESTLE_EXPECTS(bitmap != nullptr, "there is memory for a set");
        return bitmap;
    }
    /// Counts of members fit 32 bits, because index_limit does.
    static std::uint32_t narrow(std::uint64_t count) { return static_cast<std::uint32_t>(count); }

    roaring_bitmap_t& owned() {
        if (!bitmap_) bitmap_.reset(made(roaring_bitmap_create()));
        return *bitmap_;
    }

    std::unique_ptr<roaring_bitmap_t, Free> bitmap_;  ///< null only for an empty set
};

/// Few members are read and added again; copying all and cutting the copy is cheaper for many.
inline RoaringSet RoaringSet::first_k(std::uint32_t k) const {
    constexpr std::uint32_t few = 32;
    if (k == 0 || !bitmap_) return {};
    if (k > few) {
        RoaringSet some = *this;
        if (const auto end = nth(k)) some.erase_range({*end, index_limit});
        return some;
    }
    std::array<std::uint32_t, few> members;
    roaring_uint32_iterator_t it;
    start_iterator(bitmap_.get(), &it);
    const std::uint32_t size = read_iterator(&it, members.data(), k);
    return RoaringSet(roaring_bitmap_of_ptr(size, members.data()));
}

/// Steps that double while all that they span are members, then halves of the last one.
inline std::uint32_t RoaringSet::next_gap(std::uint32_t i) const {
    std::uint64_t gap = i;
    const auto skips = [&](std::uint64_t step) {
        if (!bitmap_ || gap + step > index_limit ||
            roaring_bitmap_range_cardinality(bitmap_.get(), gap, gap + step) != step) {
            return false;
        }
        gap += step;
        return true;
    };
    std::uint64_t step = 1;
    while (skips(step)) step *= 2;
    while (step /= 2) skips(step);
    return static_cast<std::uint32_t>(gap);
}

/// Members are read in blocks; where a block is one run, its end is searched for.
template <class Visit>
void RoaringSet::walk_runs(Visit visit) const {
    if (!bitmap_) return;
    std::array<std::uint32_t, 16> block;
    roaring_uint32_iterator_t it;
    start_iterator(bitmap_.get(), &it);
    RunJoiner joiner;
    while (const std::uint32_t size = read_iterator(&it, block.data(), block.size())) {
        const Run all{block[0], block[size - 1] + 1};
        const bool is_one_run = size == block.size() && all.end - all.first == size;
        const std::uint32_t end = is_one_run ? next_gap(all.end) : 0;
        for (std::uint32_t i = 0; i < (is_one_run ? 1 : size); ++i) {
            const auto complete = joiner.add({block[i], is_one_run ? end : block[i] + 1});
            if (complete && !visit(*complete)) return;
        }
        if (end > all.end && it.has_value) move_iterator_to(&it, end);
    }
    if (!joiner.last().is_empty()) visit(joiner.last());
}

inline std::optional<Run> RoaringSet::first_run(std::uint32_t k) const {
    if (k == 0) return Run{0, 0};
    std::optional<Run> found;
    walk_runs([&](Run run) {
        if (run.end - run.first >= k) found = Run{run.first, run.first + k};
        return !found;
    });
    return found;
}

}  // namespace trestle::detail
