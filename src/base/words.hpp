// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words compared without regard to case: ASCII only, whatever the locale.
//
// Layer: base. Main names: lower, same_word.

#include <algorithm>
#include <string_view>

namespace trestle {

/// The small letter of a large one; any other character as it is.
[[nodiscard]] constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// True when the words differ in case at most.
[[nodiscard]] constexpr bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace trestle
