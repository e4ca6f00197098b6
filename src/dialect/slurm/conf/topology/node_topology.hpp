// SPDX-License-Identifier: Apache-2.0
#pragma once

// Topology= of nodes and partitions against the topologies that there are.
//
// Layer: dialect/slurm, inside. Main functions: place_nodes, check_partitions.

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"
#include "trestle/dialect/slurm/conf/topology_conf.hpp"

namespace trestle::slurm {

/// Puts nodes into the units that their lines name, beside what the topologies say: a switch by the
/// last of its path, a block, the end of a ring. A node that its topology has elsewhere is moved;
/// in tori nodes have places, and a line that names one is warned of. Requires: `names` are those
/// of the configuration. Errors: InvalidArgument with the line for a topology or unit that does
/// not exist, a path that is not the switch's, a switch that holds switches, and a ring of more
/// than 16 nodes.
[[nodiscard]] Status place_nodes(const SlurmConf& conf, const NodeNames& names,
                                 TopologyConf& topology);

/// Errors: InvalidArgument with the line for a partition whose topology does not exist.
[[nodiscard]] Status check_partitions(const SlurmConf& conf, const TopologyConf& topology);

}  // namespace trestle::slurm
