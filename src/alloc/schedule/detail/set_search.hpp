// SPDX-License-Identifier: Apache-2.0
#pragma once

// SetSearch: the first of all sets of victims, in their order, whose end is enough.
//
// Layer: alloc (detail). Main type: SetSearch. Branch and bound: whether one victim stays is
// decided after the other, the costliest first. It stays where the end of those that may still end
// is enough; a branch is left when nothing in it comes before the best set known.
// Pitfall: that the end of more is never enough for less is true of most requests, not of all
// (PartitionLimits): `is_monotone` says of which.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alloc/schedule/detail/ended_set.hpp"

namespace trestle::detail {

/// What all searches for sets of one request have in common.
struct SetQuestion {
    std::span<const PreemptionPlan::Victim> victims;
    EndLimits limits;
    bool is_monotone = true;
};

/// try_ends(positions), in any order, says whether the end of those victims is enough.
template <class TryEnds>
class SetSearch {
  public:
    SetSearch(const SetQuestion& question, const Trials& trials, const TryEnds& try_ends)
        : question_(question), trials_(trials), try_ends_(try_ends) {}

    /// The first set among these victims that is enough and comes before `best`; nothing when there
    /// is none. Only if trials are left afterwards that is so. With `is_enough` the end of all of
    /// them is known to be.
    [[nodiscard]] std::optional<EndedSet> run(Positions among, std::optional<EndedSet> best,
                                              bool is_enough) {
        sort_by_cost(among, question_.victims);
        rest_ = std::move(among);
        best_ = std::move(best);
        is_enough_ = is_enough;
        bool is_open = true;
        while (is_open && !trials_.is_over()) is_open = goes_deeper() || turns_back();
        return std::move(found_);
    }

  private:
    /// What was decided of one victim.
    struct Decision {
        std::size_t victim = 0;
        bool is_ended = false;
        bool was_enough = false;  ///< is_enough_ before
    };

    [[nodiscard]] std::int64_t cost_of(std::size_t victim) const {
        return question_.victims[victim].cost;
    }
    [[nodiscard]] bool is_better(const EndedSet& one) const {
        return question_.limits.allow(one) && (!best_ || comes_before(one, *best_));
    }
    /// True when those chosen and some of the rest might be better than the best.
    [[nodiscard]] bool may_be_better_with_more() const {
        if (rest_.empty()) return false;
        EndedSet least = chosen_;
        least.insert(rest_.front(), cost_of(rest_.front()));
        return is_better(least);
    }
    [[nodiscard]] Positions chosen_and_rest() const {
        Positions all = chosen_.positions;
        all.insert(all.end(), rest_.begin(), rest_.end());
        return all;
    }
    void choose(std::size_t victim) { chosen_.insert(victim, cost_of(victim)); }

    /// Decides of one more victim; false where there is no more to decide.
    [[nodiscard]] bool goes_deeper() {
        if (!is_better(chosen_)) return false;
        if (!may_be_better_with_more()) {
            const bool is_known = rest_.empty() && is_enough_;
            if (is_known || try_ends_(chosen_.positions) == TrialAnswer::yes) {
                found_ = best_ = chosen_;
            }
            return false;
        }
        const std::size_t victim = rest_.back();
        rest_.pop_back();
        const TrialAnswer without =
            question_.is_monotone ? try_ends_(chosen_and_rest()) : TrialAnswer::unknown;
        decisions_.push_back({victim, without == TrialAnswer::no, is_enough_});
        if (without == TrialAnswer::no) {
            choose(victim);
        } else {
            is_enough_ = without == TrialAnswer::yes;
        }
        return true;
    }
    /// Ends the last victim that stayed; false when there is none.
    [[nodiscard]] bool turns_back() {
        while (!decisions_.empty()) {
            Decision& last = decisions_.back();
            is_enough_ = last.was_enough;
            if (!last.is_ended) {
                last.is_ended = true;
                choose(last.victim);
                return true;
            }
            chosen_.erase(last.victim, cost_of(last.victim));
            rest_.push_back(last.victim);
            decisions_.pop_back();
        }
        return false;
    }

    const SetQuestion& question_;
    const Trials& trials_;
    const TryEnds& try_ends_;
    EndedSet chosen_;
    Positions rest_;          ///< not decided yet, the cheapest first, then the earliest
    bool is_enough_ = false;  ///< those chosen and the rest are known to be enough
    std::vector<Decision> decisions_;
    std::optional<EndedSet> best_;
    std::optional<EndedSet> found_;
};

}  // namespace trestle::detail
