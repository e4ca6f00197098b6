// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a group's own files tell of its use.
//
// Layer: os, private. Main function: observe_group.

#include "os/directory.hpp"
#include "trestle/enforce/process/usage.hpp"

namespace trestle::os::detail {

/// Whatever of a ResourceUsage the kernel tells here; a file that is not there, or may not be read,
/// leaves its part absent. Energy and GPUs are not the group's own.
[[nodiscard]] ResourceUsage observe_group(const GroupDirectory& group);

}  // namespace trestle::os::detail
