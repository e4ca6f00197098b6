// SPDX-License-Identifier: Apache-2.0
#pragma once

// The GRES of a job by name and type, with what each option says about them.
//
// Layer: dialect/slurm, inside. Main names: GresTotal, gres_totals; resolve_gres, the checks.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {

/// One name and type.
struct GresTotal {
    std::string name;
    std::string type;
    std::optional<Count> job;
    std::optional<Count> node;
    std::optional<Count> socket;
    std::optional<Count> task;
};

/// In the order --gres, --gpus-per-node, --gpus, --gpus-per-socket, --gpus-per-task,
/// --tres-per-task.
[[nodiscard]] std::vector<GresTotal> gres_totals(const JobOptions& options);

/// The option that says how many devices a task has.
[[nodiscard]] std::string_view task_option(const JobOptions& options);
/// The option that says how many GPUs a node has.
[[nodiscard]] std::string_view node_option(const JobOptions& options);

/// The part of resolve() that is about GRES: ntasks, nodes and numbers per node and socket follow.
[[nodiscard]] Status resolve_gres(JobOptions& options);

}  // namespace trestle::slurm
