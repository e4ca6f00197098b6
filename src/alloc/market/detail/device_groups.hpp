// SPDX-License-Identifier: Apache-2.0
#pragma once

// Devices of one kind parted into equal groups, so that those of a group belong together.
//
// Layer: alloc, inside. Main function: group_devices. Groups are chosen exactly up to 16 devices:
// the most link strength inside groups, then the most pairs near to the same cores, then the lowest
// positions in the order of near cores. With more devices, or none linked or near, runs in that
// order.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/ids.hpp"
#include "trestle/model/node.hpp"

namespace trestle::detail {

/// The strength of the link between two devices; 0 without one. Complexity: logarithmic.
[[nodiscard]] std::uint32_t link_strength(const NodeShape& shape, DeviceId a, DeviceId b);

/// In the order of their lowest near core, so that neighbours fall together.
[[nodiscard]] std::vector<DeviceId> by_near_core(const NodeShape& shape,
                                                 std::vector<DeviceId> devices);

/// The search over all ways to part devices into groups, each set of devices looked at once.
class DeviceGrouping {
  public:
    static constexpr std::size_t device_limit = 16;

    /// Requires: at most device_limit devices; `size` divides their number.
    DeviceGrouping(const NodeShape& shape, const std::vector<DeviceId>& devices, std::size_t size);

    /// Positions in the list of devices, group by group, by the lowest of each.
    [[nodiscard]] std::vector<std::size_t> order();

  private:
    using Mask = std::uint32_t;

    /// Links first, nearness second.
    struct Score {
        std::uint64_t links = 0;
        std::uint64_t near = 0;

        Score& operator+=(const Score& other);
        friend auto operator<=>(const Score&, const Score&) = default;
    };
    struct Best {
        Score score;     ///< of all groups that the set is parted into
        Mask group = 0;  ///< the one with the lowest member
    };

    const Best& best_of(Mask left);

    struct Next {
        std::size_t position;
        std::size_t missing;  ///< devices of the group
    };

    /// Tries every way to fill the group from `next` on.
    void extend(Mask left, const Best& group, Next next, Best& best);

    std::size_t count_;
    std::size_t size_;
    std::vector<Score> bonds_;                 ///< row by row
    std::vector<std::optional<Best>> best_{};  ///< by the set of devices that are left
};

/// `devices` in an order whose runs of `size` are the groups. Requires: `size` divides their
/// number.
[[nodiscard]] std::vector<DeviceId> group_devices(const NodeShape& shape,
                                                  std::vector<DeviceId> devices, std::size_t size);

}  // namespace trestle::detail
