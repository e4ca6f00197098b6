// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts of blocks inside counts of blocks: two switches with one node each, four cores on each
// node.
//
// Layer: set. Main names: HierarchyLevel, find_in_hierarchy. The shape of OAR's resource requests
// (`-l /switch=2/nodes=1/core=4`), for simulators that keep to it; a Request asks Cluster for more.
// Pitfall: a block of the last level is had whole or not at all. To ask for parts of it, add a
// level of single members.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "trestle/base/contract.hpp"

namespace trestle {

/// Levels of one request at most.
inline constexpr std::size_t hierarchy_levels_max = 64;

/// A level and how many of its blocks are asked for in each block of the level above.
template <class Set>
struct HierarchyLevel {
    std::span<const Set> blocks;  ///< disjoint
    std::uint32_t count = 1;      ///< at least 1
};

/// The first blocks that serve, outermost level first, and what is taken of them: at each level the
/// first `count` in the order of `blocks`. A block of the last level serves when it has members and
/// all are available. A block of another level serves when the levels below find theirs in it.
/// Nothing when there are not enough somewhere. Where blocks of a level are disjoint, nothing means
/// that no choice is possible. Requires: 1 to hierarchy_levels_max levels, counts of at least 1.
/// Complexity: the product of the numbers of blocks, where all of them are looked at.
template <class Set>
[[nodiscard]] std::optional<Set> find_in_hierarchy(const Set& available,
                                                   std::span<const HierarchyLevel<Set>> levels) {
    TRESTLE_EXPECTS(!levels.empty() && levels.size() <= hierarchy_levels_max,
                    "there are levels, and not more than can be gone down");
    const HierarchyLevel<Set>& level = levels.front();
    TRESTLE_EXPECTS(level.count > 0, "a level asks for a block or more");
    const bool is_last = levels.size() == 1;
    Set taken;
    std::uint32_t found = 0;
    for (const Set& block : level.blocks) {
        std::optional<Set> part;
        if (!is_last) {
            part = find_in_hierarchy(available & block, levels.subspan(1));
        } else if (!block.is_empty() && available.contains_all(block)) {
            part = block;
        }
        if (!part) continue;
        taken |= *part;
        if (++found == level.count) return taken;
    }
    return std::nullopt;
}

}  // namespace trestle
