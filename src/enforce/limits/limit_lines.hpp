// SPDX-License-Identifier: Apache-2.0
#pragma once

// Limits of one line of one file: which replaces which, what the kernel has without, what is within
// both.
//
// Layer: enforce (private). Main functions: is_same_line, default_of, tightest. Bodies: limit.cpp.

#include <optional>

#include "trestle/enforce/limits/limit.hpp"

namespace trestle {

/// True when the one replaces the other: both are of one file and, where that has several lines, of
/// one device, card or name.
[[nodiscard]] bool is_same_line(const Limit& a, const Limit& b);

/// What the kernel has on the line of `limit` where nothing was written.
[[nodiscard]] Limit default_of(const Limit& limit);

/// The loosest value that is no looser than either; nothing where there is none, which is so for
/// sets without a common member. More protection (memory.low, memory.min) and more weight take from
/// others, so more of them is looser. Requires: is_same_line(a, b).
[[nodiscard]] std::optional<Limit> tightest(const Limit& a, const Limit& b);

}  // namespace trestle
