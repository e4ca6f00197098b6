// SPDX-License-Identifier: Apache-2.0
#pragma once

// How Slurm's GRES are recognised in the devices that merge() makes of them.
//
// Layer: dialect/slurm, inside. Main names: is_counter, part_kind, parts_name,
// socket_sets.

#include <algorithm>
#include <string_view>
#include <vector>

#include "../words.hpp"
#include "model/core_groups.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"

namespace trestle::slurm {

/// True for a bare number of a GRES.
[[nodiscard]] inline bool is_counter(const Device& device) {
    return device.share_kind == ShareKind::unit;
}

/// The kind of the parts that a GRES is: of `shard` or `mps`, in any case. Requires:
/// is_shared_gres(name).
[[nodiscard]] inline ShareKind part_kind(std::string_view name) {
    return words::same_word(name, "mps") ? ShareKind::mps : ShareKind::shard;
}

/// The GRES of which the device gives parts: `shard`, `mps`; empty: of none.
[[nodiscard]] inline std::string_view parts_name(const Device& device) {
    const bool is_cut =
        device.share_kind == ShareKind::shard || device.share_kind == ShareKind::mps;
    return is_cut ? trestle::to_text(device.share_kind) : std::string_view();
}

/// What Slurm calls sockets: packages, or what a configuration says instead.
[[nodiscard]] inline std::vector<CoreSet> socket_sets(const NodeShape& shape) {
    for (const HardwareLevel level :
         {HardwareLevel::package, HardwareLevel::numa, HardwareLevel::l3}) {
        const auto& groups = shape.hardware.groups;
        const bool is_there = std::any_of(groups.begin(), groups.end(),
                                          [&](const CoreGroup& one) { return one.level == level; });
        if (is_there) return core_groups(shape, level);
    }
    return {shape.hardware.all_cores()};
}

}  // namespace trestle::slurm
