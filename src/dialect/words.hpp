// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words of outside languages: comparing without case, and the known word nearest to a wrong one
// (base/nearest_word.hpp).
//
// Layer: dialect, inside. ASCII only, whatever the locale.

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/nearest_word.hpp"
#include "base/words.hpp"

namespace trestle::words {

using trestle::lower;
using trestle::same_word;

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

[[nodiscard]] inline std::string lower(std::string_view word) {
    std::string result(word);
    std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
    return result;
}

/// True for one of the known words, whatever the case.
template <class Words>
[[nodiscard]] constexpr bool is_one_of(std::string_view word, const Words& known) {
    return std::any_of(std::begin(known), std::end(known),
                       [&](std::string_view one) { return same_word(one, word); });
}

}  // namespace trestle::words
