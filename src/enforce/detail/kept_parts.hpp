// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an update leaves as it is: the parts of a plan that cannot change while processes run.
//
// Layer: enforce. Main function: check_kept, for plan_update.
// Pitfall: it does not look at limits and filters, of which every pair has a way from one to the
// other.

#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle::detail {

/// True when a step of the plan does what this one does.
[[nodiscard]] bool does_same(const Plan& plan, const Step& step);

/// Ok when each step is one of those that make the plan's group.
[[nodiscard]] Status check_steps(const Plan& plan);

/// Errors: InvalidArgument that names what cannot change.
[[nodiscard]] Status check_kept(const Plan& from, const Plan& to);

}  // namespace trestle::detail
