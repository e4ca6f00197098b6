// SPDX-License-Identifier: Apache-2.0
#pragma once

// CPUs of a task, by either option that says them.
//
// Layer: dialect/slurm, inside. Main function: task_cpus.

#include <optional>

#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {

/// Of --tres-per-task=cpu=n or -c n, if one of them was said; they exclude each other.
[[nodiscard]] inline std::optional<Count> task_cpus(const JobOptions& options) {
    const bool is_tres = options.tres_per_task && options.tres_per_task->cpus;
    return is_tres ? options.tres_per_task->cpus : options.cpus_per_task;
}

}  // namespace trestle::slurm
