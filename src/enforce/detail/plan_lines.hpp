// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines of a plan's text, which its differences have too.
//
// Layer: enforce (private). Main functions: shortfall_line, behind_filter_line. Bodies: plan.cpp.

#include <string>

#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

[[nodiscard]] std::string shortfall_line(const Shortfall& shortfall);

[[nodiscard]] std::string behind_filter_line(const EnvironmentVariable& variable);

}  // namespace trestle
