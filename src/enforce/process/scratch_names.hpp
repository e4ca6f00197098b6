// SPDX-License-Identifier: Apache-2.0
#pragma once

// How scratch directories are named, made of a wish, and shown to a job.
//
// Layer: enforce (private). Main functions: scratch_name, group_of_scratch_name, scratch_directory,
// scratch_environment. Bodies: scratch.cpp.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/process/scratch.hpp"
#include "trestle/enforce/process/user.hpp"

namespace trestle {

inline constexpr std::string_view scratch_separator = "%2f";  ///< in place of / in a group's name

/// The directory's name for a group: `job_42%2fstep_0`, with `%25` for `%`, so that no two groups
/// have one directory.
[[nodiscard]] std::string scratch_name(std::string_view group);

/// The group of a directory: what scratch_name made into `name`.
[[nodiscard]] std::string group_of_scratch_name(std::string_view name);

/// The directory for `group`, of `user` where there is one. Requires: the group's name is good.
/// Errors: InvalidArgument for a root that is not absolute, and where the name is too long.
[[nodiscard]] StatusOr<Scratch::Directory> scratch_directory(
    const Scratch& scratch, const std::string& group, const std::optional<ProcessUser>& user);

/// The variables that name the directory; they are no secrets.
[[nodiscard]] std::vector<EnvironmentVariable> scratch_environment(
    const Scratch& scratch, const Scratch::Directory& directory);

}  // namespace trestle
