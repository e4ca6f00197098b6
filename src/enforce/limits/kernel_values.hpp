// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bounds and names that the kernel has for limits.
//
// Layer: enforce (private). Main names: least_weight, most_weight, huge_page_name. Body:
// resource_limits.cpp.

#include <string>

#include "trestle/base/units.hpp"

namespace trestle {

/// The weights that cpu.weight and io.weight take, from the least to the most.
inline constexpr Count least_weight{1};
inline constexpr Count most_weight{10'000};

/// A size of huge pages as the kernel's file names have it: `2MB`, `1GB`, `64KB`.
[[nodiscard]] std::string huge_page_name(Bytes page_size);

}  // namespace trestle
