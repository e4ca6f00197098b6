// SPDX-License-Identifier: Apache-2.0
#include "testing/detail/sizes.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trestle {

namespace testing {

namespace detail {

std::string size_text(Bytes size) {
    if (size.is_zero()) return "0";
    std::int64_t value = size.value();
    std::size_t unit = 0;
    for (; value % 1024 == 0 && unit + 1 < size_units.size(); ++unit) value /= 1024;
    return std::to_string(value) + size_units[unit];
}

std::optional<Bytes> take_size(TextCursor& text) {
    TextCursor look = text;
    const auto number = look.take_number();
    if (!number || *number > static_cast<std::uint64_t>(size_max.value())) return std::nullopt;
    std::optional<Bytes> size = Bytes(static_cast<std::int64_t>(*number));
    const std::size_t unit = look.at_end() ? size_units.npos : size_units.find(look.peek());
    if (unit == size_units.npos) {
        if (*number != 0) return std::nullopt;
    } else {
        look.accept(look.peek());
        size = checked_mul(*size, std::int64_t{1} << (10 * unit));
    }
    if (!size || *size > size_max) return std::nullopt;
    text = look;
    return size;
}

TextResult<std::string> read_word(TextCursor& text) {
    const TextCursor start = text;
    const std::string_view word = text.take_while(is_word_character);
    if (word.empty()) return start.error("no word", "letters, digits, _, - or .");
    return std::string(word);
}

TextResult<std::uint32_t> read_count(TextCursor& text, Interval<std::uint32_t> bounds) {
    const TextCursor start = text;
    const auto number = text.take_number();
    if (number && *number >= bounds.first && *number < bounds.end) {
        return static_cast<std::uint32_t>(*number);
    }
    return start.error("not a count", "a number from " + std::to_string(bounds.first) + " to " +
                                          std::to_string(bounds.end - 1));
}

TextResult<Bytes> read_size(TextCursor& text) {
    const TextCursor start = text;
    if (const auto size = take_size(text)) return *size;
    const std::string_view digits = start.rest();
    const std::size_t count = std::min(digits.find_first_not_of("0123456789"), digits.size());
    if (count > 0 && (count == digits.size() || !is_word_character(digits[count]))) {
        const std::string number(digits.substr(0, count));
        return start.error("no unit", "a unit, as " + number + "G; " + number + "B is bytes");
    }
    return start.error("not a size", "a number with B, K, M, G, T or P, at most 4P");
}

}  // namespace detail

}  // namespace testing

}  // namespace trestle
