// SPDX-License-Identifier: Apache-2.0
#pragma once

// A line of a text by its number.
//
// Layer: dialect/slurm, inside. Main name: line_at.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trestle::slurm {

/// Without its line break; the first is 1. Empty where there is no such line.
[[nodiscard]] inline std::string line_at(std::string_view text, std::uint32_t line) {
    for (std::uint32_t i = 1; i < line; ++i) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return "";
        text.remove_prefix(end + 1);
    }
    return std::string(text.substr(0, text.find_first_of("\r\n")));
}

}  // namespace trestle::slurm
