// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers of nodes that a job may have, as jobs of one number each.
//
// Layer: dialect/slurm, inside. Main function: sizes_of.

#include <vector>

#include "../job.hpp"
#include "trestle/dialect/slurm/conf/parameters.hpp"

namespace trestle::slurm::choice {

struct UnitTable;

/// A job for each number of nodes of its list, the largest first; of a range that -N says, in units
/// of the network with TopoMaxSizeUnroll, for its numbers. Else the job itself. Empty: the range has
/// more numbers than TopoMaxSizeUnroll allows.
[[nodiscard]] std::vector<ChoiceJob> sizes_of(const ChoiceJob& job,
                                              const TopologyParameters& topology,
                                              const UnitTable* units);

}  // namespace trestle::slurm::choice
