// SPDX-License-Identifier: Apache-2.0
#pragma once

// Moments as Kubernetes writes them.
//
// Layer: dialect/container. Main names: Moment, moment_of.
// Pitfall: only whole seconds in UTC are read, which is what `metav1.Time` prints.

#include <cstdint>
#include <optional>
#include <string_view>

namespace trestle::container {

/// Seconds since 1970.
using Moment = std::int64_t;

/// Of `2026-01-05T09:00:00Z`; nothing for other text.
[[nodiscard]] std::optional<Moment> moment_of(std::string_view text);

}  // namespace trestle::container
