// SPDX-License-Identifier: Apache-2.0
#pragma once

// Job options that agree with each other, and what follows from them.
//
// Layer: dialect/slurm. Main function: resolve, with the verdict of Slurm's clients and of the
// checks that its controller makes before it looks at any node (gres.c, gres_job_state_validate).
// Pitfall: --gpus and --gpus-per-node may stand together: they say how many nodes. What needs the
// cluster is not checked: names of partitions, features and GRES, sizes of nodes.

#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {

/// Options without contradiction.
struct ResolvedOptions {
    JobOptions options;
    std::vector<std::string> warnings;  ///< what was changed although it was said
    /// The nodes before fewer tasks lowered them; absent: nothing did. Slurm goes back to them
    /// where counts of devices need so many.
    std::optional<NodeCounts> nodes_before;

    static constexpr auto fields(auto list) {
        return list(field("options", &ResolvedOptions::options),
                    field("warnings", &ResolvedOptions::warnings),
                    field("nodes_before", &ResolvedOptions::nodes_before));
    }
    friend bool operator==(const ResolvedOptions&, const ResolvedOptions&) = default;
};

/// Checks the options and writes into them what follows:
/// - nodes: at least those of the node list. The quotient of --gpus and --gpus-per-node (or
///   --gres=gpu). At most the GPUs of the job, if a number of nodes was given. With fewer tasks
///   than nodes: as many as tasks, with a warning, and the node list is cut to that many;
/// - ntasks: nodes times --ntasks-per-node. Nodes times the sockets, cores and threads of
///   --extra-node-info and its like. This holds for a single number of nodes, a node list, or one
///   node with -B. GPUs times --ntasks-per-gpu; --gpus by --gpus-per-task. One a node with
///   --gpus-per-task and a single number of nodes, unless there is --cpus-per-task;
/// - hint: none beside -B, --threads-per-core, --ntasks-per-core or --cpu-bind, with a warning;
/// - gpus: tasks by --ntasks-per-gpu, if no GPUs were requested;
/// - sockets_per_node, ntasks_per_node, ntasks_per_socket: quotients of GPUs per node, socket,
///   task.
///
/// Options that are resolved already do not change.
///
/// Errors, InvalidArgument that names the option or the two options:
/// - a count, a step or a time limit of 0, which the option's text cannot express. Those of
///   --core-spec, --thread-spec, memory, disk and the `%n` of --array may be 0;
/// - a number of nodes without a lower end;
/// - a pair that Slurm refuses: --mem and --mem-per-cpu, --exclusive and --oversubscribe, a node in
///   -w and -x, ...;
/// - numbers of GPUs that do not divide, exceed each other or lack what they are counted by;
/// - a GPU with and without type, GPUs beside mps or shard;
/// - memory per GPU without any GPU. CPUs per GPU have no effect then, as in Slurm 22.05;
/// - a segment that does not divide the nodes; --time-min above --time.
[[nodiscard]] StatusOr<ResolvedOptions> resolve(JobOptions options);

}  // namespace trestle::slurm
