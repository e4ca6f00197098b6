// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine that `run` and `limits` are about, and one job on one of its nodes.
//
// Layer: tool. Main names: MachineOptions, read_machine, Job, job_on.
// Pitfall: lines of slurm.conf may describe several nodes; they are a cluster of their own then.

#include <CLI/App.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/enforce/limits/limit_policy.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/end_policy.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle::tool {

/// Where the machine is described; all empty: this one.
struct MachineOptions {
    std::string machine;    ///< a file of hwloc XML
    std::string node_conf;  ///< lines of slurm.conf
    std::string gres_conf;  ///< lines of gres.conf, with node_conf
};

void add_machine_options(CLI::App& command, MachineOptions& options);

/// The nodes as a cluster. What of the files was not used is printed to standard error.
[[nodiscard]] StatusOr<Cluster> read_machine(const MachineOptions& options);

/// The options of sbatch in these words. Errors: InvalidArgument for what cannot be read, and for a
/// word that is no option: the options behind it would be a program's.
[[nodiscard]] StatusOr<slurm::ParsedOptions> options_alone(const std::vector<std::string>& words);

/// What srun's options ask of that cluster: `--mem=0` is all memory of its first node.
[[nodiscard]] Request request_on(const Cluster& cluster, const slurm::ParsedOptions& parsed);

/// What a job is given on one node.
struct Job {
    Node node;
    Request request;
    NodePlacement placement;
    LimitPolicy policy;
    Plan plan;
};

/// The job's part on the node at `index` of the placement. Errors: those of plan().
[[nodiscard]] StatusOr<Job> job_on(const Cluster& cluster, const Placement& placement,
                                   std::size_t index, const slurm::ParsedOptions& parsed,
                                   Requirement requirement);

}  // namespace trestle::tool
