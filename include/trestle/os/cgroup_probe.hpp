// SPDX-License-Identifier: Apache-2.0
#pragma once

// What this machine offers for enforcement, as a value with the reason where it offers nothing.
//
// Layer: os. Main names: probe_cgroup, CgroupSupport. Nothing is changed by looking.
// Pitfall: a usable directory may still lack controllers. A plan that requires one of these fails
// with the reason, when it is made with `capabilities`, else when it is applied.

#include <string>

#include "trestle/base/fields.hpp"
#include "trestle/enforce/capabilities.hpp"
#include "trestle/os/kernel.hpp"

namespace trestle::os {

/// What can be enforced below one directory.
struct CgroupSupport {
    std::string directory;      ///< empty when none was found
    bool is_usable = false;     ///< groups can be made below the directory
    std::string reason;         ///< one line: why it is not usable; else empty
    Capabilities capabilities;  ///< of groups below a usable directory, for PlanOptions
    /// One line: what stands in the way of further controllers for the groups below, so that
    /// `capabilities` has only those that are handed down already. Empty: nothing does.
    std::string crowd = {};

    static constexpr auto fields(auto list) {
        return list(field("directory", &CgroupSupport::directory),
                    field("is_usable", &CgroupSupport::is_usable),
                    field("reason", &CgroupSupport::reason),
                    field("capabilities", &CgroupSupport::capabilities),
                    field("crowd", &CgroupSupport::crowd));
    }
    friend bool operator==(const CgroupSupport&, const CgroupSupport&) = default;
};

/// Looks at `directory`. Usable means: cgroup v2 with at least one controller that plans use,
/// mounted writable. This user may make groups, move processes and hand controllers down. A host is
/// not usable while cgroup v1 holds a controller that limits (/proc/cgroups), even where v2 has
/// another. `capabilities` stay empty for a directory that is not usable. A file that exists only
/// in groups below is looked up in the first of them. If there is none, the version of the kernel
/// decides.
[[nodiscard]] CgroupSupport probe_cgroup(const std::string& directory,
                                         Kernel& kernel = real_kernel());

/// Looks at the group that this process is in, so that what is limited there stays limited. At the
/// top of what is mounted where that does not show the group. Other processes in it are a `crowd`,
/// unless it is the kernel's own root. The kernel lets groups below have a controller only while
/// none is in the group itself.
[[nodiscard]] CgroupSupport probe_cgroup();

}  // namespace trestle::os
