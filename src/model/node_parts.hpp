// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules by which make_node turns a description into parts of a shape.
//
// Layer: model. The inverse in src/testing/detail/description_of.cpp uses the same rules.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "trestle/model/node.hpp"
#include "trestle/model/node_builder.hpp"
#include "trestle/model/slices.hpp"

namespace trestle::detail {

/// The cores of each package, of all kinds.
[[nodiscard]] constexpr std::uint64_t cores_of_package(const NodeDescription& node) {
    return std::uint64_t{node.cores_per_package} + node.efficiency_cores_per_package;
}

/// The cores of part `i` of `parts` equal parts of the node.
[[nodiscard]] CoreSet part_of_cores(const NodeDescription& node, std::uint32_t i,
                                    std::uint32_t parts);

/// The cores near device `i` of `devices`; empty: near all cores.
[[nodiscard]] CoreSet cores_near(const NodeDescription& node,
                                 const NodeDescription::Devices& devices, std::uint32_t i);

/// True if devices `i` < `j` of `devices` are linked.
[[nodiscard]] bool are_linked(const NodeDescription::Devices& devices, std::uint32_t i,
                              std::uint32_t j);

/// The `count` lowest cores near device `i` that no device before it reserves; all that are left
/// when these are fewer.
[[nodiscard]] CoreSet cores_to_reserve(const NodeShape& shape, std::size_t i, std::uint32_t count);

/// How these devices can be sliced; nullopt for an empty or unknown geometry.
[[nodiscard]] std::optional<Slicing> slicing_of(const NodeDescription::Devices& devices);

}  // namespace trestle::detail
