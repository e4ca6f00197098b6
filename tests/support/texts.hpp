// SPDX-License-Identifier: Apache-2.0
// Texts of many values, to compare them with a list of lines.
#pragma once

#include <string>
#include <vector>

namespace trestle {

/// to_text of each, in order.
template <class T>
[[nodiscard]] std::vector<std::string> texts(const std::vector<T>& values) {
    std::vector<std::string> lines;
    lines.reserve(values.size());
    for (const T& value : values) lines.push_back(to_text(value));
    return lines;
}

}  // namespace trestle
