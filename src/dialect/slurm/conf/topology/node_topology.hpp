// SPDX-License-Identifier: Apache-2.0
#pragma once

// Topology= of nodes and partitions against the topologies that there are.
//
// Layer: dialect/slurm, inside. Main functions: place_nodes, check_partitions.

#include "../cluster_builder.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"
#include "trestle/dialect/slurm/conf/topology_conf.hpp"

namespace trestle::slurm {

/// Puts nodes into the units that their lines name, beside what the topologies say: a switch by the
/// last of its path, a block, the end of a ring. A node that its topology has elsewhere is moved;
/// in tori nodes have places, and a line that names one is warned of. Requires: `names` are those
/// of the configuration. Errors: a topology or unit that does not exist, a path that is not the
/// switch's, a switch that holds switches, and a ring of more than 16 nodes; such a word of a line
/// moves nothing, but for the ring. Where topologies were lost, those that are not there are passed
/// over, and their units.
void place_nodes(const SlurmConf& conf, const NodeNames& names, const LostNames& lost,
                 TopologyConf& topology, BuildErrors& errors);

/// Errors: a partition whose topology does not exist, if none were lost.
void check_partitions(const SlurmConf& conf, const LostNames& lost, const TopologyConf& topology,
                      BuildErrors& errors);

}  // namespace trestle::slurm
