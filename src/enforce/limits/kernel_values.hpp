// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bounds, names and numbers as the kernel has them for limits.
//
// Layer: enforce (private). Main names: least_weight, most_weight, huge_page_name,
// cpu_quota. Bodies: resource_limits.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "trestle/base/units.hpp"
#include "trestle/enforce/limits/resource_limits.hpp"

namespace trestle {

/// The weights that cpu.weight and io.weight take, from the least to the most.
inline constexpr Count least_weight{1};
inline constexpr Count most_weight{10'000};

/// A size of huge pages as the kernel's file names have it: `2MB`, `1GB`, `64KB`.
[[nodiscard]] std::string huge_page_name(Bytes page_size);

/// As the files of the kernel have a number; `max` for none.
template <class Unit>
[[nodiscard]] std::string number_or_max(const std::optional<Quantity<Unit>>& number) {
    return number ? std::to_string(number->value()) : std::string("max");
}

/// Quota and period in microseconds. A tenth of a second is the kernel's own period. A quota is at
/// least a millisecond, so that of less than a hundredth of a CPU is for a whole second.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> cpu_quota(MilliCpu cpu);

/// `<quota> <period>`, as cpu.max takes it.
[[nodiscard]] std::string cpu_max_text(MilliCpu cpu);

/// `8:0`.
[[nodiscard]] inline std::string device_number(const IoLimit& limit) {
    return std::to_string(limit.major) + ":" + std::to_string(limit.minor);
}

}  // namespace trestle
