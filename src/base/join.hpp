// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words as one text: with a separator between them, or as a sentence lists them.
//
// Layer: base (private).

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trestle::detail {

[[nodiscard]] inline std::string join(const std::vector<std::string>& words,
                                      std::string_view separator) {
    std::string text;
    for (const std::string& word : words) {
        if (&word != &words.front()) text += separator;
        text += word;
    }
    return text;
}

/// `a`, `a and b`, `a, b and c`.
[[nodiscard]] inline std::string listed(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
        text += words[i];
    }
    return text;
}

}  // namespace trestle::detail
