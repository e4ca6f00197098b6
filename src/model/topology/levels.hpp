// SPDX-License-Identifier: Apache-2.0
#pragma once

// How high a switch stands, what is below it, and which blocks are aggregated.
//
// Layer: model. Main functions: nodes_below, heights_of, levels_of.

#include <cstdint>
#include <vector>

#include "trestle/base/units.hpp"
#include "trestle/model/topology/block.hpp"
#include "trestle/model/topology/tree.hpp"

namespace trestle {

/// Every node below the switch, at any depth. Requires: the switch exists. Complexity: linear in
/// the number of switches, times the set union.
[[nodiscard]] NodeSet nodes_below(const TreeTopology& tree, TreeTopology::SwitchId top);

/// How many switches lie on the longest way down from each: 0 for a leaf switch.
/// Requires: parents stand before children.
[[nodiscard]] std::vector<std::uint32_t> heights_of(const TreeTopology& tree);

namespace detail {
inline constexpr std::uint32_t block_level_max = 31;

/// The k for which size = base x 2^k; block_level_max + 1 when there is none.
[[nodiscard]] constexpr std::uint32_t block_level(Count size, Count base) {
    for (std::uint32_t k = 0; k <= block_level_max; ++k) {
        if (checked_mul(base, std::int64_t{1} << k) == size) return k;
    }
    return block_level_max + 1;
}
}  // namespace detail

/// The levels k of aggregated blocks of 2^k base blocks, rising, from 0 on: those of `sizes`, or
/// all up to the one that holds every block. Requires: check(topology) is ok.
[[nodiscard]] std::vector<std::uint32_t> levels_of(const BlockTopology& topology);

}  // namespace trestle
