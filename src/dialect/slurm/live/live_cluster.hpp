// SPDX-License-Identifier: Apache-2.0
#pragma once

// A controller in the state of a running one.
//
// Layer: dialect/slurm. Main names: AdoptedJob, LiveCluster, live_cluster.
// Pitfall: what the files say of nodes, devices and partitions is believed; the live state says
// which nodes take work and what the jobs have.

#include <cstdint>
#include <string>
#include <vector>

#include "live_state.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

/// A job that runs, and its owner here.
struct AdoptedJob {
    std::uint64_t id = 0;
    OwnerId owner;
    JobOptions options;  ///< its partition, and the licences that are counted
};

/// The cluster as it is.
struct LiveCluster {
    Controller controller;
    std::vector<AdoptedJob> jobs;       ///< by number
    std::vector<std::string> problems;  ///< what of the live state is not in it, a line each
};

/// Sets the states of nodes, and adopts every running job to its cores and devices. Nodes of which
/// the live state says nothing are as the files have them; that, unknown nodes and jobs that cannot
/// be adopted are problems. Errors: those of Controller::of().
[[nodiscard]] StatusOr<LiveCluster> live_cluster(ClusterReading reading, const LiveState& state,
                                                 Release release = default_release);

}  // namespace trestle::slurm
