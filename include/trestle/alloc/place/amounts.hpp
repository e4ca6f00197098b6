// SPDX-License-Identifier: Apache-2.0
#pragma once

// What nodes have and have left, in the numbers that policies reckon with.
//
// Layer: alloc. Main types: ClassAmounts, TakenAmounts; amounts_of, amounts_after. CPUs in
// thousandths of hardware threads, devices of one name in thousandths of a device.
// A reader would get wrong: a device with held instances has as many thousandths left as memory
// slices that nobody has; one that is not consumed does not count.

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trestle/alloc/cluster/free_change.hpp"
#include "trestle/alloc/cluster/node_class.hpp"
#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/alloc/place/policy.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// The devices of a class that count, and what an idle node of it has.
struct ClassAmounts {
    std::vector<DeviceId> devices;
    /// Of each, the position of the first that is like it but for its number.
    std::vector<std::size_t> first_alike;
    NodeAmounts idle;
};

[[nodiscard]] inline std::int64_t thousandths(Count part, Count whole) {
    return 1000 * part.value() / whole.value();
}

/// Thousandths of a device that are left.
[[nodiscard]] inline std::int64_t left_of(const NodeShape& shape, DeviceId id,
                                          const FreeState& free) {
    const Device& device = shape.devices[id.value()];
    std::int64_t left = thousandths(free.shares[id.value()], device.shares);
    if (free.slices.empty() || !device.slicing) return left;
    std::int64_t held = 0;
    for (const HeldSlice& one : free.slices) {
        if (one.device == id) held += one.instance.size;
    }
    const std::int64_t slices = device.slicing->geometry.memory_slices;
    return held == 0 ? left : 1000 * (slices - held) / slices;
}

[[nodiscard]] inline NodeAmounts amounts_of(const KnownClass& known,
                                            const std::vector<DeviceId>& devices,
                                            const FreeState& free) {
    NodeAmounts amounts{free.free_milli_cpus(known.threads).value(), 0, {}};
    amounts.devices.reserve(devices.size());
    for (const DeviceId id : devices) {
        amounts.devices.push_back(left_of(*known.value.shape, id, free));
        amounts.all_devices += amounts.devices.back();
    }
    return amounts;
}

/// The position in `some` of the first device that is like `id` but for its number.
[[nodiscard]] inline std::size_t position_of_first_alike(const std::vector<Device>& devices,
                                                         const std::vector<DeviceId>& some,
                                                         DeviceId id) {
    const auto at = std::find_if(some.begin(), some.end(), [&](DeviceId other) {
        Device like = devices[other.value()];
        like.index = devices[id.value()].index;
        like.uuid = devices[id.value()].uuid;
        like.files = devices[id.value()].files;
        return like == devices[id.value()];
    });
    return static_cast<std::size_t>(at - some.begin());
}

[[nodiscard]] inline ClassAmounts class_amounts(const KnownClass& known, std::string_view name) {
    ClassAmounts result;
    const auto& devices = known.value.shape->devices;
    for (std::uint32_t i = 0; i < devices.size(); ++i) {
        if (devices[i].name == name && devices[i].is_consumed) result.devices.emplace_back(i);
    }
    for (const DeviceId id : result.devices) {
        result.first_alike.push_back(position_of_first_alike(devices, result.devices, id));
    }
    result.idle = amounts_of(known, result.devices, known.idle);
    return result;
}

/// What a placement takes of a node, and the kind of job that it makes there.
struct TakenAmounts {
    struct OfDevice {
        std::size_t at = 0;  ///< position among ClassAmounts::devices
        std::int64_t thousandths = 0;
    };

    std::int64_t milli_cpus = 0;
    std::int64_t all_devices = 0;  ///< thousandths, all together
    absl::InlinedVector<OfDevice, 8> devices{};
    std::uint64_t kind = 0;  ///< see NodeStateData::kinds

    /// Each device is listed once, whatever is taken of it. Requires: none that comes before the
    /// last one.
    void add(OfDevice one) {
        all_devices += one.thousandths;
        if (!devices.empty() && devices.back().at == one.at) {
            devices.back().thousandths += one.thousandths;
        } else {
            devices.push_back(one);
        }
    }
};

/// The position of a device among those that count, or nothing.
[[nodiscard]] inline std::optional<std::size_t> position_of(const ClassAmounts& scale,
                                                            DeviceId device) {
    const auto at = std::lower_bound(scale.devices.begin(), scale.devices.end(), device);
    if (at == scale.devices.end() || *at != device) return std::nullopt;
    return static_cast<std::size_t>(at - scale.devices.begin());
}

[[nodiscard]] inline TakenAmounts amounts_taken(const KnownClass& known, const ClassAmounts& scale,
                                                const NodePlacement& placement) {
    TakenAmounts taken;
    taken.milli_cpus = (cpus(known.threads.of(placement.cores)) + placement.milli_cpus).value();
    for (const DeviceShare& share : placement.devices) {
        const auto at = position_of(scale, share.device);
        if (!at) continue;
        const Device& device = known.value.shape->devices[share.device.value()];
        taken.add({*at, share.slice ? 1000 * std::int64_t{share.slice->size} /
                                          std::int64_t{device.slicing->geometry.memory_slices}
                                    : thousandths(share.shares, device.shares)});
    }
    taken.kind = kind_of(known, placement);
    return taken;
}

/// What is left when so much has been taken.
[[nodiscard]] inline NodeAmounts amounts_after(NodeAmounts before, const TakenAmounts& taken) {
    before.milli_cpus -= taken.milli_cpus;
    before.all_devices -= taken.all_devices;
    for (const TakenAmounts::OfDevice& one : taken.devices) {
        before.devices[one.at] -= one.thousandths;
    }
    return before;
}

}  // namespace trestle::detail
