// SPDX-License-Identifier: Apache-2.0
#pragma once

// How Slurm's GRES are told from the devices that merge() makes of them.
//
// Layer: dialect/slurm, inside. Main names: parts_name, is_counter, is_explicit,
// socket_sets.

#include <algorithm>
#include <string_view>
#include <vector>

#include "../words.hpp"
#include "model/core_groups.hpp"
#include "trestle/dialect/slurm/conf/gres_conf.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"

namespace trestle::slurm {

/// Names what a device's shares are.
inline constexpr std::string_view parts_attribute = "shares";

/// The GRES that the shares of the device are: `shard`, or its own name for a bare number. Empty:
/// the device is given whole.
[[nodiscard]] inline std::string_view shares_name(const Device& device) {
    for (const Attribute& attribute : device.attributes) {
        if (attribute.name == parts_attribute) return attribute.value;
    }
    return {};
}

/// True for a bare number of a GRES.
[[nodiscard]] inline bool is_counter(const Device& device) {
    return words::same_word(shares_name(device), device.name);
}

/// The GRES of which the device gives parts: `shard`, `mps`; empty: of none.
[[nodiscard]] inline std::string_view parts_name(const Device& device) {
    return is_counter(device) ? std::string_view() : shares_name(device);
}

/// True for a device of which whole nodes come without, unless it is asked for (Flags=explicit).
[[nodiscard]] inline bool is_explicit(const Device& device) {
    return std::any_of(device.attributes.begin(), device.attributes.end(),
                       [](const Attribute& attribute) {
                           return attribute.name == trestle::to_text(GresFlag::explicit_only);
                       });
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
