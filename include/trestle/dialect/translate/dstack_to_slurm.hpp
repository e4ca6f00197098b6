// SPDX-License-Identifier: Apache-2.0
#pragma once

// A run of dstack as a batch script of Slurm.
//
// Layer: dialect/translate. Main function: to_slurm.
//
// | dstack                    | Slurm                                                       |
// |---------------------------|-------------------------------------------------------------|
// | nodes                     | --nodes, --ntasks-per-node=1 where there are several        |
// | cpu                       | --cpus-per-task: the lower end; nothing for 1..             |
// | memory                    | --mem: the lower end                                        |
// | gpu                       | --gres=gpu:name:count: the first name, the lower end;       |
// |                           | none for 0                                                  |
// | disk                      | --tmp: the lower end, unless it is dstack's own 100GB..     |
// | max_duration              | --time, in whole minutes                                    |
// | fleets                    | --partition                                                 |
// | retry                     | --requeue after interruptions; --no-requeue for none        |
// | env                       | --export=ALL,NAME=value                                     |
// | image                     | --container                                                 |
// | name, working_dir         | --job-name, --chdir                                         |
// | shell, commands           | #!, commands                                                |
//
// Everything else that was said is a Loss, and so is what a number leaves of a range.
// Pitfall: dstack runs the commands on each node, Slurm the script on the first one. Commands stay
// as they are; where there are several nodes, and where they use what only dstack knows, a note
// says so.

#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/slurm/script/batch_script.hpp"
#include "trestle/dialect/translate/loss.hpp"

namespace trestle::translate {

/// A batch script, and what of the run is not in it.
using ScriptTranslation = Translation<slurm::BatchScript>;

/// One component without a command. A GPU range that begins at 0 asks for none. Counts beyond what
/// an option can hold (2^31 - 1; of time, minutes) are lost.
/// Several commands become one that ends at the first that fails, as dstack runs them. The script
/// can always be printed by slurm::script_text; what no line of options holds is lost.
[[nodiscard]] ScriptTranslation to_slurm(const dstack::RunConfiguration& run);

}  // namespace trestle::translate
