// SPDX-License-Identifier: Apache-2.0
#pragma once

// What may be a member of a set: a std::uint32_t, or an Id with such a number.
//
// Layer: set (detail). Main names: SetIndex, number_of, RunJoiner, for_each_run.
// Pitfall: runs are always of plain numbers, also in a set of ids, because ids
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

/// Joins members that come in rising order to maximal runs. A run is handed on when it is complete.
class RunJoiner {
  public:
    /// Adds [next.first, next.end), which lies behind all before it. The run that it completes, if
    /// it does not continue it.
    [[nodiscard]] std::optional<Run> add(Run next) {
        if (next.first == run_.end) {  // a first member 0 continues the empty run
            run_.end = next.end;
            return std::nullopt;
        }
        const Run complete = run_;
        run_ = next;
        return complete.is_empty() ? std::nullopt : std::optional(complete);
    }
    /// The last run; empty when there were no members.
    [[nodiscard]] Run last() const { return run_; }

  private:
    Run run_;
};

/// visit(run) for the maximal runs of members, in rising order. O(members), and for a set that
/// walks over its runs itself O(runs).
template <class Set, class Visit>
void for_each_run(const Set& set, Visit visit) {
    const auto go_on = [&](Run run) {
        visit(run);
        return true;
    };
    if constexpr (requires { set.walk_runs(go_on); }) {
        set.walk_runs(go_on);
    } else {
        RunJoiner joiner;
        for (const auto member : set) {
            const std::uint32_t number = number_of(member);
            if (const auto complete = joiner.add({number, number + 1})) visit(*complete);
        }
        if (!joiner.last().is_empty()) visit(joiner.last());
    }
}

}  // namespace trestle::detail
