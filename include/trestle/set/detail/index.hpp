// SPDX-License-Identifier: Apache-2.0
#pragma once

// What may be a member of a set: a std::uint32_t, or an Id with such a number.
//
// Layer: set (detail). Main names: SetIndex, number_of, for_each_run.
// A reader would get wrong: runs are always of plain numbers, also in a set of ids, because ids
// have no arithmetic and a run is about neighbours.

#include <concepts>
#include <cstdint>
#include <optional>

#include "trestle/base/interval.hpp"

namespace trestle::detail {

/// [first, end) of the numbers of members.
using Run = Interval<std::uint32_t>;

template <class Index>
concept SetIndex = std::same_as<Index, std::uint32_t> || requires(Index i) {
    requires std::same_as<typename Index::rep, std::uint32_t>;
    Index(i.value());
};

[[nodiscard]] constexpr std::uint32_t number_of(std::uint32_t i) { return i; }
template <SetIndex Index>
[[nodiscard]] constexpr std::uint32_t number_of(Index i) {
    return i.value();
}

template <SetIndex Index>
[[nodiscard]] constexpr std::optional<Index> typed(std::optional<std::uint32_t> number) {
    if (!number) return std::nullopt;
    return Index(*number);
}

/// visit(run) for the maximal runs of members, in rising order. O(members).
template <class Set, class Visit>
void for_each_run(const Set& set, Visit visit) {
    Run run;
    for (const auto member : set) {
        const std::uint32_t number = number_of(member);
        if (number != run.end) {  // a first member 0 continues the empty run
            if (!run.is_empty()) visit(run);
            run.first = number;
        }
        run.end = number + 1;
    }
    if (!run.is_empty()) visit(run);
}

}  // namespace trestle::detail
