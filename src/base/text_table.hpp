// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of texts as a plain table.
//
// Layer: base, inside. Main function: text_table.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace trestle::detail {

/// One line a row, columns as wide as their longest cell in bytes and two blanks apart. No line
/// ends with blanks.
template <std::size_t columns>
[[nodiscard]] std::string text_table(const std::vector<std::array<std::string, columns>>& rows) {
    std::array<std::size_t, columns> widths{};
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < columns; ++i) {
            line += row[i];
            line.append(widths[i] - row[i].size() + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

}  // namespace trestle::detail
