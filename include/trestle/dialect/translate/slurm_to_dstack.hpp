// SPDX-License-Identifier: Apache-2.0
#pragma once

// A job of Slurm as a task of dstack.
//
// Layer: dialect/translate. Main function: to_dstack.
//
// | Slurm                                       | dstack                                        |
// |---------------------------------------------|-----------------------------------------------|
// | --nodes, or what follows from --gpus        | nodes: 65,536 at most                         |
// | tasks a node by --cpus-per-task, --mincpus, | cpu                                           |
// | --cpus-per-gpu, cpu of --tres-per-task      |                                               |
// | --mem, --mem-per-cpu, --mem-per-gpu         | memory                                        |
// | --gres=gpu, --gpus, --gpus-per-*, GPUs of   | gpu: the type as known model (a100_80gb is    |
// | --tres-per-task, --ntasks-per-gpu           | A100:80GB), an exact count a node             |
// | --tmp                                       | disk                                          |
// | --time                                      | max_duration                                  |
// | --partition                                 | fleets                                        |
// | --requeue, --no-requeue                     | retry after interruptions, retry: false       |
// | --export=NAME=value                         | env                                           |
// | --container                                 | image                                         |
// | --job-name, --chdir                         | name, working_dir                             |
// | #!, commands, --wrap, the command           | shell without arguments, commands             |
//
// Everything else that was given is a Loss. What was not given is not asked: without --mem any
// memory does, while Slurm has a default of the partition's, which is not known here.
// Pitfall: commands stay as they are. Variables of Slurm in them, srun, scontrol and the like are
// noted, since no name of dstack's means quite the same. SLURM_PROCID counts tasks,
// DSTACK_NODE_RANK nodes. And dstack does not queue: a run fails when nothing is free, unless
// SlurmToDstack::queue_for says how long it is to wait.

#include <optional>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/dialect/slurm/script/batch_script.hpp"
#include "trestle/dialect/translate/loss.hpp"

namespace trestle::translate {

/// What Slurm does not say.
struct SlurmToDstack {
    /// What amounts of CPUs, memory and disk become. A node of Slurm's may have more, so `32GB..`
    /// is nearer than `32GB`.
    dstack::BareValue amounts = dstack::BareValue::minimum;
    std::optional<Seconds> queue_for;  ///< tries again so long when there is no capacity

    static constexpr auto fields(auto list) {
        return list(field("amounts", &SlurmToDstack::amounts),
                    field("queue_for", &SlurmToDstack::queue_for));
    }
    friend bool operator==(const SlurmToDstack&, const SlurmToDstack&) = default;
};

/// A task, and what of the job is not in it.
using TaskTranslation = Translation<dstack::RunConfiguration>;

/// The first component as a task; further ones are losses, and so is every option that the table
/// above does not name. Options are resolved first.
/// Errors: InvalidArgument of slurm::resolve, and for a script without any component.
/// Complexity: linear in the script.
[[nodiscard]] StatusOr<TaskTranslation> to_dstack(const slurm::BatchScript& script,
                                                  const SlurmToDstack& rules = {});

/// The same of options and a command without a script.
[[nodiscard]] StatusOr<TaskTranslation> to_dstack(const slurm::Submission& submission,
                                                  const SlurmToDstack& rules = {});

}  // namespace trestle::translate
