// SPDX-License-Identifier: Apache-2.0
#pragma once

// Variables that a plan takes out of the environment of its processes.
//
// Layer: enforce (private). Main functions: take_out, add_unset. Bodies: unset.cpp.

#include <string>
#include <vector>

#include "trestle/enforce/plan.hpp"

namespace trestle {

/// Adds `name` to the list, where it is not there.
void add_once(std::string name, std::vector<std::string>& names);

/// The plan without these variables, but for those in `own`, which check(plan.process) refuses.
void take_out(const std::vector<std::string>& names, const std::vector<EnvironmentVariable>& own,
              Plan& plan);

/// Leaves unset what PlanOptions::unset says, and the variables of the profiles that are not set.
void add_unset(const PlanOptions& options, Plan& plan);

}  // namespace trestle
