// SPDX-License-Identifier: Apache-2.0
#pragma once

// The way back of an update that stopped half-way.
//
// Layer: enforce (private). Main function: steps_back. Body: plan_update.cpp.

#include <cstddef>
#include <vector>

#include "trestle/enforce/plan_update.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

/// The steps that take back the first `done` steps of the update, in order. Each of them leads
/// to a state that was there on the way, so no moment of the way back is looser either.
/// Requires: done <= update.steps.size().
[[nodiscard]] std::vector<Step> steps_back(const PlanUpdate& update, std::size_t done);

}  // namespace trestle
