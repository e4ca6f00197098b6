// SPDX-License-Identifier: Apache-2.0
#pragma once

// TrialMark: a moment within a trial that can be come back to, as often as wanted.
//
// Layer: alloc. Main type: TrialMark. For searches that go deeper and back without a
// block of their own for each step.
// Pitfall: what is rolled back takes the marks with it that were made in it.

#include <cstdint>

namespace trestle {

/// Made by Cluster::Trial::mark() or Timeline::Trial::mark(), and good for that trial alone.
struct TrialMark {
    std::uint64_t number = 0;  ///< rising within a trial, from 1; 0 is no mark

    friend bool operator==(TrialMark, TrialMark) = default;
};

}  // namespace trestle
