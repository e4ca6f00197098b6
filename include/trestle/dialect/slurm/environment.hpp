// SPDX-License-Identifier: Apache-2.0
#pragma once

// The SLURM_* variables that a job on one node sees.
//
// Layer: dialect/slurm. Main name: job_environment. Which devices a runtime shows
// (CUDA_VISIBLE_DEVICES and its kin) is the plan's business, not this one's.
// A reader would get wrong: SLURM_JOB_GPUS holds indexes among the node's GPUs, also where the
// device filter lets the job see fewer.

#include <cstdint>
#include <string>
#include <vector>

#include "trestle/enforce/process.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle::slurm {

/// SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_JOB_NUM_NODES, SLURM_NTASKS, SLURM_CPUS_PER_TASK,
/// SLURM_CPUS_ON_NODE, then SLURM_MEM_PER_NODE or SLURM_MEM_PER_CPU (MiB, when memory was asked
/// for) and, when GPUs were given, SLURM_JOB_GPUS and SLURM_GPUS_ON_NODE. In this order.
/// Requires: the placement is of this node. For jobs of one node.
[[nodiscard]] std::vector<EnvironmentVariable> job_environment(std::uint64_t job_id,
                                                               const Request& request,
                                                               const Node& node,
                                                               const NodePlacement& placement);

}  // namespace trestle::slurm
