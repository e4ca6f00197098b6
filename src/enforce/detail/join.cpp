// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/detail/join.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trestle {

namespace detail {

std::string join(const std::vector<std::string>& words, std::string_view separator) {
    std::string text;
    for (const std::string& word : words) {
        if (&word != &words.front()) text += separator;
        text += word;
    }
    return text;
}

}  // namespace detail

}  // namespace trestle
