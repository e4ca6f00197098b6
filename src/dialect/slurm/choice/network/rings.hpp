// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which neighbours on a ring: the rule of topology/ring over plain numbers.
//
// Layer: dialect/slurm, inside. Main types: RingPlace, RingNodes, RingTie; main function:
// best_ring. Pitfall: free nodes of a ring count wherever they are, not those of the run that is
// chosen.

#include <cstddef>
#include <optional>
#include <vector>

#include "unit_supply.hpp"

namespace trestle::slurm::choice {

/// A node of a ring.
struct RingPlace {
    bool is_free = false;
    bool is_required = false;  ///< the job names it; then it is free too
    UnitSupply supply;
};

/// Neighbours on one ring: `count` of them from position `first` on, past the end to the start.
struct RingNodes {
    std::size_t ring = 0;
    std::size_t first = 0;
    std::size_t count = 0;
};

/// Which of the rings with equally many free nodes goes first.
enum class RingTie { first, last };

/// Neighbours that hold what is needed, exactly need.nodes of them: on the ring of the fewest free
/// nodes those whose first stands first. Required nodes are all among them. Absent: there are none.
/// Requires: need.nodes > 0.
[[nodiscard]] std::optional<RingNodes> best_ring(const std::vector<std::vector<RingPlace>>& rings,
                                                 const UnitSupply& need, RingTie tie);

}  // namespace trestle::slurm::choice
