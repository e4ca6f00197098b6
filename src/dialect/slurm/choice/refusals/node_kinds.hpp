// SPDX-License-Identifier: Apache-2.0
#pragma once

// The nodes of a partition by what they have for a job, for words of refusals.
//
// Layer: dialect/slurm, inside. Main function: kinds_of. ask_nodes() finds the nodes that take
// part; this finds all of them, with what keeps them from it.

#include <deque>
#include <span>
#include <vector>

#include "../nodes/ask_nodes.hpp"
#include "refusal.hpp"

namespace trestle::slurm::choice {

/// A node that the job may not have now.
struct ClosedPlace {
    Place place = 0;
    Barrier barrier = Barrier::none;
};

/// What kinds_of() looks at beside the nodes that are asked.
struct KindQuestion {
    const ChoiceJob& job;
    const ClusterParameters& parameters;
    NamedPlaces named;
    std::span<const ClosedPlace> closed;  ///< rising
    std::uint32_t first_row = 0;          ///< of cores that the job may share
    std::uint32_t rows = 0;
};

/// The kinds in the order of their first nodes. `rooms` keeps what is no state's, and outlives the
/// kinds.
[[nodiscard]] std::vector<NodeKind> kinds_of(const Asked& asked, Use use,
                                             const KindQuestion& question,
                                             std::deque<NodeRoom>& rooms);

}  // namespace trestle::slurm::choice
