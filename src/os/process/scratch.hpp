// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scratch directories: made for a group, and removed with all that a job put there.
//
// Layer: os, private. Main functions: make_scratch, remove_scratch, scratch_groups. Everything
// below the root is reached from descriptors, one name at a time, without following a link or
// entering a mount. Nothing is removed but what bears the mark of the enforcer's own: two enforcers
// may share a root.
// Pitfall: the depth of what a job left costs no descriptors and no stack. A directory inside is
// first moved up, so that never more than two levels are open.

#include <string>
#include <vector>

#include "scratch_marks.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/process/scratch.hpp"

namespace trestle::os::detail {

/// Makes the group's directory with mode 0700 and its owner. `root` is the enforcer's own.
/// Errors: FailedPrecondition where the directory's root is another, or another user may write in
/// it; InvalidArgument for a name that is not the group's; AlreadyExists, with any maker;
/// PermissionDenied for an owner that the embedder may not give files to. After an error there is
/// no directory more than before.
[[nodiscard]] Status make_scratch(const std::string& group, const Scratch::Directory& scratch,
                                  const ScratchRoot& root);

/// Ok when none of this enforcer's is left of the group. Errors: AlreadyExists that says so: a
/// group made beside it would take it along when it is removed; those of looking.
[[nodiscard]] Status check_no_scratch(const ScratchRoot& root, const std::string& group);

/// The groups whose directories the owner of the root made and that still exist, by name; none
/// where there is no root.
[[nodiscard]] StatusOr<std::vector<std::string>> scratch_groups(const ScratchRoot& root);

/// Removes the own directories of the group and the groups below; ok when there is none, or no
/// root. Those of others stay. Errors: FailedPrecondition where a file system is mounted inside,
/// DeadlineExceeded while a process keeps writing. They name what is left.
[[nodiscard]] Status remove_scratch(const ScratchRoot& root, const std::string& group,
                                    Seconds patience);

}  // namespace trestle::os::detail
