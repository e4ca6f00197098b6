// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device filters on this machine: the program loaded, attached, replaced and found again.
//
// Layer: os, private. Main names: load_filter, own_filter, filter_tag, can_load_filters.
// Pitfall: a program is known as ours by its name alone, which the kernel keeps as long as the
// group; so a later process finds the filter of a dead one, and replaces it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../fd.hpp"
#include "os/directory.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/device/device_filter.hpp"
#include "trestle/os/kernel.hpp"

namespace trestle::os::detail {

/// Looks the files up, loads the program and attaches it to the group, beside those of the groups
/// above: all of them have to allow. The program lives as long as the group. One that was attached
/// so before is replaced in one go. The group is as it was after an error.
/// Errors: ResourceExhausted when the kernel takes no more programs; FailedPrecondition where
/// programs that are there already bear none beside or below them, or would stop to apply.
[[nodiscard]] Status load_filter(const GroupDirectory& group, const DeviceAllowList& list);

/// A filter that load_filter attached.
struct OwnFilter {
    std::uint32_t id = 0;
    std::string tag;  ///< 16 hex digits by which the kernel tells programs apart
    Fd fd;
};

/// The group's own; nothing when it has none. Errors: FailedPrecondition when it has several.
[[nodiscard]] StatusOr<std::optional<OwnFilter>> own_filter(const GroupDirectory& group);

/// The tag that the kernel gives to this program. It is loaded for that, not attached.
[[nodiscard]] StatusOr<std::string> filter_tag(Kernel& kernel,
                                               const std::vector<BpfInstruction>& program);

/// Ok when this process may load device programs.
[[nodiscard]] Status can_load_filters(Kernel& kernel = real_kernel());

}  // namespace trestle::os::detail
