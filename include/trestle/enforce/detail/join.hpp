// SPDX-License-Identifier: Apache-2.0
#pragma once

// join: words with a separator between them, without the cost of fmt/format.h.
//
// Layer: enforce.

#include <string>
#include <string_view>
#include <vector>

namespace trestle::detail {

[[nodiscard]] std::string join(const std::vector<std::string>& words, std::string_view separator);

}  // namespace trestle::detail
