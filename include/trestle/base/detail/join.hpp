// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words as one text with a separator between them.
//
// Layer: base.

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

}  // namespace trestle::detail
