// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers as names of nodes carry them: how many digits, and with leading zeros.
//
// Layer: base. Main functions: digits_of, append_number.
// Pitfall: a width is a least number of digits; a longer number keeps all of its.

#include <cstdint>
#include <string>

namespace trestle {

/// Digits of the number without leading zeros; 0 has one.
[[nodiscard]] constexpr std::uint32_t digits_of(std::uint64_t number) {
    std::uint32_t digits = 1;
    for (; number >= 10; number /= 10) ++digits;
    return digits;
}

/// Adds the number to the text, with zeros in front up to `width` digits.
inline void append_number(std::string& text, std::uint64_t number, std::uint32_t width) {
    const std::string digits = std::to_string(number);
    if (width > digits.size()) text.append(width - digits.size(), '0');
    text += digits;
}

}  // namespace trestle
