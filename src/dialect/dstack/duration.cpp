// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/duration.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "../words.hpp"
#include "scalars.hpp"

namespace trestle::dstack {
namespace {

constexpr std::string_view duration_words = "a whole number and s, m, h, d or w, as in 2h";
constexpr std::array<std::pair<char, std::int64_t>, 5> duration_units{
    {{'w', 604'800}, {'d', 86'400}, {'h', 3'600}, {'m', 60}, {'s', 1}}};

}  // namespace

TextResult<Seconds> read_duration(std::string_view text) {
    TextCursor cursor(text);
    cursor.skip_blanks();
    const TextCursor start = cursor;
    if (cursor.peek() == '-') return start.error("negative duration", duration_words);
    cursor.accept('+');
    TextCursor number = cursor;
    cursor.take_while([](char c) { return words::is_digit(c) || c == '_'; });
    const std::string_view digits = number.rest().substr(0, cursor.offset() - number.offset());
    if (digits.empty()) return start.error("malformed duration", duration_words);
    const auto whole = read_whole(TextCursor(digits, number.offset()));
    if (!whole) return start.error("malformed duration", duration_words);
    TextCursor zeros = cursor;  // 1.0 is a number of seconds, and 1.0h nothing
    if (zeros.accept('.') && !zeros.take_while([](char c) { return c == '0'; }).empty()) {
        zeros.skip_blanks();
        if (zeros.at_end()) return Seconds(whole->value());
    }
    cursor.skip_blanks();
    std::int64_t factor = 1;
    if (!cursor.at_end()) {
        const auto unit =
            std::find_if(duration_units.begin(), duration_units.end(),
                         [&](const auto& known) { return known.first == cursor.peek(); });
        if (unit == duration_units.end()) {
            return cursor.error("unknown unit of time", "one of s, m, h, d and w");
        }
        factor = unit->second;
        cursor.accept(unit->first);
        cursor.skip_blanks();
        if (!cursor.at_end()) return cursor.error("text behind a duration", duration_words);
    }
    const auto seconds = checked_mul(Seconds(whole->value()), factor);
    if (!seconds) return start.error("duration beyond 2^63 seconds", duration_words);
    return *seconds;
}

StatusOr<Seconds> parse_duration(std::string_view text) {
    return to_status_or("duration", read_duration(text));
}

std::string duration_text(Seconds duration) {
    const auto unit = std::find_if(
        duration_units.begin(), duration_units.end(),
        [&](const auto& known) { return duration.value() % known.second == 0; });  // s always does
    if (duration.is_zero()) return "0s";
    return std::to_string(duration.value() / unit->second) + unit->first;
}

TextResult<DurationLimit> read_duration_limit(std::string_view text) {
    for (const std::string_view word : {"off", "no", "false"}) {
        if (words::same_word(text, word)) return DurationLimit{true, Seconds()};
    }
    const auto duration = read_duration(text);
    if (!duration) {
        TextError error = duration.error();
        error.expected += ", or off";
        return error;
    }
    return DurationLimit{false, *duration};
}

StatusOr<DurationLimit> parse_duration_limit(std::string_view text) {
    return to_status_or("duration", read_duration_limit(text));
}

std::string to_text(const DurationLimit& limit) {
    return limit.is_off ? "off" : duration_text(limit.seconds);
}

}  // namespace trestle::dstack
