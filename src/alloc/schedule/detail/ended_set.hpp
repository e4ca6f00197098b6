// SPDX-License-Identifier: Apache-2.0
#pragma once

// EndedSet: victims that end together. EndLimits: what the rules allow of them. Trials: how many
// more of them may be tried.
//
// Layer: alloc (detail). Sets are compared by cost, then by number, then by positions in the
// caller's list, the lowest first.
// Pitfall: more trials only go on where fewer stopped, so that they never make a plan worse; no
// step may depend on how many are left.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/schedule/preemption_plan.hpp"

namespace trestle::detail {

/// Positions in the list of victims.
using Positions = std::vector<std::size_t>;

/// The victims that end, rising by position, and their cost.
struct EndedSet {
    std::int64_t cost = 0;
    Positions positions;

    EndedSet() = default;
    /// Requires: no position stands twice.
    EndedSet(std::span<const PreemptionPlan::Victim> victims, Positions some);

    void insert(std::size_t position, std::int64_t its_cost);
    void erase(std::size_t position, std::int64_t its_cost);

    friend bool comes_before(const EndedSet& a, const EndedSet& b) {
        return std::forward_as_tuple(a.cost, a.positions.size(), a.positions) <
               std::forward_as_tuple(b.cost, b.positions.size(), b.positions);
    }
    friend bool operator==(const EndedSet&, const EndedSet&) = default;
};

/// The cheapest first, then the earliest.
void sort_by_cost(Positions& positions, std::span<const PreemptionPlan::Victim> victims);

/// What a plan may cost, and how many it may end.
struct EndLimits {
    std::int64_t cost_max = std::numeric_limits<std::int64_t>::max();
    std::size_t victims_max = std::numeric_limits<std::size_t>::max();

    EndLimits() = default;
    explicit EndLimits(const PreemptionRules& rules);

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

    /// Pays for a trial with so many victims and nodes asked, together: many count as several.
    [[nodiscard]] bool spend(std::uint64_t things);
    [[nodiscard]] bool is_over() const { return is_over_; }

  private:
    static constexpr std::uint64_t things_a_trial = 64;

    std::uint64_t left_;
    bool is_over_ = false;
};

/// How leave_out() ended. hopeless: before any was left out.
enum class LeftOut { none_can_be, given_up, hopeless };

/// Leaves out victims that the request does not need, the last first: half of them, and fewer each
/// time that is too many. try_ends(positions) says whether the end of those is enough; that of none
/// is not. It gives up when is_too_much(set) says that the needed ones are already too much.
/// Complexity: twice the logarithm of n trials for each needed one, at most.
template <class TryEnds, class IsTooMuch>
LeftOut leave_out(Positions& ended, std::span<const PreemptionPlan::Victim> victims,
                  const Trials& trials, const TryEnds& try_ends, const IsTooMuch& is_too_much) {
    EndedSet needed;
    Positions rest = ended;
    std::size_t some = std::max<std::size_t>(1, rest.size() / 2);
    while (!rest.empty() && !trials.is_over()) {
        some = std::min(some, rest.size());
        if (some == rest.size() && needed.positions.empty()) some = (some + 1) / 2;
        Positions fewer(rest.begin(), rest.end() - static_cast<std::ptrdiff_t>(some));
        const std::size_t kept = fewer.size();
        fewer.insert(fewer.end(), needed.positions.begin(), needed.positions.end());
        const bool is_last = rest.size() == 1 && needed.positions.empty();
        if (!is_last && try_ends(fewer) == TrialAnswer::yes) {
            rest.resize(kept);
            some *= 2;
        } else if (some == 1) {
            needed.insert(rest.back(), victims[rest.back()].cost);
            rest.pop_back();
            if (is_too_much(needed)) {
                const bool was_any = ended.size() != rest.size() + needed.positions.size();
                return was_any ? LeftOut::given_up : LeftOut::hopeless;
            }
        } else {
            some /= 2;
        }
    }
    ended = std::move(needed.positions);
    ended.insert(ended.end(), rest.begin(), rest.end());
    return LeftOut::none_can_be;
}

}  // namespace trestle::detail
