// SPDX-License-Identifier: Apache-2.0
#pragma once

// MemoryRule: memory that becomes limits by percentages and floors, as Slurm's cgroup.conf has it.
//
// Layer: enforce. Main type: MemoryRule.
// Pitfall: a rule may make a limit looser than what was granted; nothing else may.

#include <cstdint>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// How memory becomes limits that are parts of it and of what the node has. Parts are per million;
/// one below 0 counts as 0; results are rounded down. The group is killed above its limit (the
/// memory x max_ppm). Above the memory itself it is slowed down, if that is less than the limit. It
/// has the memory x swap_ppm as swap. All results lie between `least`, which wins, and the node's
/// parts.
struct MemoryRule {
    static constexpr std::int64_t whole_ppm = 1'000'000;  ///< all of it

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

}  // namespace trestle
