// SPDX-License-Identifier: Apache-2.0
#pragma once

// The known word nearest to a wrong one, for messages.
//
// Layer: base. Main names: nearest_word, with_nearest. ASCII only, whatever the locale.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.hpp"

namespace trestle::words {

/// How many letters have to be changed, added, removed or swapped with the next one to make `b` of
/// `a`, without case.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> two_before;
    std::vector<std::size_t> before;
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
    for (std::size_t i = 0; i < a.size(); ++i) {
        two_before = std::exchange(before, row);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            row[j + 1] =
                std::min({before[j] + (same(i, j) ? 0 : 1), row[j] + 1, before[j + 1] + 1});
            const bool are_swapped = i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j);
            if (are_swapped) row[j + 1] = std::min(row[j + 1], two_before[j - 1] + 1);
        }
    }
    return row.back();
}

/// The first of the words with the smallest edit distance to `word`; nothing when that is more than
/// `most`. Only the first 64 letters of `word` count.
template <class Words, class NameOf>
[[nodiscard]] std::string nearest_word(std::string_view word, const Words& words, NameOf name_of,
                                       std::size_t most = std::string_view::npos - 1) {
    const std::string_view start = word.substr(0, 64);
    std::string_view nearest;
    std::size_t least = most + 1;
    for (const auto& one : words) {
        const std::string_view name = name_of(one);
        const auto [shorter, longer] = std::minmax({start.size(), name.size()});
        if (longer - shorter >= least) continue;  // so many letters have to go at least
        const std::size_t distance = edit_distance(start, name);
        if (distance >= least) continue;
        least = distance;
        nearest = name;
    }
    return std::string(nearest);
}

/// `expected`, and behind it the nearest word if one is near: a third of the letters may differ.
/// Its name is written behind `prefix`.
template <class Words, class NameOf>
[[nodiscard]] std::string with_nearest(std::string expected, std::string_view word,
                                       const Words& words, NameOf name_of,
                                       std::string_view prefix = "") {
    const std::string nearest = nearest_word(word, words, name_of, (word.size() + 2) / 3);
    if (nearest.empty()) return expected;
    return std::move(expected) + "; the nearest is " + std::string(prefix) + nearest;
}

}  // namespace trestle::words
