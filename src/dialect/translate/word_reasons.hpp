// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of words of one side, each with what the other side makes of it.
//
// Layer: dialect/translate, inside. Main names: WordReason, are_sorted, find_reason.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace trestle::translate {

struct WordReason {
    std::string_view word;
    std::string_view why;
};

constexpr bool is_word_before(const WordReason& a, const WordReason& b) { return a.word < b.word; }

/// What find_reason requires of a table.
template <std::size_t N>
[[nodiscard]] constexpr bool are_sorted(const std::array<WordReason, N>& words) {
    return std::is_sorted(words.begin(), words.end(), is_word_before);
}

/// The row of the word; null: there is none.
template <std::size_t N>
[[nodiscard]] const WordReason* find_reason(const std::array<WordReason, N>& words,
                                            std::string_view word) {
    const auto at =
        std::lower_bound(words.begin(), words.end(), WordReason{word, {}}, is_word_before);
    return at != words.end() && at->word == word ? &*at : nullptr;
}

}  // namespace trestle::translate
