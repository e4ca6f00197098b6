// SPDX-License-Identifier: Apache-2.0
#pragma once

// The marks of a trial, with what it takes to come back to each.
//
// Layer: alloc (private). Main type: TrialMarks.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/trial_mark.hpp"
#include "trestle/base/contract.hpp"

namespace trestle::detail {

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

}  // namespace trestle::detail
