// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lookahead: which of the jobs behind the reservation start together.
//
// Layer: alloc (detail). Main functions: put_best_set_first, best_set. Only numbers of nodes are
// looked at; each job is then asked for in its turn, as under EASY.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alloc/schedule/queue/pass.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

/// A job by numbers.
struct WeighedJob {
    std::int64_t nodes = 1;
    bool reaches_over = false;  ///< beyond the start of the reservation
};

/// Positions of the jobs that together take the most nodes, at most `free`, and of those that reach
/// over at most `extra`; of equal sets the one with the first job in which they differ. Requires:
/// each job takes a node. Complexity: jobs times free nodes.
[[nodiscard]] std::vector<std::size_t> best_set(std::span<const WeighedJob> jobs, std::int64_t free,
                                                std::int64_t extra);

/// True when jobs are weighed together.
[[nodiscard]] bool weighs_together(const Discipline& discipline);

/// Puts those of the best set among the first `most` positions in front of the others. Requires:
/// the pass has made its reservation.
void put_best_set_first(Pass& pass, std::span<const QueuedJob> queue,
                        std::span<std::size_t> positions, Count most);

}  // namespace trestle::detail
