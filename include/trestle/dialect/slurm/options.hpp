// SPDX-License-Identifier: Apache-2.0
#pragma once

// Resource options of srun, sbatch and salloc as a Request.
//
// Layer: dialect/slurm. Main name: parse_options. Known: --gres, --gpus (-G), --gpus-per-node,
// --ntasks (-n), --nodes (-N), --cpus-per-task (-c), --mem, --mem-per-cpu, --time (-t),
// --constraint (-C, plain names), --exclusive.
// A reader would get wrong: --gres counts per node, --gpus per job. Without --mem the request asks
// for no memory at all: there is no cluster here that could have a default.

#include <span>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/request.hpp"

namespace trestle::slurm {

/// What the options of srun, sbatch or salloc say.
struct ParsedOptions {
    Request request;
    std::vector<std::string> command;  ///< after `--`, or from the first word that is no option
    /// --mem=0 was given: all memory of each node. The request then accepts `0..` bytes, and it is
    /// the caller, who knows the node, that grants all of it.
    bool wants_all_memory = false;

    static constexpr auto fields() {
        return field_list(field("request", &ParsedOptions::request),
                          field("command", &ParsedOptions::command),
                          field("wants_all_memory", &ParsedOptions::wants_all_memory));
    }
    friend bool operator==(const ParsedOptions&, const ParsedOptions&) = default;
};

/// Reads `--x=v`, `--x v`, `-xv` and `-x v`; the last of a repeated option wins.
///
/// Without -N a job of n tasks accepts 1 to n nodes; with fewer tasks than nodes it takes as many
/// nodes as tasks, as srun does. Without -n there is one task a node.
///
/// Errors: InvalidArgument in one line that names the option, the offset in its value and what was
/// expected; for an unknown option the nearest known one; for two options that exclude each other
/// (--mem and --mem-per-cpu; GPUs by more than one of --gres, --gpus, --gpus-per-node) both.
[[nodiscard]] StatusOr<ParsedOptions> parse_options(std::span<const std::string> arguments);

}  // namespace trestle::slurm
