// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/score/amounts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "alloc/cluster/plain_commit.hpp"

namespace trestle {

namespace detail {

std::int64_t left_of(const NodeShape& shape, DeviceId id, const FreeState& free) {
    const Device& device = shape.devices[id.value()];
    std::int64_t left = thousandths(free.shares[id.value()], device.shares);
    if (free.held_slices.empty() || !device.slicing) return left;
    std::int64_t held = 0;
    for (const FreeState::HeldSlice& one : free.held_slices) {
        if (one.device == id) held += one.instance.size;
    }
    const std::int64_t slices = device.slicing->geometry.memory_slices;
    return held == 0 ? left : 1000 * (slices - held) / slices;
}

ScoreInput::Amounts amounts_of(const KnownClass& known, const std::vector<DeviceId>& devices,
                               const FreeState& free) {
    ScoreInput::Amounts amounts{free.free_milli_cpus(known.threads).value(), 0, {}};
    amounts.devices.reserve(devices.size());
    for (const DeviceId id : devices) {
        amounts.devices.push_back(left_of(*known.value.shape, id, free));
        amounts.all_devices += amounts.devices.back();
    }
    return amounts;
}

std::size_t position_of_first_alike(const std::vector<Device>& devices,
                                    const std::vector<DeviceId>& some, DeviceId id) {
    const auto at = std::find_if(some.begin(), some.end(), [&](DeviceId other) {
        Device like = devices[other.value()];
        like.index = devices[id.value()].index;
        like.uuid = devices[id.value()].uuid;
        like.files = devices[id.value()].files;
        return like == devices[id.value()];
    });
    return static_cast<std::size_t>(at - some.begin());
}

ClassAmounts class_amounts(const KnownClass& known, std::string_view name) {
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

void TakenAmounts::add(OfDevice one) {
    all_devices += one.thousandths;
    if (!devices.empty() && devices.back().at == one.at) {
        devices.back().thousandths += one.thousandths;
    } else {
        devices.push_back(one);
    }
}

std::optional<std::size_t> position_of(const ClassAmounts& scale, DeviceId device) {
    const auto at = std::lower_bound(scale.devices.begin(), scale.devices.end(), device);
    if (at == scale.devices.end() || *at != device) return std::nullopt;
    return static_cast<std::size_t>(at - scale.devices.begin());
}

TakenAmounts amounts_taken(const KnownClass& known, const ClassAmounts& scale,
                           const NodePlacement& placement) {
    TakenAmounts taken;
    taken.milli_cpus = (cpus(known.threads.of(placement.cores)) + placement.milli_cpus).value();
    taken.memory = placement.total_memory().value();
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

ScoreInput::Amounts amounts_after(ScoreInput::Amounts before, const TakenAmounts& taken) {
    before.milli_cpus -= taken.milli_cpus;
    before.all_devices -= taken.all_devices;
    for (const TakenAmounts::OfDevice& one : taken.devices) {
        before.devices[one.at] -= one.thousandths;
    }
    return before;
}

}  // namespace detail

}  // namespace trestle
