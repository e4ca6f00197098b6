// SPDX-License-Identifier: Apache-2.0
#pragma once

// DeviceChoice: which device of a node a policy takes a part of one from.
//
// Layer: alloc (private). Main names: DeviceChoice, device_choice_of.

#include "trestle/alloc/cluster/place/policy.hpp"

namespace trestle {

/// Which device of a node a part of one is taken from.
enum class DeviceChoice {
    by_fit,      ///< as fit() says
    least_left,  ///< the one with the least left that has enough, then the lowest
    by_score,    ///< the highest score, then the lowest
    at_random    ///< any that has enough, each as likely
};

[[nodiscard]] constexpr DeviceChoice device_choice_of(Policy policy) {
    switch (policy) {
        case Policy::best_fit:
        case Policy::dot_product:
        case Policy::packing:
        case Policy::clustering:
            return DeviceChoice::least_left;
        case Policy::fgd:
        case Policy::future_fit:
            return DeviceChoice::by_score;
        case Policy::random:
            return DeviceChoice::at_random;
        default:
            return DeviceChoice::by_fit;
    }
}

}  // namespace trestle
