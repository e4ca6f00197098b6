// SPDX-License-Identifier: Apache-2.0
#pragma once

// Process settings as a plan prints them.
//
// Layer: enforce (private). Main function: settings_lines. Body: settings.cpp.

#include <string>
#include <vector>

#include "trestle/enforce/process/settings.hpp"

namespace trestle {

/// One setting a line, in the order in which they are set: `process nice 5`.
[[nodiscard]] std::vector<std::string> settings_lines(const ProcessSettings& settings);

}  // namespace trestle
