// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small numbers of generators.
//
// Layer: testing (private).

#include <cstdint>

#include "trestle/base/interval.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle::testing::detail {

/// 1 to `max`.
[[nodiscard]] inline std::uint32_t one_to(Choices& choices, std::uint32_t max) {
    return choices.in(Interval<std::uint32_t>{1, max + 1});
}

/// 0 to `max`.
[[nodiscard]] inline std::uint32_t zero_to(Choices& choices, std::uint32_t max) {
    return choices.in(Interval<std::uint32_t>{0, max + 1});
}

}  // namespace trestle::testing::detail
