// SPDX-License-Identifier: Apache-2.0
#pragma once

// StepBudget: how much more may be looked at. Layer: alloc, internal to the searches.
// Pitfall: a search that ends with nothing and no step left has proved nothing.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trestle::detail {

/// Counts steps; a search that has none left gives up.
struct StepBudget {
    std::uint64_t left = 0;

    /// False, with none left, when there are fewer than `steps`.
    [[nodiscard]] bool spend(std::uint64_t steps = 1);
};

/// Steps to the next rising subset of [0, n) with the size of `pick`; false after the last.
[[nodiscard]] bool next_combination(std::vector<std::size_t>& pick, std::size_t n);

}  // namespace trestle::detail
