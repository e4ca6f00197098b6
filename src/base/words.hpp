// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words compared without regard to case: ASCII only, whatever the locale.
//
// Layer: base. Main names: lower, in_small_letters, same_word.

#include <algorithm>
#include <string>
#include <string_view>

namespace trestle {

/// The small letter of a large one; any other character as it is.
[[nodiscard]] constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The text with small letters for large ones.
[[nodiscard]] inline std::string in_small_letters(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), lower);
    return small;
}

/// True when the words differ in case at most.
[[nodiscard]] constexpr bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace trestle
