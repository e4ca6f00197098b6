// SPDX-License-Identifier: Apache-2.0
#pragma once

// Devices of one kind parted into equal groups, so that those of a group belong together.
//
// Layer: alloc, inside. Main function: group_devices. Groups are chosen exactly up to 16 devices:
// the most link strength inside groups, then the most pairs near to the same cores, then the lowest
// positions in the order of near cores. With more devices, or none linked or near, runs in that
// order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/base/ids.hpp"
#include "trestle/model/node.hpp"

namespace trestle::detail {

/// The strength of the link between two devices; 0 without one. Complexity: logarithmic.
[[nodiscard]] inline std::uint32_t link_strength(const NodeShape& shape, DeviceId a, DeviceId b) {
    const auto [low, high] = std::minmax(a, b);
    const auto at = std::lower_bound(shape.links.begin(), shape.links.end(), std::pair(low, high),
                                     [](const DeviceLink& link, const auto& wanted) {
                                         return std::pair(link.a, link.b) < wanted;
                                     });
    return at != shape.links.end() && at->a == low && at->b == high ? at->strength : 0;
}

/// In the order of their lowest near core, so that neighbours fall together.
[[nodiscard]] inline std::vector<DeviceId> by_near_core(const NodeShape& shape,
                                                        std::vector<DeviceId> devices) {
    const auto key = [&](DeviceId device) {
        const auto near = shape.devices[device.value()].cores.first();
        return std::pair(near ? near->value() : 0, device);
    };
    std::sort(devices.begin(), devices.end(),
              [&](DeviceId a, DeviceId b) { return key(a) < key(b); });
    return devices;
}

/// The search over all ways to part devices into groups, each set of devices looked at once.
class DeviceGrouping {
  public:
    static constexpr std::size_t device_limit = 16;

    /// Requires: at most device_limit devices; `size` divides their number.
    DeviceGrouping(const NodeShape& shape, const std::vector<DeviceId>& devices, std::size_t size)
        : count_(devices.size()), size_(size), bonds_(count_ * count_) {
        for (std::size_t i = 0; i < count_; ++i) {
            for (std::size_t j = 0; j < count_; ++j) {
                if (i == j) continue;
                const bool is_near = shape.devices[devices[i].value()].cores ==
                                     shape.devices[devices[j].value()].cores;
                bonds_[i * count_ + j] = {link_strength(shape, devices[i], devices[j]),
                                          is_near ? 1u : 0u};
            }
        }
        best_.resize(std::size_t{1} << count_);
    }

    /// Positions in the list of devices, group by group, by the lowest of each.
    [[nodiscard]] std::vector<std::size_t> order() {
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

  private:
    using Mask = std::uint32_t;

    /// Links first, nearness second.
    struct Score {
        std::uint64_t links = 0;
        std::uint64_t near = 0;

        Score& operator+=(const Score& other) {
            links += other.links;
            near += other.near;
            return *this;
        }
        friend auto operator<=>(const Score&, const Score&) = default;
    };
    struct Best {
        Score score;     ///< of all groups that the set is parted into
        Mask group = 0;  ///< the one with the lowest member
    };

    const Best& best_of(Mask left) {
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

    struct Next {
        std::size_t position;
        std::size_t missing;  ///< devices of the group
    };

    /// Tries every way to fill the group from `next` on.
    void extend(Mask left, const Best& group, Next next, Best& best) {
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

    std::size_t count_;
    std::size_t size_;
    std::vector<Score> bonds_;                 ///< row by row
    std::vector<std::optional<Best>> best_{};  ///< by the set of devices that are left
};

/// `devices` in an order whose runs of `size` are the groups. Requires: `size` divides their
/// number.
[[nodiscard]] inline std::vector<DeviceId> group_devices(const NodeShape& shape,
                                                         std::vector<DeviceId> devices,
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

}  // namespace trestle::detail
