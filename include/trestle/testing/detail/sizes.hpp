// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words, counts and sizes, as the one-line texts of testing write them.
//
// Layer: testing. A size is a number and a binary unit: `80G`, `1536M`, `1000` (bytes).
// A reader would get wrong: there is no GB and no GiB; G is 2^30.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/interval.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"

namespace trestle::testing::detail {

inline constexpr std::string_view size_units = "KMGTP";

/// A thousand devices of this size can still be added up.
inline constexpr Bytes size_max = tib(4096);

/// `512G`: the largest unit that divides.
[[nodiscard]] inline std::string size_text(Bytes size) {
    std::int64_t value = size.value();
    std::size_t unit = 0;
    for (; value != 0 && value % 1024 == 0 && unit < size_units.size(); ++unit) value /= 1024;
    std::string text = std::to_string(value);
    if (unit > 0) text += size_units[unit - 1];
    return text;
}

/// Nothing, with the cursor unmoved, when no size comes next or it exceeds size_max.
[[nodiscard]] inline std::optional<Bytes> take_size(TextCursor& text) {
    TextCursor look = text;
    const auto number = look.take_number();
    if (!number || *number > static_cast<std::uint64_t>(size_max.value())) return std::nullopt;
    std::optional<Bytes> size = Bytes(static_cast<std::int64_t>(*number));
    const std::size_t unit = look.at_end() ? size_units.npos : size_units.find(look.peek());
    if (unit != size_units.npos) {
        look.accept(look.peek());
        size = checked_mul(*size, std::int64_t{1} << (10 * (unit + 1)));
    }
    if (!size || *size > size_max) return std::nullopt;
    text = look;
    return size;
}

/// What names, types and features are made of.
[[nodiscard]] constexpr bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

[[nodiscard]] inline TextResult<std::string> read_word(TextCursor& text) {
    const TextCursor start = text;
    const std::string_view word = text.take_while(is_word_character);
    if (word.empty()) return start.error("no word", "letters, digits, _, - or .");
    return std::string(word);
}

/// A count in [bounds.first, bounds.last).
[[nodiscard]] inline TextResult<std::uint32_t> read_count(TextCursor& text,
                                                          Interval<std::uint32_t> bounds) {
    const TextCursor start = text;
    const auto number = text.take_number();
    if (number && *number >= bounds.first && *number < bounds.last) {
        return static_cast<std::uint32_t>(*number);
    }
    return start.error("not a count", "a number from " + std::to_string(bounds.first) + " to " +
                                          std::to_string(bounds.last - 1));
}

[[nodiscard]] inline TextResult<Bytes> read_size(TextCursor& text) {
    const TextCursor start = text;
    if (const auto size = take_size(text)) return *size;
    return start.error("not a size", "a number with K, M, G, T, P or no unit, at most 4P");
}

}  // namespace trestle::testing::detail
