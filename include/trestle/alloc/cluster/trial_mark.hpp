// SPDX-License-Identifier: Apache-2.0
#pragma once

// TrialMark: a moment within a trial that can be come back to, as often as wanted.
//
// Layer: alloc. Main type: TrialMark. For searches that go deeper and back without a
// block of their own for each step.
// Pitfall: what is rolled back takes the marks with it that were made in it.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trestle/base/contract.hpp"

namespace trestle {

/// Made by Trial::mark() or TimelineTrial::mark(), and good for that trial alone.
struct TrialMark {
    std::uint64_t number = 0;  ///< rising within a trial, from 1; 0 is no mark

    friend bool operator==(TrialMark, TrialMark) = default;
};

namespace detail {

/// The marks of one trial, with what it takes to come back to each.
template <class Before>
class TrialMarks {
  public:
    [[nodiscard]] TrialMark add(Before before) {
        marks_.push_back({++last_, std::move(before)});
        return {last_};
    }
    /// Forgets the marks behind it. Requires: it was made by this and is not forgotten.
    [[nodiscard]] const Before& back_to(TrialMark mark) {
        const auto at = std::lower_bound(
            marks_.begin(), marks_.end(), mark.number,
            [](const Kept& one, std::uint64_t number) { return one.number < number; });
        TRESTLE_EXPECTS(at != marks_.end() && at->number == mark.number,
                        "the mark is of this trial, and was not rolled back itself");
        marks_.erase(at + 1, marks_.end());
        return at->before;
    }
    void forget() { marks_.clear(); }

  private:
    struct Kept {
        std::uint64_t number;
        Before before;
    };

    std::vector<Kept> marks_;
    std::uint64_t last_ = 0;
};

}  // namespace detail
}  // namespace trestle
