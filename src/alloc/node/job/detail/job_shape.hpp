// SPDX-License-Identifier: Apache-2.0
#pragma once

// The shape of a node on which nothing is but what a job has of it.
//
// Layer: alloc. Main function: detail::shape_with(shape, granted).
// Pitfall: ids stay what they are. What the job lacks is there still, as the system's cores, memory
// domains of no bytes and devices of another name. Links to these stay, so that devices lie on the
// island that they lay on.

#include <span>

#include "trestle/base/ids.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

namespace detail {

/// What a device is called that the job does not have; no request can mean it.
inline constexpr const char* absent_name = "(absent)";

/// Leaves of a device what the job has of it, `shares`.
void keep_shares(Device& device, std::span<const DeviceShare> shares);

/// `shape` with nothing but what is granted of it. Requires: the units exist.
[[nodiscard]] NodeShape shape_with(NodeShape shape, const NodePlacement& granted);

}  // namespace detail

}  // namespace trestle
