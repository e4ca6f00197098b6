// SPDX-License-Identifier: Apache-2.0
#pragma once

// EndedSet: victims who end together. EndLimits: what the rules allow of them. Trials: how many
// more of them may be tried.
//
// Layer: alloc (detail). Sets are compared by cost, then by number, then by positions in the
// caller's list, the lowest first.
// A reader would get wrong: more trials only go on where fewer stopped, so that they never make
// a plan worse; no step may depend on how many are left.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/preemption/preemption_plan.hpp"

namespace trestle::detail {

/// Positions in the list of victims.
using Positions = std::vector<std::size_t>;

/// Who ends, rising by position, and what that costs.
struct EndedSet {
    std::int64_t cost = 0;
    Positions positions;

    EndedSet() = default;
    /// Requires: no position stands twice.
    EndedSet(std::span<const Victim> victims, Positions some) : positions(std::move(some)) {
        std::sort(positions.begin(), positions.end());
        for (const std::size_t one : positions) cost += victims[one].cost;
    }

    void insert(std::size_t position, std::int64_t its_cost) {
        positions.insert(std::lower_bound(positions.begin(), positions.end(), position), position);
        cost += its_cost;
    }
    void erase(std::size_t position, std::int64_t its_cost) {
        positions.erase(std::lower_bound(positions.begin(), positions.end(), position));
        cost -= its_cost;
    }

    friend bool comes_before(const EndedSet& a, const EndedSet& b) {
        return std::forward_as_tuple(a.cost, a.positions.size(), a.positions) <
               std::forward_as_tuple(b.cost, b.positions.size(), b.positions);
    }
    friend bool operator==(const EndedSet&, const EndedSet&) = default;
};

/// The cheapest first, then the earliest.
inline void sort_by_cost(Positions& positions, std::span<const Victim> victims) {
    std::sort(positions.begin(), positions.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(victims[a].cost, a) < std::pair(victims[b].cost, b);
    });
}

/// What a plan may cost, and how many it may end.
struct EndLimits {
    std::int64_t cost_max = std::numeric_limits<std::int64_t>::max();
    std::size_t victims_max = std::numeric_limits<std::size_t>::max();

    EndLimits() = default;
    explicit EndLimits(const PreemptionRules& rules) {
        if (rules.cost_max) cost_max = *rules.cost_max;
        if (rules.victims_max) victims_max = static_cast<std::size_t>(rules.victims_max->value());
    }

    [[nodiscard]] bool allow(const EndedSet& one) const {
        return one.cost <= cost_max && one.positions.size() <= victims_max;
    }
};

/// What a trial says. unknown: the search gave up, or there was no trial left.
enum class TrialAnswer { no, yes, unknown };

/// The trials that are left. Once one could not be paid there are none.
class Trials {
  public:
    explicit Trials(std::uint64_t left) : left_(left) {}

    [[nodiscard]] bool spend(std::uint64_t price) {
        is_over_ |= left_ < price;
        if (!is_over_) left_ -= price;
        return !is_over_;
    }
    [[nodiscard]] bool is_over() const { return is_over_; }

  private:
    std::uint64_t left_;
    bool is_over_ = false;
};

/// Leaves out whom the request does not need, the last first: halves, then quarters, down to each
/// alone. try_ends(positions) says whether the end of those is enough; that of nobody is not.
/// Complexity: n log n trials at most, where few are needed twice the logarithm for each.
template <class TryEnds>
void leave_out(Positions& ended, const Trials& trials, const TryEnds& try_ends) {
    for (std::size_t some = ended.size() / 2; some != 0; some /= 2) {
        for (std::size_t end = ended.size(); end != 0 && !trials.is_over();) {
            const std::size_t begin = end - std::min(some, end);
            Positions fewer = ended;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                        fewer.begin() + static_cast<std::ptrdiff_t>(end));
            if (try_ends(fewer) == TrialAnswer::yes) ended = std::move(fewer);
            end = begin;
        }
    }
}

}  // namespace trestle::detail
