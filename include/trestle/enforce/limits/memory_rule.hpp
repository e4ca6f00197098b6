// SPDX-License-Identifier: Apache-2.0
#pragma once

// MemoryRule: memory that becomes limits by percentages and floors, as Slurm's cgroup.conf has it.
//
// Layer: enforce. Main types: MemoryRule, MemoryBounds; bounds_of does the arithmetic.
// A reader would get wrong: a rule may make a limit looser than what was granted; nothing else may.

#include <cstdint>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// The whole in parts per million, the unit of the parts in a MemoryRule.
inline constexpr std::int64_t whole_ppm = 1'000'000;

/// How memory becomes limits that are not simply it, in parts of it and of what the node has. Parts
/// are per million, one below 0 counts as 0; what they come to is rounded down.
struct MemoryRule {
    std::int64_t max_ppm = whole_ppm;        ///< of the memory: where the group has no more
    std::int64_t swap_ppm = 0;               ///< of the memory: swap beside that
    Bytes least = {};                        ///< no limit is lower, whatever the node has
    std::int64_t node_ppm = whole_ppm;       ///< of what the node has: the most memory
    std::int64_t node_swap_ppm = whole_ppm;  ///< of what the node has: the most swap, beside that
    /// Swap counts as memory: one limit for both, all of which may be memory.
    bool has_one_limit = false;

    static constexpr auto fields(auto list) {
        return list(field("max_ppm", &MemoryRule::max_ppm),
                    field("swap_ppm", &MemoryRule::swap_ppm), field("least", &MemoryRule::least),
                    field("node_ppm", &MemoryRule::node_ppm),
                    field("node_swap_ppm", &MemoryRule::node_swap_ppm),
                    field("has_one_limit", &MemoryRule::has_one_limit));
    }
    friend bool operator==(const MemoryRule&, const MemoryRule&) = default;
};

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
