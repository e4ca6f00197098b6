// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a share of a placement is taken of; a share of nothing breaks the contract.
//
// Layer: enforce.

#include "trestle/base/contract.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

[[nodiscard]] inline const Device& device_of(const NodeShape& shape, const DeviceShare& share) {
    TRESTLE_EXPECTS(share.device.value() < shape.devices.size(), "the device exists on this node");
    return shape.devices[share.device.value()];
}

[[nodiscard]] inline const MemoryDomain& domain_of(const NodeShape& shape,
                                                   const MemoryShare& share) {
    TRESTLE_EXPECTS(share.domain.value() < shape.memory.size(), "the domain exists on this node");
    return shape.memory[share.domain.value()];
}

}  // namespace trestle::detail
