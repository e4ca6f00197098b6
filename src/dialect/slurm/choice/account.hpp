// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a job counts as and what clients of Slurm show of it, once it has a partition.
//
// Layer: dialect/slurm. Main names: asked_tres, client_view.

#include <span>
#include <string>
#include <vector>

#include "job.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/dialect/slurm/choice/client_view.hpp"
#include "trestle/dialect/slurm/choice/job_tres.hpp"

namespace trestle::slurm::choice {

/// What the job in its partition asks for at least: what is not said is a task, a node, the default
/// memory; all memory of a node is `node_memory`. Types count where they are named.
[[nodiscard]] TresCounts asked_tres(const ChoiceJob& job, Number node_memory,
                                    const std::vector<ClusterCount>& licenses,
                                    const TresRules& rules);

/// What clients show of the job in its partition, and of its grants, if it has any.
[[nodiscard]] ClientView client_view(const Cluster& cluster, std::span<const NodeGrant> grants,
                                     const JobOptions& resolved, const ChoiceJob& job,
                                     const PartitionLine& partition, const SelectParameters& select,
                                     Release release);

}  // namespace trestle::slurm::choice
