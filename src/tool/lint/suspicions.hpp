// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands in Slurm's configuration without a mistake, and is probably not what was meant.
//
// Layer: tool. Main names: suspicions_of, release_findings_of; both functions of what was read.
// Pitfall: each kind is found once a line of the file, however many nodes the line names.

#include <vector>

#include "findings.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::tool {

/// - GPUs that no line of gres.conf describes, or describes without File;
/// - GPUs without Cores on a node of several sockets;
/// - partitions that no job can use: no nodes, all of them down, State, MinNodes above the nodes;
/// - GPU nodes that come before or beside others of their partition by Weight, so that jobs without
///   GPUs fill them first;
/// - memory that is not counted (SelectTypeParameters without _Memory).
[[nodiscard]] std::vector<Finding> suspicions_of(const slurm::ClusterReading& reading);

/// Keys of slurm.conf with which that release does not start.
[[nodiscard]] std::vector<Finding> release_findings_of(const slurm::SlurmConf& conf,
                                                       slurm::Release release);

}  // namespace trestle::tool
