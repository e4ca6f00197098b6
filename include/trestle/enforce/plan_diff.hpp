// SPDX-License-Identifier: Apache-2.0
#pragma once

// plan_diff: how two plans differ, line by line, for people.
//
// Layer: enforce. Main function: plan_diff. What leads from one to the other, in a safe order, is
// plan_update.
// Pitfall: lines that both have are not shown, nor are numbers of steps. Secrets are digests here
// too.

#include <string>
#include <vector>

#include "trestle/enforce/plan.hpp"

namespace trestle {

/// How `to` differs from `from`: `- line` for each line that only `from` has, `+ line` for each
/// that only `to` has. The fields come in order: owner, group, steps, process settings, devices,
/// how the job is ended and all else that a plan carries. Where a field prints alike and is not,
/// all of it is printed. Empty for equal plans.
[[nodiscard]] std::vector<std::string> plan_diff(const Plan& from, const Plan& to);

}  // namespace trestle
