// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules of an allow-list when the numbers of its files are known.
//
// Layer: enforce (private). Main function: resolved_rules. Body: allow_list.cpp.

#include "trestle/base/status.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/device/device_rules.hpp"

namespace trestle {

/// All rules of the list, files turned into rules by their numbers. An optional file without
/// numbers is left out.
/// Errors: NotFound that names a required file without numbers.
[[nodiscard]] StatusOr<DeviceRules> resolved_rules(const DeviceAllowList& list);

}  // namespace trestle
