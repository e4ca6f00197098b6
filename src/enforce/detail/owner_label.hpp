// SPDX-License-Identifier: Apache-2.0
#pragma once

// The label of a group, as a plan leaves it there.
//
// Layer: enforce (private). Main function: owner_of_label. Body: enforcer.cpp.

#include <optional>
#include <string_view>

#include "trestle/base/ids.hpp"

namespace trestle {

/// The owner that a label names: digits only, as to_text of a number gives them. Absent for any
/// other text.
[[nodiscard]] std::optional<OwnerId> owner_of_label(std::string_view label);

}  // namespace trestle
