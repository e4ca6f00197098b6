// SPDX-License-Identifier: Apache-2.0
#pragma once

// Features that a job names: those of --constraint and --prefer have to be features of some node,
// and those of --batch have to be among them.
//
// Layer: dialect/slurm, inside. Main function: check_features.

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/conf/parameters.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm::choice {

/// Errors: InvalidArgument for the first feature of --constraint or --prefer that no node of the
/// cluster has, whatever the partition, and for a --batch that Slurm does not find in them. With
/// NodeFeaturesPlugins any feature may be one that a plugin adds.
/// Complexity: the features of the kinds of nodes, and names of the job, times their logarithm.
[[nodiscard]] Status check_features(const JobOptions& options, const Cluster& cluster,
                                    const ClusterParameters& parameters);

}  // namespace trestle::slurm::choice
