// SPDX-License-Identifier: Apache-2.0
// Short names for the codes that tables of errors are full of.
#pragma once

#include "trestle/base/status.hpp"

namespace trestle {

inline constexpr auto invalid = StatusCode::kInvalidArgument;
inline constexpr auto refused = StatusCode::kFailedPrecondition;
inline constexpr auto absent = StatusCode::kNotFound;

}  // namespace trestle
