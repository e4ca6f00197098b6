// SPDX-License-Identifier: Apache-2.0
#pragma once

// The worse of two states of health.
//
// Layer: enforce (private). Main function: worse.

#include <algorithm>
#include <array>

#include "trestle/model/device.hpp"

namespace trestle {

/// The worse of two: failure, warning, healthy, unknown. What was not looked at does not make worse
/// what is known.
[[nodiscard]] constexpr Health worse(Health a, Health b) {
    const auto rank = [](Health health) {
        constexpr std::array order{Health::unknown, Health::healthy, Health::warning,
                                   Health::failure};
        return std::find(order.begin(), order.end(), health) - order.begin();
    };
    return rank(a) < rank(b) ? b : a;
}

}  // namespace trestle
