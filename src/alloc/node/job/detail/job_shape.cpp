// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/job/detail/job_shape.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

#include "trestle/model/hardware.hpp"

namespace trestle {

namespace detail {

void keep_shares(Device& device, std::span<const DeviceShare> shares) {
    device.is_drained = false;
    device.reserved_cores.clear();
    if (!shares.front().slice) {
        device.shares = shares.front().shares;
        device.slicing.reset();
        return;
    }
    device.slicing->is_fixed = true;
    device.slicing->instances.clear();
    for (const DeviceShare& share : shares) device.slicing->instances.push_back(*share.slice);
}

NodeShape shape_with(NodeShape shape, const NodePlacement& granted) {
    shape.system_cores = shape.hardware.all_cores() - granted.cores;
    const auto threads = static_cast<std::size_t>(granted.threads_per_core.value());
    for (Core& core : shape.hardware.cores) {
        if (threads > 0 && threads < core.threads.size()) core.threads.resize(threads);
    }
    for (MemoryDomain& domain : shape.memory) domain.capacity = domain.reserved = {};
    for (const MemoryShare& share : granted.memory) {
        shape.memory[share.domain.value()].capacity = share.bytes;
    }
    auto next = granted.devices.begin();
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        const auto first = next;
        while (next != granted.devices.end() && next->device == DeviceId(i)) ++next;
        if (first != next) {
            keep_shares(shape.devices[i], {first, next});
        } else {
            shape.devices[i].name = absent_name;
            shape.devices[i].index = i;
            shape.devices[i].is_drained = true;
        }
    }
    return shape;
}

}  // namespace detail

}  // namespace trestle
