// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device filters on this machine: files looked up, the program loaded and attached.
//
// Layer: os, private. Main names: looked_up, attach_filter, can_load_filters.

#include <string>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/device/device_filter.hpp"

namespace trestle::os::detail {

/// The list with the numbers that the files have now. A file that does not exist keeps the numbers
/// that the list has, or takes its driver's major number from /proc/devices.
/// Errors: InvalidArgument for a file that is no device of the kind.
[[nodiscard]] StatusOr<DeviceAllowList> looked_up(DeviceAllowList list);

/// Loads the program and attaches it to the group, beside those of the groups above: all of them
/// have to allow. The program lives as long as the group.
[[nodiscard]] Status attach_filter(int group_fd, const std::string& group_path,
                                   const std::vector<BpfInstruction>& program);

/// Ok when this process may load device programs.
[[nodiscard]] Status can_load_filters();

}  // namespace trestle::os::detail
