// SPDX-License-Identifier: Apache-2.0
#pragma once

// A decision as `scontrol show job -d` prints a job.
//
// Layer: dialect/slurm. Main names: show_job, cpu_count_of, task_count_of.
// Pitfall: NumCPUs is what the job is charged for, which may be more than it asked for and more
// than its tasks times CPUs/Task.

#include <string>

#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"

namespace trestle::slurm {

/// CPUs that the job is charged for, on all nodes; of a job that waits those it asks for.
[[nodiscard]] Count cpu_count_of(const Decision& decision);

/// Tasks on all nodes; of a job that waits those it asks for.
[[nodiscard]] Count task_count_of(const Decision& decision);

/// Lines of `KEY=VALUE` words, each with its end, in the order and with the words of the release:
/// what was asked, decided and given. Keys that speak of users, clocks, paths and the batch host
/// are left out, as are the conditions that are not checked here (--dependency, --begin). A key
/// whose option was not given has what Slurm prints for that: `(null)`, `*`, `N/A`. MinMemoryCPU=,
/// MinMemoryNode= or MinMemoryTRES= is what the job has to have in its partition, also by default.
/// Where a job has all of a node, that is MinMemoryNode=0; of 22.05 also where memory goes by GPU.
/// JobId is that of the owner; 0 before there is one. A refused job is none: the message alone.
[[nodiscard]] std::string show_job(const Decision& decision);

}  // namespace trestle::slurm
