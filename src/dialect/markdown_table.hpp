// SPDX-License-Identifier: Apache-2.0
#pragma once

// Structs of texts as a table in Markdown.
//
// Layer: dialect, inside. Main function: markdown_table.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace trestle {

/// A line of the head, then one for each row: its fields in their order, `-` for an empty one.
/// Requires: the head names as many columns as a row has fields, all of them texts without `|`.
template <class Row>
[[nodiscard]] std::string markdown_table(std::initializer_list<std::string_view> head,
                                         std::span<const Row> rows) {
    std::string text = "|";
    std::string rule = "\n|";
    const auto add_cell = [&](std::string_view cell) {
        text += ' ';
        text += cell.empty() ? "-" : cell;
        text += " |";
    };
    for (const std::string_view column : head) {
        add_cell(column);
        rule += "---|";
    }
    text += rule + '\n';
    for (const Row& row : rows) {
        text += '|';
        Row::fields([&](const auto&... f) { (add_cell(row.*(f.pointer)), ...); });
        text += '\n';
    }
    return text;
}

}  // namespace trestle
