// SPDX-License-Identifier: Apache-2.0
#pragma once

// A number and what it counts: `1 core`, `2 cores`.
//
// Layer: base. Main name: counted_text.

#include <cstdint>
#include <string>
#include <string_view>

#include "trestle/base/fmt.hpp"

namespace trestle {

/// The number, and the noun with an s behind it but for one. Requires: a noun with such a plural.
[[nodiscard]] inline std::string counted_text(std::int64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace trestle
