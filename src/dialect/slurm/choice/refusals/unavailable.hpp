// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes of a partition that take no work, by what keeps them from it.
//
// Layer: dialect/slurm, inside. Main function: unavailable_nodes.

#include <string>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"

namespace trestle::slurm::choice {

/// `down: n[0-1]; drained: n3`; empty: all nodes of the partition take work. `has_class`: by class,
/// nodes of the partition are of it.
[[nodiscard]] std::string unavailable_nodes(const Cluster& cluster, const Partition& partition,
                                            const std::vector<bool>& has_class,
                                            const SelectRules& rules);

}  // namespace trestle::slurm::choice
