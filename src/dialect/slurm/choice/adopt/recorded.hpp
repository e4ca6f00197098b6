// SPDX-License-Identifier: Apache-2.0
#pragma once

// What recorded allocations of a slurmctld mean here: cores, devices, licences.
//
// Layer: dialect/slurm, inside. Main names: recorded_part, recorded_counts.

#include <span>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/print.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::slurm::choice {

/// Errors: those of Controller::adopt() for one node.
[[nodiscard]] StatusOr<NodePlacement> recorded_part(const Cluster& cluster, const NodeGrant& grant);

/// The licences that the job asks for; of `a|b` the first that are free.
[[nodiscard]] std::vector<ClusterCount> licenses_of(const Cluster& cluster,
                                                    const JobOptions& options);

/// What a job has of the cluster that has these licences and layered resources. Errors: those of
/// Controller::adopt() for licences.
[[nodiscard]] StatusOr<std::vector<ClusterCount>> recorded_counts(
    const Cluster& cluster, const SelectRules& rules, std::span<const ClusterCount> licenses,
    const Placement& placement);

}  // namespace trestle::slurm::choice
