// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a node has left in sums and in masks, for quick refusals.
//
// Layer: alloc (private). Main names: FreeSums, sums_of, all_memory, untouched_devices.

#include <cstdint>

#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// What a node has left in sums.
struct FreeSums {
    MilliCpu milli_cpus;
    Bytes memory;                  ///< of the domains that memory is given from
    std::uint32_t cores = 0;       ///< that no owner has
    bool has_thousandths = false;  ///< of CPUs that are taken
};

/// `threads` is of the cores of the shape.
[[nodiscard]] FreeSums sums_of(const FreeState& state, const NodeShape& shape,
                               const ThreadCounts& threads);

/// Free bytes of all domains together.
[[nodiscard]] std::int64_t all_memory(const FreeState& state);

/// Devices that have a place in a mask: the first ones of a node.
inline constexpr std::uint32_t masked_devices = 64;

/// A bit for each of these of which no owner has a part, by DeviceId.
[[nodiscard]] std::uint64_t untouched_devices(const FreeState& state, const NodeShape& shape);

}  // namespace trestle
