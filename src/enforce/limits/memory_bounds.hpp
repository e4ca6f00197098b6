// SPDX-License-Identifier: Apache-2.0
#pragma once

// MemoryBounds: what a MemoryRule makes of so much memory.
//
// Layer: enforce (private). Main names: MemoryBounds, bounds_of. Bodies: memory_rule.cpp.

#include <cstdint>

#include "trestle/base/units.hpp"
#include "trestle/enforce/limits/memory_rule.hpp"

namespace trestle {

/// What a rule comes to.
struct MemoryBounds {
    Bytes max;   ///< over it the group dies
    Bytes high;  ///< over it the group is slowed down; max at most
    Bytes swap;  ///< beside max
};

namespace detail {

/// A part of the whole, saturating; one below 0 is nothing.
[[nodiscard]] Bytes part_of(Bytes whole, std::int64_t ppm);

}  // namespace detail

/// The limits of so much memory on a node that has `node_memory`. max: the memory x max_ppm;
/// high: the memory itself, as far as max lets it; swap: what the memory x swap_ppm adds to
/// max. All between `least`, which wins, and the node's parts.
[[nodiscard]] MemoryBounds bounds_of(const MemoryRule& rule, Bytes memory, Bytes node_memory);

}  // namespace trestle
