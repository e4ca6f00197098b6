// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which neighbours on a ring: the rule of topology/ring over plain numbers.
//
// Layer: dialect/slurm, inside. Main types: RingPlace, RingNodes; main function: best_ring.
// Pitfall: the shortest free run that is long enough is searched first, its nodes are chosen after.

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

/// Neighbours that hold what is needed, exactly need.nodes of them: in the shortest run of free
/// nodes that is long enough, the first ring and the first start of equals; of its neighbours those
/// whose first stands first on the ring. Required nodes are all among them. Absent: there are none.
/// Requires: need.nodes > 0.
[[nodiscard]] std::optional<RingNodes> best_ring(const std::vector<std::vector<RingPlace>>& rings,
                                                 const UnitSupply& need);

}  // namespace trestle::slurm::choice
