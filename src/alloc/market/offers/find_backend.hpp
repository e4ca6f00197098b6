// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which backend of a list has a name.
//
// Layer: alloc. Main function: find_backend.

#include <span>
#include <string_view>

#include "trestle/alloc/market/offers/backend.hpp"

namespace trestle {

/// The first backend called `name`, or null. Complexity: linear.
[[nodiscard]] const Backend* find_backend(std::span<const Backend> backends, std::string_view name);

}  // namespace trestle
