// SPDX-License-Identifier: Apache-2.0
#pragma once

// The label of a group: its owner's number, kept by the kernel with the directory of the group.
//
// Layer: os, private. Main names: write_label, read_label. An extended attribute of the directory,
// user.trestle.owner, which cgroup2 has since 5.7; it goes away with the group.
// Pitfall: a process that may write the directory may write the label, and so may a job that runs
// as root. It is read as untrusted text: it is a number, or there is none.

#include <optional>

#include "os/directory.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"

namespace trestle::os::detail {

/// Errors: as the kernel gives them.
[[nodiscard]] Status write_label(const GroupDirectory& group, OwnerId owner);

/// Nothing where there is no label, or one that is no number.
[[nodiscard]] std::optional<OwnerId> read_label(const GroupDirectory& group);

}  // namespace trestle::os::detail
