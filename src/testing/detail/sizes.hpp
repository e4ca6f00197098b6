// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words, counts and sizes, as the one-line texts of testing write them.
//
// Layer: testing. A size is a number and a binary unit: `80G`, `1536M`, `1000B`; 0 needs none.
// Pitfall: there is no GB and no GiB; G is 2^30. A number alone is no size: `mem=512` would be
// meant as MiB or GiB.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/interval.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"

namespace trestle::testing::detail {

inline constexpr std::string_view size_units = "BKMGTP";

/// A thousand devices of this size can still be added up.
inline constexpr Bytes size_max = tib(4096);

/// `512G`: the largest unit that divides. `0` has none.
[[nodiscard]] std::string size_text(Bytes size);

/// Nothing, with the cursor unmoved, when no size comes next or it exceeds size_max.
[[nodiscard]] std::optional<Bytes> take_size(TextCursor& text);

/// What names, types and features are made of.
[[nodiscard]] constexpr bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

[[nodiscard]] TextResult<std::string> read_word(TextCursor& text);

/// A count in [bounds.first, bounds.end).
[[nodiscard]] TextResult<std::uint32_t> read_count(TextCursor& text,
                                                   Interval<std::uint32_t> bounds);

[[nodiscard]] TextResult<Bytes> read_size(TextCursor& text);

}  // namespace trestle::testing::detail
