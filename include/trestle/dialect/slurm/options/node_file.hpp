// SPDX-License-Identifier: Apache-2.0
#pragma once

// The file of node names that -F, or -w with a slash, names.
//
// Layer: dialect/slurm. Main functions: read_node_file, with_node_file, tasks_in_list_order.

#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {

/// The names of such a file in their order, as often as they stand there. Lists stand between
/// blanks, commas and line ends, each with `*3` behind it for three times the list. `#` begins a
/// comment. At most a million names. Errors: InvalidArgument with file and line.
[[nodiscard]] StatusOr<Hostlist> read_node_file(std::string_view file, std::string_view text);

/// The options with the file's names as their node list, which takes the place of another; as they
/// are where they name no file. With --distribution=arbitrary and no -n there are as many tasks as
/// names. Of more names than tasks the first ones are kept. Else each name is once in the list.
/// Errors: NotFound for a file that `files` does not have; those of read_node_file().
[[nodiscard]] StatusOr<JobOptions> with_node_file(JobOptions options, const ConfFiles& files);

/// By task: the node that --distribution=arbitrary puts it on, the list's names in their order.
/// Errors: InvalidArgument without that option or a node list, and for more tasks than names.
[[nodiscard]] StatusOr<std::vector<std::string>> tasks_in_list_order(const JobOptions& options);

}  // namespace trestle::slurm
