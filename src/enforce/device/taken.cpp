// SPDX-License-Identifier: Apache-2.0
#include "enforce/device/taken.hpp"

#include "trestle/base/contract.hpp"

namespace trestle {

namespace detail {

const Device& device_of(const NodeShape& shape, const DeviceShare& share) {
    TRESTLE_EXPECTS(share.device.value() < shape.devices.size(), "the device exists on this node");
    return shape.devices[share.device.value()];
}

const MemoryDomain& domain_of(const NodeShape& shape, const MemoryShare& share) {
    TRESTLE_EXPECTS(share.domain.value() < shape.memory.size(), "the domain exists on this node");
    return shape.memory[share.domain.value()];
}

}  // namespace detail

}  // namespace trestle
