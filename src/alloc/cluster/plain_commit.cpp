// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/plain_commit.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace trestle {

namespace detail {

bool is_plain(const FreeState& free, const NodePlacement& placement) {
    return !placement.row && free.held_rows.empty() && free.held_slices.empty() &&
           std::none_of(placement.devices.begin(), placement.devices.end(),
                        [](const DeviceShare& share) { return share.slice.has_value(); });
}

bool can_take_memory(const FreeState& free, const NodePlacement& placement) {
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

bool can_take_devices(const FreeState& free, const NodePlacement& placement) {
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

bool can_take(const KnownClass& known, const FreeState& free, const NodePlacement& placement) {
    if (!free.cores.contains_all(placement.cores) || !can_take_memory(free, placement) ||
        !can_take_devices(free, placement)) {
        return false;
    }
    if (placement.milli_cpus.is_zero() && free.held_milli_cpus.is_zero()) return true;
    const MilliCpu left = free.free_milli_cpus(known.threads);
    const MilliCpu pinned = cpus(known.threads.of(placement.cores));
    return pinned <= left && placement.milli_cpus <= left - pinned;
}

void take(const KnownClass& known, FreeState& free, const NodePlacement& placement) {
    free.cores -= placement.cores;
    free.held_milli_cpus += placement.milli_cpus;
    for (const MemoryShare& share : placement.memory) {
        free.memory[share.domain.value()] -= share.bytes;
    }
    for (const DeviceShare& share : placement.devices) {
        if (known.unconsumed.contains(share.device)) continue;
        free.shares[share.device.value()] -= share.shares;
    }
    free.is_idle = false;
}

void give_back(const KnownClass& known, FreeState& free, const NodePlacement& placement) {
    free.cores |= placement.cores;
    free.held_milli_cpus -= placement.milli_cpus;
    for (const MemoryShare& share : placement.memory) {
        free.memory[share.domain.value()] += share.bytes;
    }
    for (const DeviceShare& share : placement.devices) {
        if (known.unconsumed.contains(share.device)) continue;
        free.shares[share.device.value()] += share.shares;
    }
}

std::uint64_t kind_of_job(std::size_t devices, bool takes_part) {
    if (takes_part) return 1;
    return devices == 0 ? 0 : std::uint64_t{1} << std::min<std::size_t>(devices, 63);
}

std::uint64_t kind_of(const KnownClass& known, const NodePlacement& placement) {
    const bool takes_part = std::any_of(
        placement.devices.begin(), placement.devices.end(), [&](const DeviceShare& share) {
            const Device& device = known.value.shape->devices[share.device.value()];
            return share.slice || share.shares != device.shares;
        });
    return kind_of_job(placement.devices.size(), takes_part);
}

}  // namespace detail

}  // namespace trestle
