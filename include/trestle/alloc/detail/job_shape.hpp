// SPDX-License-Identifier: Apache-2.0
#pragma once

// The shape of a node on which nothing is but what a job has of it.
//
// Layer: alloc. Main function: detail::shape_with(shape, has, granted).
// A reader would get wrong: ids stay what they are; what the job lacks is the system's, empty or
// drained, not absent.

#include <cstddef>
#include <cstdint>
#include <span>

#include "trestle/alloc/holding.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

namespace detail {

/// Leaves of a device what a job has of it, `shares`.
inline void keep_shares(Device& device, std::span<const DeviceShare> shares) {
    device.is_drained = shares.empty();
    device.reserved_cores.clear();
    if (shares.empty()) return;
    if (!shares.front().slice) {
        device.shares = shares.front().shares;
        device.slicing.reset();
        return;
    }
    device.slicing->is_fixed = true;
    device.slicing->instances.clear();
    for (const DeviceShare& share : shares) device.slicing->instances.push_back(*share.slice);
}

/// `shape` with nothing but `has`, in the row and with the threads of each core that `granted`
/// says.
[[nodiscard]] inline NodeShape shape_with(NodeShape shape, const Holding& has,
                                          const NodePlacement& granted) {
    shape.system_cores = shape.hardware.all_cores() - has.cores_in(granted.row);
    const auto threads = static_cast<std::size_t>(granted.threads_per_core.value());
    for (Core& core : shape.hardware.cores) {
        if (threads > 0 && threads < core.threads.size()) core.threads.resize(threads);
    }
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        shape.memory[i].capacity = has.bytes_of(DomainId(i));
        shape.memory[i].reserved = {};
    }
    auto next = has.devices.begin();
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        const auto first = next;
        while (next != has.devices.end() && next->device == DeviceId(i)) ++next;
        keep_shares(shape.devices[i], {first, next});
    }
    return shape;
}

}  // namespace detail

}  // namespace trestle
