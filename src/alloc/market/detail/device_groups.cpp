// SPDX-License-Identifier: Apache-2.0
#include "alloc/market/detail/device_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace trestle {

namespace detail {

std::uint32_t link_strength(const NodeShape& shape, DeviceId a, DeviceId b) {
    const auto [low, high] = std::minmax(a, b);
    const auto at = std::lower_bound(shape.links.begin(), shape.links.end(), std::pair(low, high),
                                     [](const DeviceLink& link, const auto& wanted) {
                                         return std::pair(link.a, link.b) < wanted;
                                     });
    return at != shape.links.end() && at->a == low && at->b == high ? at->strength : 0;
}

std::vector<DeviceId> by_near_core(const NodeShape& shape, std::vector<DeviceId> devices) {
    const auto key = [&](DeviceId device) {
        const auto near = shape.devices[device.value()].cores.first();
        return std::pair(near ? near->value() : 0, device);
    };
    std::sort(devices.begin(), devices.end(),
              [&](DeviceId a, DeviceId b) { return key(a) < key(b); });
    return devices;
}

DeviceGrouping::DeviceGrouping(const NodeShape& shape, const std::vector<DeviceId>& devices,
                               std::size_t size)
    : count_(devices.size()), size_(size), bonds_(count_ * count_) {
    for (std::size_t i = 0; i < count_; ++i) {
        for (std::size_t j = 0; j < count_; ++j) {
            if (i == j) continue;
            const bool is_near =
                shape.devices[devices[i].value()].cores == shape.devices[devices[j].value()].cores;
            bonds_[i * count_ + j] = {link_strength(shape, devices[i], devices[j]),
                                      is_near ? 1u : 0u};
        }
    }
    best_.resize(std::size_t{1} << count_);
}

std::vector<std::size_t> DeviceGrouping::order() {
    const Mask all = static_cast<Mask>((std::size_t{1} << count_) - 1);
    std::vector<std::size_t> positions;
    for (Mask left = all; left != 0;) {
        const Mask group = best_of(left).group;
        for (std::size_t i = 0; i < count_; ++i) {
            if ((group >> i & 1u) != 0) positions.push_back(i);
        }
        left &= ~group;
    }
    return positions;
}

DeviceGrouping::Score& DeviceGrouping::Score::operator+=(const Score& other) {
    links += other.links;
    near += other.near;
    return *this;
}

const DeviceGrouping::Best& DeviceGrouping::best_of(Mask left) {
    std::optional<Best>& slot = best_[left];
    if (!slot) {
        Best best;
        std::size_t lowest = 0;
        while ((left >> lowest & 1u) == 0) ++lowest;
        extend(left, {{}, Mask{1} << lowest}, {lowest + 1, size_ - 1}, best);
        slot = best;
    }
    return *slot;
}

void DeviceGrouping::extend(Mask left, const Best& group, Next next, Best& best) {
    if (next.missing == 0) {
        Score score = group.score;
        const Mask rest = left & ~group.group;
        if (rest != 0) score += best_of(rest).score;
        if (best.group == 0 || score > best.score) best = {score, group.group};
        return;
    }
    for (std::size_t i = next.position; i < count_; ++i) {
        if ((left >> i & 1u) == 0) continue;
        Best wider{group.score, group.group | Mask{1} << i};
        for (std::size_t j = 0; j < i; ++j) {
            if ((group.group >> j & 1u) != 0) wider.score += bonds_[i * count_ + j];
        }
        extend(left, wider, {i + 1, next.missing - 1}, best);
    }
}

std::vector<DeviceId> group_devices(const NodeShape& shape, std::vector<DeviceId> devices,
                                    std::size_t size) {
    devices = by_near_core(shape, std::move(devices));
    const bool is_choice = size > 1 && size < devices.size();
    if (!is_choice || devices.size() > DeviceGrouping::device_limit) return devices;
    std::vector<DeviceId> grouped;
    for (const std::size_t position : DeviceGrouping(shape, devices, size).order()) {
        grouped.push_back(devices[position]);
    }
    return grouped;
}

}  // namespace detail

}  // namespace trestle
