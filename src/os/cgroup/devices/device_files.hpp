// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device files of an allow-list, looked up on this machine.
//
// Layer: os, private. Main names: resolve_device_numbers. The numbers of some drivers differ from
// boot to boot.

#include "trestle/base/status.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/os/kernel.hpp"

namespace trestle::os::detail {

/// The list with the numbers that the files have now. A file that does not exist keeps the numbers
/// that the list has, or takes its driver's major number from /proc/devices.
/// Errors: InvalidArgument for a file that is no device of the kind; those of a file that is there
/// but cannot be looked at.
[[nodiscard]] StatusOr<DeviceAllowList> resolve_device_numbers(DeviceAllowList list,
                                                               Kernel& kernel = real_kernel());

}  // namespace trestle::os::detail
