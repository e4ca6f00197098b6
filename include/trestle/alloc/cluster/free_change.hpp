// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a placement takes from a node's free units, where no row and no instance is concerned.
//
// Layer: alloc. Main functions: is_plain, can_take, take, give_back. The short road of commit and
// release: what is free tells all that has to be known. Rows and instances, and the words of a
// refusal, need to know who has what: NodeUsage in alloc/fit/usage.hpp.
// A reader would get wrong: can_take says no to some placements that NodeUsage would take, and yes
// to none that it would not; give_back believes that the placement was taken.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "trestle/alloc/cluster/node_class.hpp"
#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// True when neither the placement nor the node knows of rows or instances.
[[nodiscard]] inline bool is_plain(const FreeState& free, const NodePlacement& placement) {
    return !placement.row && free.rows.empty() && free.slices.empty() &&
           std::none_of(placement.devices.begin(), placement.devices.end(),
                        [](const DeviceShare& share) { return share.slice.has_value(); });
}

[[nodiscard]] inline bool can_take_memory(const FreeState& free, const NodePlacement& placement) {
    const MemoryShare* lower = nullptr;
    for (const MemoryShare& share : placement.memory) {
        const bool rises = !lower || lower->domain < share.domain;
        if (!rises || share.domain.value() >= free.memory.size() || share.bytes.is_zero() ||
            free.memory[share.domain.value()] < share.bytes) {
            return false;
        }
        lower = &share;
    }
    return true;
}

[[nodiscard]] inline bool can_take_devices(const FreeState& free, const NodePlacement& placement) {
    const DeviceShare* lower = nullptr;
    for (const DeviceShare& share : placement.devices) {
        const bool rises = !lower || lower->device < share.device;
        if (!rises || share.device.value() >= free.shares.size() || share.shares.is_zero() ||
            free.shares[share.device.value()] < share.shares) {
            return false;
        }
        lower = &share;
    }
    return true;
}

/// True when all that the placement names is well formed and free. Requires: is_plain.
[[nodiscard]] inline bool can_take(const KnownClass& known, const FreeState& free,
                                   const NodePlacement& placement) {
    if (!free.cores.contains_all(placement.cores) || !can_take_memory(free, placement) ||
        !can_take_devices(free, placement)) {
        return false;
    }
    if (placement.milli_cpus.is_zero() && free.milli_cpus.is_zero()) return true;
    const MilliCpu left = free.free_milli_cpus(known.threads);
    const MilliCpu pinned = cpus(known.threads.of(placement.cores));
    return pinned <= left && placement.milli_cpus <= left - pinned;
}

/// Requires: can_take.
inline void take(const KnownClass& known, FreeState& free, const NodePlacement& placement) {
    free.cores -= placement.cores;
    free.milli_cpus += placement.milli_cpus;
    for (const MemoryShare& share : placement.memory) {
        free.memory[share.domain.value()] -= share.bytes;
    }
    for (const DeviceShare& share : placement.devices) {
        if (known.unconsumed.contains(share.device)) continue;
        free.shares[share.device.value()] -= share.shares;
    }
    free.is_idle = false;
}

/// Requires: is_plain, and that the placement was taken. Whether the node is idle now is for the
/// caller to say.
inline void give_back(const KnownClass& known, FreeState& free, const NodePlacement& placement) {
    free.cores |= placement.cores;
    free.milli_cpus -= placement.milli_cpus;
    for (const MemoryShare& share : placement.memory) {
        free.memory[share.domain.value()] += share.bytes;
    }
    for (const DeviceShare& share : placement.devices) {
        if (known.unconsumed.contains(share.device)) continue;
        free.shares[share.device.value()] += share.shares;
    }
}

/// The kind of job that so many devices make, whole ones or parts: see NodeStateData::kinds.
[[nodiscard]] inline std::uint64_t kind_of_job(std::size_t devices, bool takes_part) {
    if (takes_part) return 1;
    return devices == 0 ? 0 : std::uint64_t{1} << std::min<std::size_t>(devices, 63);
}

/// The same of the job that holds the placement on its node.
[[nodiscard]] inline std::uint64_t kind_of(const KnownClass& known,
                                           const NodePlacement& placement) {
    const bool takes_part = std::any_of(
        placement.devices.begin(), placement.devices.end(), [&](const DeviceShare& share) {
            const Device& device = known.value.shape->devices[share.device.value()];
            return share.slice || share.shares != device.shares;
        });
    return kind_of_job(placement.devices.size(), takes_part);
}

}  // namespace trestle::detail
