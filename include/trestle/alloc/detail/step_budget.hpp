// SPDX-License-Identifier: Apache-2.0
#pragma once

// StepBudget: how much more may be looked at. Layer: alloc, internal to the searches.
// A reader would get wrong: a search that ends with nothing and no step left has proved nothing.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trestle::detail {

/// Counts steps; a search that has none left gives up.
struct StepBudget {
    std::uint64_t left = 0;

    /// False, with none left, when there are fewer than `steps`.
    [[nodiscard]] bool spend(std::uint64_t steps = 1) {
        if (left < steps) {
            left = 0;
            return false;
        }
        left -= steps;
        return true;
    }
};

/// Steps to the next rising subset of [0, n) with the size of `pick`; false after the last.
[[nodiscard]] inline bool next_combination(std::vector<std::size_t>& pick, std::size_t n) {
    for (std::size_t i = pick.size(); i-- > 0;) {
        if (pick[i] + (pick.size() - i) < n) {
            ++pick[i];
            for (std::size_t j = i + 1; j < pick.size(); ++j) pick[j] = pick[j - 1] + 1;
            return true;
        }
    }
    return false;
}

}  // namespace trestle::detail
