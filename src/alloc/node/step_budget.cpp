// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/step_budget.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trestle {

namespace detail {

bool StepBudget::spend(std::uint64_t steps) {
    if (left < steps) {
        left = 0;
        return false;
    }
    left -= steps;
    return true;
}

bool next_combination(std::vector<std::size_t>& pick, std::size_t n) {
    for (std::size_t i = pick.size(); i-- > 0;) {
        if (pick[i] + (pick.size() - i) < n) {
            ++pick[i];
            for (std::size_t j = i + 1; j < pick.size(); ++j) pick[j] = pick[j - 1] + 1;
            return true;
        }
    }
    return false;
}

}  // namespace detail

}  // namespace trestle
