// SPDX-License-Identifier: Apache-2.0
#pragma once

// SmallSet: the set of things inside one node (cores, threads, devices, memory domains).
//
// Layer: set. Main types: SmallSet<Index>, CoreSet, PuSet, DeviceSet, DomainSet. A bitmap that
// lies in place up to 256 bits and allocates only beyond. For sets over a cluster see IndexSet.
// A reader would get wrong: all runs are half-open [first, last), while the text "0-3" is closed;
// and the order (<) is that of the ascending member lists, not that of the bit masks.

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "trestle/base/hash.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/set/detail/word_set.hpp"

namespace trestle {

/// A set of numbers in [0, index_limit), or of Id<Tag> with such numbers. Equality, order and hash
/// depend on the members only. Operations are O(index of the last member / 64) unless stated.
template <class Index = std::uint32_t>
class SmallSet {
  public:
    using value_type = Index;
    using Run = Interval<std::uint32_t>;  ///< [first, last) of the numbers
    using const_iterator = detail::BitIterator<Index>;
    using iterator = const_iterator;

    /// Members are below it: 2^20, so that a stray number cannot eat the memory.
    static constexpr std::uint32_t index_limit = detail::WordSet::index_limit;

    SmallSet() = default;
    [[nodiscard]] static SmallSet of(std::initializer_list<Index> members) {
        SmallSet set;
        for (const Index member : members) set.insert(member);
        return set;
    }
    /// Requires: run.last <= index_limit.
    [[nodiscard]] static SmallSet range(Run run) {
        SmallSet set;
        set.insert_range(run);
        return set;
    }

    /// Requires: the number is below index_limit. O(1) but for growth.
    void insert(Index i) { set_.insert(number(i)); }
    /// Requires: run.last <= index_limit, unless the run is empty.
    void insert_range(Run run) { set_.insert_range(run); }
    /// Nothing happens when `i` is not a member. O(1).
    void erase(Index i) { set_.erase(number(i)); }
    void erase_range(Run run) { set_.erase_range(run); }
    void clear() { set_.clear(); }

    /// O(1).
    [[nodiscard]] bool contains(Index i) const { return set_.contains(number(i)); }
    /// True when `other` is a subset of this; the empty set always is.
    [[nodiscard]] bool contains_all(const SmallSet& other) const {
        return set_.contains_all(other.set_);
    }
    [[nodiscard]] bool intersects(const SmallSet& other) const {
        return set_.intersects(other.set_);
    }
    [[nodiscard]] bool is_empty() const { return set_.is_empty(); }

    [[nodiscard]] std::uint32_t count() const { return set_.count(); }
    /// Members inside `run`. O(length of the run / 64).
    [[nodiscard]] std::uint32_t count_in(Run run) const { return set_.count_in(run); }
    /// The size of the intersection, without building it.
    [[nodiscard]] std::uint32_t count_and(const SmallSet& other) const {
        return set_.count_and(other.set_);
    }

    /// The smallest member; nothing for the empty set, as below.
    [[nodiscard]] std::optional<Index> first() const { return typed(set_.next(0)); }
    [[nodiscard]] std::optional<Index> last() const { return typed(set_.last()); }
    /// The smallest member >= `i`.
    [[nodiscard]] std::optional<Index> next(Index i) const { return typed(set_.next(number(i))); }
    /// The member with exactly `k` members below it.
    [[nodiscard]] std::optional<Index> nth(std::uint32_t k) const { return typed(set_.nth(k)); }
    /// How many members are below `i`, which need not be one.
    [[nodiscard]] std::uint32_t rank(Index i) const { return set_.count_in({0, number(i)}); }
    /// The `k` smallest members; all of them when there are fewer.
    [[nodiscard]] SmallSet first_k(std::uint32_t k) const {
        SmallSet some = *this;
        if (const auto end = set_.nth(k)) some.erase_range({*end, index_limit});
        return some;
    }
    /// The lowest `k` members that follow each other without a gap; [0, 0) for k = 0.
    [[nodiscard]] std::optional<Run> first_run(std::uint32_t k) const { return set_.first_run(k); }

    SmallSet& operator|=(const SmallSet& other) {
        set_ |= other.set_;
        return *this;
    }
    SmallSet& operator&=(const SmallSet& other) {
        set_ &= other.set_;
        return *this;
    }
    SmallSet& operator-=(const SmallSet& other) {
        set_ -= other.set_;
        return *this;
    }
    SmallSet& operator^=(const SmallSet& other) {
        set_ ^= other.set_;
        return *this;
    }
    [[nodiscard]] friend SmallSet operator|(SmallSet a, const SmallSet& b) {
        a |= b;
        return a;
    }
    [[nodiscard]] friend SmallSet operator&(SmallSet a, const SmallSet& b) {
        a &= b;
        return a;
    }
    [[nodiscard]] friend SmallSet operator-(SmallSet a, const SmallSet& b) {
        a -= b;
        return a;
    }
    [[nodiscard]] friend SmallSet operator^(SmallSet a, const SmallSet& b) {
        a ^= b;
        return a;
    }

    /// In rising order. Iterators are invalid after any change of the set.
    [[nodiscard]] const_iterator begin() const { return {set_.words(), 0}; }
    [[nodiscard]] const_iterator end() const {
        return {set_.words(), static_cast<std::uint32_t>(set_.words().size())};
    }

    friend bool operator==(const SmallSet&, const SmallSet&) = default;
    /// Lexicographic by the ascending lists of members: {} < {0} < {0, 5} < {1}.
    friend std::strong_ordering operator<=>(const SmallSet&, const SmallSet&) = default;

    void hash_into(HashState& state) const { set_.hash_into(state); }

  private:
    static constexpr std::uint32_t number(Index i) {
        if constexpr (requires { i.value(); }) {
            return i.value();
        } else {
            return i;
        }
    }
    static std::optional<Index> typed(std::optional<std::uint32_t> i) {
        if (!i) return std::nullopt;
        return Index(*i);
    }

    detail::WordSet set_;
};

using CoreSet = SmallSet<CoreId>;      ///< cores by their position in the hardware tree
using PuSet = SmallSet<OsIndex>;       ///< hardware threads as the kernel numbers them
using DeviceSet = SmallSet<DeviceId>;  ///< devices of one node
using DomainSet = SmallSet<DomainId>;  ///< memory domains of one node

}  // namespace trestle
