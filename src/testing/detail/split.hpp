// SPDX-License-Identifier: Apache-2.0
#pragma once

// Splitting a sequence into the fewest-first pieces that a description can express.
//
// Layer: testing. Used to print nodes (runs of devices) and clusters (runs of nodes).
// Pitfall: the longest piece is tried first, but given up again when what follows it cannot be
// expressed.

#include <cstddef>
#include <optional>
#include <vector>

namespace trestle::testing::detail {

/// One piece and what expresses it.
template <class Description>
struct Piece {
    std::size_t first;
    std::size_t last;
    Description description;
};

/// Cuts [0, size) into pieces. longest(first) bounds the piece that starts there; describe(first,
/// last) gives an optional description. Nothing when no cut works.
/// Complexity: one call of describe for each pair of ends at worst, for each piece at best.
template <class Longest, class Describe>
[[nodiscard]] auto split(std::size_t size, Longest longest, Describe describe) -> std::optional<
    std::vector<Piece<typename decltype(describe(std::size_t{}, std::size_t{}))::value_type>>> {
    using Description = typename decltype(describe(std::size_t{}, std::size_t{}))::value_type;
    std::vector<bool> is_dead(size + 1, false);
    std::vector<Piece<Description>> pieces;
    std::size_t first = 0;
    std::size_t last = size == 0 ? 0 : longest(0);
    while (first < size) {
        std::optional<Description> description;
        while (last > first && (is_dead[last] || !(description = describe(first, last)))) --last;
        if (last > first) {
            pieces.push_back({first, last, *std::move(description)});
            first = last;
            if (first < size) last = longest(first);
            continue;
        }
        is_dead[first] = true;
        if (pieces.empty()) return std::nullopt;
        first = pieces.back().first;
        last = pieces.back().last;  // dead by now, so the next shorter one is tried
        pieces.pop_back();
    }
    return pieces;
}

}  // namespace trestle::testing::detail
