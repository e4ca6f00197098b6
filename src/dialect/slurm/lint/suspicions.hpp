// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands in Slurm's configuration without a mistake, and is probably not what was meant.
//
// Layer: dialect/slurm. Main name: suspicions_of, a function of what was read.
// Pitfall: each kind is found once a line of the file, however many nodes the line names.

#include <vector>

#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/lint/lint.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

/// - nodes that a slurmctld of the release drains (NodeFault), which is a warning;
/// - GPUs that gres.conf describes without File, or as another type;
/// - GPUs without Cores on a node of several sockets;
/// - partitions that no job can use: no nodes, all of them down, State, MinNodes above the nodes;
/// - GPU nodes that come before or beside others of their partition by Weight, so that jobs without
///   GPUs fill them first;
/// - memory that is not counted (SelectTypeParameters without _Memory).
[[nodiscard]] std::vector<Finding> suspicions_of(const ClusterReading& reading, Release release);

}  // namespace trestle::slurm
