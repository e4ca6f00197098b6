// SPDX-License-Identifier: Apache-2.0
#pragma once

// A limit written to its file of a group, and what the kernel made of it.
//
// Layer: os, private. Main names: set_limit.

#include "os/directory.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/limits/limit.hpp"

namespace trestle::os::detail {

/// Writes the limit; a list of CPUs or memory nodes is compared with what came of it (.effective),
/// and set back when that is less. A list of which nothing is there now is not even written: the
/// group would have all of its parent's meanwhile. Errors: FailedPrecondition where the kernel has
/// no such file or gives less; NotFound when the group has gone.
[[nodiscard]] Status set_limit(const GroupDirectory& group, const Limit& limit);

}  // namespace trestle::os::detail
