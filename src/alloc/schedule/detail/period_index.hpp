// SPDX-License-Identifier: Apache-2.0
#pragma once

// PeriodIndex: the owners in a period, found without a look at all that begin before its end.
//
// Layer: alloc (detail). Main type: PeriodIndex<Value>. Rows stand in classes by length, each twice
// as long as the one before, and in a class by start: those that reach into a period begin in it,
// or before by the length of their class at most.
// Pitfall: what lasts for ever is in a class too, of which all that begin before the period's end
// are looked at; all of them that began before are found anyway.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trestle/alloc/schedule/period.hpp"

namespace trestle::detail {

/// A Value for each owner and its period.
template <class Value>
class PeriodIndex {
  public:
    struct Row {
        OwnerPeriod one;
        Value value;
    };

    /// Requires: the period has a moment; the owner does not stand there yet.
    void insert(const OwnerPeriod& one, Value value) {
        std::vector<Row>& rows = by_length_[class_of(one.period)];
        rows.insert(place_of(rows, one), {one, value});
    }
    /// Requires: it was inserted.
    void erase(const OwnerPeriod& one) {
        std::vector<Row>& rows = by_length_[class_of(one.period)];
        rows.erase(place_of(rows, one));
    }
    /// These and no others. Requires: each period has a moment; each owner stands once.
    /// Complexity: n log n.
    void assign(const std::vector<Row>& rows) {
        for (std::vector<Row>& same : by_length_) same.clear();
        for (const Row& row : rows) by_length_[class_of(row.one.period)].push_back(row);
        for (std::vector<Row>& same : by_length_) {
            std::sort(same.begin(), same.end(),
                      [](const Row& a, const Row& b) { return a.one < b.one; });
        }
    }

    /// visit(rows), in which are all that reach into the period, and about as many others that end
    /// shortly before it. Complexity: a search for each class.
    template <class Visit>
    void for_each_near(const Period& period, const Visit& visit) const {
        for (std::size_t i = 1; i < by_length_.size(); ++i) {
            const Seconds longest(static_cast<std::int64_t>((std::uint64_t{1} << i) - 1));
            const auto first = std::partition_point(
                by_length_[i].begin(), by_length_[i].end(), [&](const Row& row) {
                    return saturating_add(row.one.period.first, longest) <= period.first;
                });
            const auto last = std::partition_point(first, by_length_[i].end(), [&](const Row& row) {
                return row.one.period.first < period.end;
            });
            if (first != last) visit(std::span<const Row>(first, last));
        }
    }

  private:
    [[nodiscard]] static std::size_t class_of(const Period& period) {
        const Seconds length = period.end - period.first;
        return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length.value())));
    }
    [[nodiscard]] static auto place_of(std::vector<Row>& rows, const OwnerPeriod& one) {
        return std::lower_bound(
            rows.begin(), rows.end(), one,
            [](const Row& row, const OwnerPeriod& wanted) { return row.one < wanted; });
    }

    std::array<std::vector<Row>, 64> by_length_;  ///< by how many bits the length has
};

}  // namespace trestle::detail
