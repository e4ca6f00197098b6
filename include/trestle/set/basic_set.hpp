// SPDX-License-Identifier: Apache-2.0
#pragma once

// BasicSet: what SmallSet and IndexSet offer, written once; only the machinery below differs.
//
// Layer: set. A regular value: copies are independent, equality, order and hash depend on the
// members only, const functions may run in parallel. Every set prints and is read (set/text.hpp).
// Pitfall: all runs are half-open [first, end), while the text "0-3" is closed. The order (<) is
// that of the ascending member lists, not that of the bit masks.

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "trestle/base/hash.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/set/detail/index.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

/// A set of numbers in [0, index_limit), or of ids with such numbers. Use it as SmallSet<Index> or
/// IndexSet<Index>, where the complexities stand.
template <class Index, class Machine>
class BasicSet {
    static_assert(detail::SetIndex<Index>, "members are std::uint32_t or an Id with such a number");

  public:
    using value_type = Index;
    using Run = Interval<std::uint32_t>;  ///< [first, end) of the numbers
    using const_iterator = typename Machine::template Iterator<Index>;
    using iterator = const_iterator;

    /// All members are below it.
    static constexpr std::uint32_t index_limit = Machine::index_limit;

    BasicSet() = default;
    [[nodiscard]] static BasicSet of(std::initializer_list<Index> members) {
        BasicSet set;
        for (const Index member : members) set.insert(member);
        return set;
    }
    /// Requires: run.end <= index_limit, unless the run is empty.
    [[nodiscard]] static BasicSet range(Run run) {
        BasicSet set;
        set.insert_range(run);
        return set;
    }
    /// What is in at least one of `sets`.
    [[nodiscard]] static BasicSet union_of(std::span<const BasicSet> sets) {
        BasicSet all;
        for (const BasicSet& set : sets) all |= set;
        return all;
    }

    /// Requires: the number is below index_limit.
    void insert(Index i) { set_.insert(detail::number_of(i)); }
    /// Requires: run.end <= index_limit, unless the run is empty.
    void insert_range(Run run) { set_.insert_range(run); }
    /// Nothing happens when `i` is not a member.
    void erase(Index i) { set_.erase(detail::number_of(i)); }
    void erase_range(Run run) { set_.erase_range(run); }
    void clear() { set_.clear(); }

    [[nodiscard]] bool contains(Index i) const { return set_.contains(detail::number_of(i)); }
    /// True when `other` is a subset of this; the empty set always is.
    [[nodiscard]] bool contains_all(const BasicSet& other) const {
        return set_.contains_all(other.set_);
    }
    [[nodiscard]] bool intersects(const BasicSet& other) const {
        return set_.intersects(other.set_);
    }
    [[nodiscard]] bool is_empty() const { return set_.is_empty(); }

    [[nodiscard]] std::uint32_t count() const { return set_.count(); }
    /// Members inside `run`.
    [[nodiscard]] std::uint32_t count_in(Run run) const { return set_.count_in(run); }
    /// The size of the intersection, without building it.
    [[nodiscard]] std::uint32_t count_and(const BasicSet& other) const {
        return set_.count_and(other.set_);
    }

    /// The smallest member; nothing for the empty set.
    [[nodiscard]] std::optional<Index> first() const { return detail::typed<Index>(set_.first()); }
    [[nodiscard]] std::optional<Index> last() const { return detail::typed<Index>(set_.last()); }
    /// The smallest member >= `i`.
    [[nodiscard]] std::optional<Index> next(Index i) const {
        return detail::typed<Index>(set_.next(detail::number_of(i)));
    }
    /// The member with exactly `k` members below it.
    [[nodiscard]] std::optional<Index> nth(std::uint32_t k) const {
        return detail::typed<Index>(set_.nth(k));
    }
    /// How many members are below `i`, which need not be one.
    [[nodiscard]] std::uint32_t rank(Index i) const {
        return set_.count_in({0, detail::number_of(i)});
    }
    /// The `k` smallest members; all of them when there are fewer.
    [[nodiscard]] BasicSet first_k(std::uint32_t k) const { return BasicSet(set_.first_k(k)); }
    /// The lowest `k` members that follow each other without a gap; [0, 0) for k = 0.
    [[nodiscard]] std::optional<Run> first_run(std::uint32_t k) const { return set_.first_run(k); }
    /// The numbers of `run` that are no members. Requires: run.end <= index_limit.
    [[nodiscard]] BasicSet complement(Run run) const {
        BasicSet others = range(run);
        others -= *this;
        return others;
    }

    BasicSet& operator|=(const BasicSet& other) {
        set_ |= other.set_;
        return *this;
    }
    BasicSet& operator&=(const BasicSet& other) {
        set_ &= other.set_;
        return *this;
    }
    BasicSet& operator-=(const BasicSet& other) {
        set_ -= other.set_;
        return *this;
    }
    BasicSet& operator^=(const BasicSet& other) {
        set_ ^= other.set_;
        return *this;
    }
    [[nodiscard]] friend BasicSet operator|(const BasicSet& a, const BasicSet& b) {
        return BasicSet(a.set_ | b.set_);
    }
    [[nodiscard]] friend BasicSet operator&(const BasicSet& a, const BasicSet& b) {
        return BasicSet(a.set_ & b.set_);
    }
    [[nodiscard]] friend BasicSet operator-(const BasicSet& a, const BasicSet& b) {
        return BasicSet(a.set_ - b.set_);
    }
    [[nodiscard]] friend BasicSet operator^(const BasicSet& a, const BasicSet& b) {
        return BasicSet(a.set_ ^ b.set_);
    }

    /// In rising order. Iterators are invalid after any change of the set.
    [[nodiscard]] const_iterator begin() const { return set_.template begin<Index>(); }
    [[nodiscard]] const_iterator end() const { return set_.template end<Index>(); }

    friend bool operator==(const BasicSet&, const BasicSet&) = default;
    /// Lexicographic by the ascending lists of members: {} < {0} < {0, 5} < {1}.
    friend std::strong_ordering operator<=>(const BasicSet&, const BasicSet&) = default;

    void hash_into(HashState& state) const { set_.hash_into(state); }

    /// visit(run) for the maximal runs in rising order until it is false; only of an IndexSet.
    template <class Visit>
    void walk_runs(Visit visit) const requires requires {
        std::declval<const Machine&>().walk_runs(visit);
    }
    { set_.walk_runs(visit); }

  private:
    explicit BasicSet(Machine set) : set_(std::move(set)) {}

    Machine set_;
};

}  // namespace trestle
