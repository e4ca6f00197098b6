// SPDX-License-Identifier: Apache-2.0
#pragma once

// is_utf8: whether bytes are text in UTF-8, as RFC 3629 has it.
//
// Layer: base.

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace trestle {

/// False for a sequence that is cut off or overlong, a surrogate, and what is above U+10FFFF.
[[nodiscard]] inline bool is_utf8(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    for (std::size_t i = 0; i < text.size();) {
        const unsigned first = byte(i);
        const std::size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        if (size == 1) {
            ++i;
            continue;
        }
        if (first < 0xc2 || first > 0xf4 || text.size() - i < size) return false;
        const std::string_view rest = text.substr(i + 1, size - 1);
        if (!std::all_of(rest.begin(), rest.end(),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; })) {
            return false;
        }
        const unsigned second = byte(i + 1);
        if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return false;
        if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return false;
        i += size;
    }
    return true;
}

}  // namespace trestle
