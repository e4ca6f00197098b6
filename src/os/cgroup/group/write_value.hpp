// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values written to the files of a group, and what the kernel made of them.
//
// Layer: os, private. Main names: write_value.

#include <string>

#include "directory.hpp"
#include "trestle/base/status.hpp"

namespace trestle::os::detail {

/// Writes the value; a list of CPUs or memory nodes is compared with what came of it (.effective),
/// and set back when that is less. A list of which nothing is there now is not even written: the
/// group would have all of its parent's meanwhile. Errors: FailedPrecondition where the kernel has
/// no such file or gives less; NotFound when the group has gone.
[[nodiscard]] Status write_value(const GroupDirectory& group, const std::string& file,
                                 const std::string& value);

}  // namespace trestle::os::detail
