// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a plan cannot know of this machine: numbers of device files and folders, for one that goes
// to a container runtime.
//
// Layer: os. Main name: with_device_numbers. CgroupEnforcer looks by itself.
// Pitfall: the major numbers of some drivers differ from boot to boot. So look a plan up where and
// when it is handed over, not where it is made.

#include "trestle/base/status.hpp"
#include "trestle/enforce/plan.hpp"

namespace trestle::os {

/// The plan with the numbers that the files of its filter have now. A file that does not exist
/// keeps those that the plan has, or takes its driver's major number from /proc/devices; unknown
/// numbers stay unknown. Folders that do not exist are taken out. Errors: InvalidArgument for a
/// file that is no device of the kind; those of a file that is there but cannot be looked at.
[[nodiscard]] StatusOr<Plan> with_device_numbers(Plan plan);

}  // namespace trestle::os
