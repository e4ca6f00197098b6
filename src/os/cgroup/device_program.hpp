// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device filters on this machine: files looked up, the program loaded and attached.
//
// Layer: os, private. Main names: looked_up, load_filter, filter_drift, can_load_filters.

#include <optional>

#include "group_directory.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/drift.hpp"
#include "trestle/os/kernel.hpp"

namespace trestle::os::detail {

/// The list with the numbers that the files have now. A file that does not exist keeps the numbers
/// that the list has, or takes its driver's major number from /proc/devices.
/// Errors: InvalidArgument for a file that is no device of the kind.
[[nodiscard]] StatusOr<DeviceAllowList> looked_up(DeviceAllowList list,
                                                  Kernel& kernel = real_kernel());

/// Looks the files up, loads the program and attaches it to the group, beside those of the groups
/// above: all of them have to allow. A program that this function attached to the group before is
/// replaced: at no moment is there none, or both. The program lives as long as the group.
[[nodiscard]] Status load_filter(const GroupDirectory& group, const DeviceAllowList& list);

/// What is wrong with the program that load_filter(group, list) left there; nothing when it is
/// attached and decides as the list does now. The kernel compares: the list is loaded once more
/// (and let go), because the digest of a program, its tag, is not the same on all kernels.
/// Found `unknown` for who may not look, which takes CAP_SYS_ADMIN. Errors: NotFound when the group
/// has gone.
[[nodiscard]] StatusOr<std::optional<Drift>> filter_drift(const GroupDirectory& group,
                                                          const DeviceAllowList& list);

/// Ok when this process may load device programs.
[[nodiscard]] Status can_load_filters(Kernel& kernel = real_kernel());

}  // namespace trestle::os::detail
