// SPDX-License-Identifier: Apache-2.0
#pragma once

// Group names: what may be made below an enforcer's root.
//
// Layer: enforce. Main names: check_group_name, parent_group, is_below. Names come from embedders,
// often from user input, and end in a path; so they are checked before anything is planned.
// Pitfall: `/` separates levels (job, step, task); it is no escape out of the root, because no part
// starts with a dot and none is empty.

#include <string>
#include <string_view>

#include "trestle/base/status.hpp"

namespace trestle {

/// Ok for one to eight parts separated by `/`, each of 1 to 255 bytes without control characters. A
/// part starts neither with a dot (so none is `.` or `..`) nor with the prefix of the kernel's own
/// files (`memory.`, `cgroup.`). A later kernel may add a file of that very name.
/// Errors: InvalidArgument that says where and why.
[[nodiscard]] Status check_group_name(std::string_view group);

/// `job_42` for `job_42/step_0`; empty, which is the enforcer's root, for `job_42`.
[[nodiscard]] std::string parent_group(std::string_view group);

/// True for `group` itself and every group below it; all are below the root, which is empty.
[[nodiscard]] bool is_below(std::string_view name, std::string_view group);

}  // namespace trestle
