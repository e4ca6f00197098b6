// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a share of a placement is taken of; a share of nothing breaks the contract.
//
// Layer: enforce.

#include "trestle/model/device.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

[[nodiscard]] const Device& device_of(const NodeShape& shape, const DeviceShare& share);

[[nodiscard]] const MemoryDomain& domain_of(const NodeShape& shape, const MemoryShare& share);

}  // namespace trestle::detail
