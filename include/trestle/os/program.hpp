// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a launcher wants to know of its own process before it starts another.
//
// Layer: os. Main names: current_environment, current_user, find_program.
// Pitfall: a Command inherits nothing, so a launcher that wants its own environment passed on says
// so with current_environment().

#include <string>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/process/user.hpp"

namespace trestle::os {

/// The variables of this process in their order; entries without `=` are passed over. Not for use
/// beside threads that change the environment.
[[nodiscard]] std::vector<EnvironmentVariable> current_environment();

/// This process as it is: its effective uid and gid, its supplementary groups, capabilities left as
/// they are, and no_new_privs. An embedder without rights may start processes as this user.
[[nodiscard]] ProcessUser current_user();

/// The file that the command's first word means along the PATH of its environment, as spawn will
/// find it from the command's directory. Errors: InvalidArgument for an empty command or first
/// word. NotFound when no regular file of that name may be executed. FailedPrecondition for a
/// variable of which only the digest is known.
[[nodiscard]] StatusOr<std::string> find_program(const Command& command);

}  // namespace trestle::os
