// SPDX-License-Identifier: Apache-2.0
// Dates and times of day, as --begin and --deadline take them. Only their form is read: a day that
// the month does not have is one of the next month.
#include <algorithm>
#include <array>
#include <cstdint>

#include "../../../words.hpp"
#include "value_checks.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view clock_words =
    "a date (MMDD[YY], MM/DD[/YY] or YYYY-MM-DD), a time of day (HH:MM[:SS] [AM|PM]), midnight, "
    "noon, fika, teatime, today, tomorrow, now[+n[unit]] or uts and seconds";

/// Digits, at least and at most so many, whose number is in the range.
struct Digits {
    std::size_t least = 2;
    std::size_t most = 2;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
};

bool take_digits(TextCursor& text, const Digits& wanted) {
    TextCursor look = text;
    const std::string_view digits = look.take_while(words::is_digit);
    if (digits.size() < wanted.least || digits.size() > wanted.most) return false;
    std::uint64_t number = 0;
    for (const char c : digits) number = number * 10 + static_cast<std::uint64_t>(c - '0');
    if (number < wanted.low || number > wanted.high) return false;
    text = look;
    return true;
}

constexpr Digits minutes_digits{2, 2, 0, 59};
constexpr Digits year_digits{2, 2, 0, 99};

bool take_word(TextCursor& text, std::string_view word) {
    if (!words::same_word(text.rest().substr(0, word.size()), word)) return false;
    return text.accept(text.rest().substr(0, word.size()));
}

/// `11:30[:15][ PM]`.
bool take_time_of_day(TextCursor& text) {
    TextCursor look = text;
    const TextCursor start = look;
    if (!take_digits(look, {1, 2, 0, 23}) || !look.accept(':')) return false;
    if (!take_digits(look, minutes_digits)) return false;
    if (look.accept(':') && !take_digits(look, minutes_digits)) return false;
    text = look;
    look.skip_blanks();
    if (!take_word(look, "am") && !take_word(look, "pm")) return true;
    TextCursor hour = start;
    text = look;
    return take_digits(hour, {1, 2, 0, 12});
}

/// `0131[30]`, `1/31[/30]`, `1.31[.30]` or `2030-01-31`.
bool take_date(TextCursor& text) {
    TextCursor look = text;
    const std::size_t digits = look.take_while(words::is_digit).size();
    constexpr Digits month{2, 2, 1, 12};
    constexpr Digits day{2, 2, 1, 31};
    if (digits == 4 && look.peek() == '-') {
        look.accept('-');
        if (!take_digits(look, month) || !look.accept('-') || !take_digits(look, day)) return false;
        text = look;
        return true;
    }
    const char separator = look.peek();
    if (digits <= 2 && (separator == '/' || separator == '.')) {
        if (!take_digits(text, {1, 2, 1, 12}) || !text.accept(separator)) return false;
        if (!take_digits(text, {1, 2, 1, 31})) return false;
        return !text.accept(separator) || take_digits(text, year_digits);
    }
    if (digits != 4 && digits != 6) return false;
    TextCursor pairs(text.rest().substr(0, digits));
    TextCursor first(pairs.rest().substr(0, 2));
    TextCursor second(pairs.rest().substr(2, 2));
    if (!take_digits(first, month) || !take_digits(second, day)) return false;
    text = look;
    return true;
}

bool take_word_of_day(TextCursor& text, std::optional<Release> release) {
    constexpr std::array<std::string_view, 6> known{"midnight", "noon",  "fika",
                                                    "teatime",  "today", "tomorrow"};
    const bool is_known = std::any_of(known.begin(), known.end(),
                                      [&](std::string_view word) { return take_word(text, word); });
    return is_known || (release != Release::v22_05 && take_word(text, "elevenses"));
}

/// What stands behind now.
bool take_distance(TextCursor& text) {
    text.skip_blanks();
    if (text.at_end()) return true;
    if (!text.accept('+') && !text.accept('-')) return false;
    text.skip_blanks();
    if (text.take_while(words::is_digit).empty()) return false;
    text.skip_blanks();
    if (text.at_end()) return true;
    constexpr std::array<std::string_view, 5> units{"second", "minute", "hour", "day", "week"};
    const bool has_unit = std::any_of(units.begin(), units.end(),
                                      [&](std::string_view unit) { return take_word(text, unit); });
    if (!has_unit) return false;
    if (words::lower(text.peek()) == 's') text.accept(text.peek());
    text.skip_blanks();
    return text.at_end();
}

}  // namespace

std::optional<TextError> check_clock_time(TextCursor text, std::optional<Release> release) {
    if (text.at_end()) return text.error("no time", clock_words);
    TextCursor start = text;
    text.skip_blanks();
    if (take_word(text, "now")) {
        if (take_distance(text)) return std::nullopt;
        return start.error("malformed time", clock_words);
    }
    constexpr std::size_t seconds_digits = 7;
    if (take_word(text, "uts")) {  // seconds since 1970
        if (text.take_while(words::is_digit).size() >= seconds_digits && text.at_end()) {
            return std::nullopt;
        }
        return start.error("malformed time", clock_words);
    }
    bool has_part = false;
    while (!text.at_end()) {
        text.skip_blanks();
        text.accept('T');  // as between a date and a time
        text.skip_blanks();
        if (text.at_end()) break;
        has_part = take_time_of_day(text) || take_date(text) || take_word_of_day(text, release);
        if (!has_part) return text.error("malformed time", clock_words);
    }
    if (!has_part) return start.error("no time", clock_words);
    return std::nullopt;
}

}  // namespace trestle::slurm
