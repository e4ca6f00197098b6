// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/quantities.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <variant>

#include "../words.hpp"
#include "scalars.hpp"

namespace trestle::dstack {
namespace {

constexpr std::string_view size_words = "a size of whole bytes, as in 24GB, 512MB or 0.5TB";
constexpr std::string_view count_words = "a whole number";
constexpr std::string_view version_words = "a version, as in 8.0";

/// 0.d1d2d3... x 10^point: what a decimal literal means, exactly.
struct Decimal {
    std::string digits;  ///< without leading and trailing zeros; empty is zero
    std::int64_t point = 0;
};

/// Digits, with single `_` between them as Python allows.
std::string take_digits(TextCursor& text) {
    std::string digits{text.take_while(words::is_digit)};
    while (!digits.empty() && text.peek() == '_') {
        TextCursor ahead = text;
        ahead.accept('_');
        const std::string_view more = ahead.take_while(words::is_digit);
        if (more.empty()) break;
        digits += more;
        text = ahead;
    }
    return digits;
}

/// Takes `12.5e-3`; nothing when no digit stands there.
std::optional<Decimal> take_decimal(TextCursor& text) {
    Decimal decimal;
    decimal.digits = take_digits(text);
    decimal.point = static_cast<std::int64_t>(decimal.digits.size());
    if (text.accept('.')) decimal.digits += take_digits(text);
    if (decimal.digits.empty()) return std::nullopt;
    TextCursor ahead = text;
    if (ahead.accept('e') || ahead.accept('E')) {
        const bool is_negative = ahead.accept('-');
        if (!is_negative) ahead.accept('+');
        if (const auto exponent = ahead.take_number()) {
            const auto shift =
                static_cast<std::int64_t>(std::min<std::uint64_t>(*exponent, 10'000));
            decimal.point += is_negative ? -shift : shift;
            text = ahead;
        }
    }
    const std::size_t first = decimal.digits.find_first_not_of('0');
    if (first == std::string::npos) return Decimal{};
    decimal.digits.erase(0, first);
    decimal.point -= static_cast<std::int64_t>(first);
    decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
    return decimal;
}

enum class Inexact { overflow, fraction };
/// What becomes of a part of one.
enum class Fraction { refuse, round };

/// decimal x 2^shift as a whole number, or why it is none; rounded it is the nearest, of two the
/// larger.
std::variant<std::int64_t, Inexact> scaled(const Decimal& decimal, int shift,
                                           Fraction part = Fraction::refuse) {
    constexpr std::int64_t digits_max = 19;  // of a number below 2^63
    if (decimal.digits.empty()) return std::int64_t{0};
    if (decimal.point > digits_max) return Inexact::overflow;
    std::string padded = decimal.digits;
    if (decimal.point < 0) {
        // Not even a tenth of one, as 2^shift has fewer than `shift` digits.
        if (decimal.point < -shift) {
            return part == Fraction::refuse ? std::variant<std::int64_t, Inexact>(Inexact::fraction)
                                            : std::int64_t{0};
        }
        padded.insert(0, static_cast<std::size_t>(-decimal.point), '0');
    }
    const auto whole_size = static_cast<std::size_t>(std::max<std::int64_t>(decimal.point, 0));
    if (padded.size() < whole_size) padded.append(whole_size - padded.size(), '0');
    Count whole;
    for (std::size_t i = 0; i < whole_size; ++i) {
        const auto tenfold = checked_mul(whole, 10);
        const auto next = tenfold ? checked_add(*tenfold, Count(padded[i] - '0')) : std::nullopt;
        if (!next) return Inexact::overflow;
        whole = *next;
    }
    std::string fraction = padded.substr(whole_size);
    if (part == Fraction::refuse && fraction.size() > static_cast<std::size_t>(shift)) {
        return Inexact::fraction;
    }
    for (int i = 0; i < shift; ++i) {
        int carry = 0;
        for (auto digit = fraction.rbegin(); digit != fraction.rend(); ++digit) {
            const int doubled = 2 * (*digit - '0') + carry;
            *digit = static_cast<char>('0' + doubled % 10);
            carry = doubled / 10;
        }
        const auto twice = checked_mul(whole, 2);
        const auto next = twice ? checked_add(*twice, Count(carry)) : std::nullopt;
        if (!next) return Inexact::overflow;
        whole = *next;
    }
    if (fraction.find_first_not_of('0') == std::string::npos) return whole.value();
    if (part == Fraction::refuse) return Inexact::fraction;
    const auto rounded = fraction.front() < '5' ? whole : checked_add(whole, Count(1));
    if (!rounded) return Inexact::overflow;
    return rounded->value();
}

constexpr int mib_shift = 20;

/// The power of two that the unit stands for.
std::optional<int> shift_of(std::string_view unit) {
    if (unit.empty() || words::same_word(unit, "gb")) return 30;
    if (words::same_word(unit, "mb")) return mib_shift;
    if (words::same_word(unit, "tb")) return 40;
    return std::nullopt;
}

/// A size as it is written, in MiB where it is not whole bytes and may be rounded.
TextResult<Bytes> read_size_as(TextCursor text, Fraction part) {
    const TextCursor start = text;
    if (text.peek() == '-') return text.error("negative size", size_words);
    text.accept('+');
    const auto decimal = take_decimal(text);
    if (!decimal) return start.error("malformed size", size_words);
    const auto shift = shift_of(text.rest());
    if (!shift) return text.error("unknown unit", "MB, GB or TB");
    const auto bytes = scaled(*decimal, *shift);
    if (const auto* whole = std::get_if<std::int64_t>(&bytes)) return Bytes(*whole);
    if (std::get<Inexact>(bytes) == Inexact::fraction) {
        if (part == Fraction::refuse) return start.error("size with part of a byte", size_words);
        // What is below 2^63 bytes has fewer MiB than overflow.
        const auto rounded = scaled(*decimal, *shift - mib_shift, part);
        if (const auto* sum = std::get_if<std::int64_t>(&rounded)) {
            if (const auto size = checked_mul(mib(1), *sum)) return *size;
        }
    }
    return start.error("size beyond 2^63 bytes", size_words);
}

}  // namespace

TextResult<Bytes> read_size(TextCursor text) { return read_size_as(text, Fraction::refuse); }

TextResult<Bytes> read_listed_size(TextCursor text) { return read_size_as(text, Fraction::round); }

TextResult<Microdollars> read_listed_price(TextCursor text) {
    const TextCursor start = text;
    constexpr std::int64_t micros_most = 1'000'000'000'000'000;  // a billion dollars
    text.accept('+');
    auto decimal = take_decimal(text);
    if (!decimal || !text.at_end()) return start.error("malformed price", "dollars, as in 2.03");
    if (!decimal->digits.empty()) decimal->point += 6;
    const auto micros = scaled(*decimal, 0, Fraction::round);
    const auto* whole = std::get_if<std::int64_t>(&micros);
    if (whole == nullptr || micros_most < *whole) {
        return start.error("price beyond a billion", "dollars, as in 2.03");
    }
    return Microdollars(*whole);
}

TextResult<Count> read_whole(TextCursor text) {
    const TextCursor start = text;
    if (text.peek() == '-') return text.error("negative count", count_words);
    text.accept('+');
    const std::string digits = take_digits(text);
    TextCursor fraction = text;
    if (!digits.empty() && fraction.accept('.') &&
        !fraction.take_while([](char c) { return c == '0'; }).empty()) {
        text = fraction;
    }
    if (digits.empty() || !text.at_end()) return start.error("malformed count", count_words);
    const auto number = TextCursor(digits).take_number();
    if (!number || *number > static_cast<std::uint64_t>(Count::max().value())) {
        return start.error("count beyond 2^63", count_words);
    }
    return Count(static_cast<std::int64_t>(*number));
}

TextResult<Version> read_version(TextCursor text) {
    const TextCursor start = text;
    constexpr std::uint64_t limit = 1'000'000;
    const auto major = text.take_number();
    const bool has_point = text.accept('.');
    const auto minor = text.take_number();
    if (!major || !has_point || !minor || !text.at_end() || *major > limit || *minor > limit) {
        return start.error("malformed version", version_words);
    }
    return Version{static_cast<std::uint32_t>(*major), static_cast<std::uint32_t>(*minor)};
}

TextResult<Bytes> read_memory(std::string_view text) {
    return read_without_blanks(text, &read_size);
}
StatusOr<Bytes> parse_memory(std::string_view text) {
    return to_status_or("memory", read_memory(text));
}

TextResult<Range<Bytes>> read_memory_range(std::string_view text, BareValue bare) {
    return read_without_blanks(text,
                               [bare](TextCursor t) { return read_range(t, &read_size, bare); });
}
StatusOr<Range<Bytes>> parse_memory_range(std::string_view text, BareValue bare) {
    return to_status_or("memory range", read_memory_range(text, bare));
}

TextResult<Range<Count>> read_count_range(std::string_view text, BareValue bare) {
    const auto read = [bare](TextCursor t) { return read_range(t, &read_whole, bare); };
    const bool is_range = text.find("..") != text.npos;
    return is_range ? read_without_blanks(text, read) : read_trimmed(text, read);
}
StatusOr<Range<Count>> parse_count_range(std::string_view text, BareValue bare) {
    return to_status_or("count range", read_count_range(text, bare));
}

TextResult<Range<Version>> read_version_range(std::string_view text, BareValue bare) {
    return read_without_blanks(text,
                               [bare](TextCursor t) { return read_range(t, &read_version, bare); });
}
StatusOr<Range<Version>> parse_version_range(std::string_view text, BareValue bare) {
    return to_status_or("version range", read_version_range(text, bare));
}

std::string memory_text(Bytes memory) {
    const std::int64_t bytes = memory.value();
    if (bytes % gib(1).value() == 0) return std::to_string(bytes / gib(1).value()) + "GB";
    std::string text = std::to_string(bytes / mib(1).value());
    std::int64_t rest = bytes % mib(1).value();
    if (rest != 0) text += '.';
    for (; rest != 0; rest %= mib(1).value()) {
        rest *= 10;
        text += static_cast<char>('0' + rest / mib(1).value());
    }
    return text + "MB";
}

std::string pretty_size(Bytes size) {
    return fmt::format("{:g}GB",
                       static_cast<double>(size.value()) / static_cast<double>(gib(1).value()));
}

std::string memory_range_text(const Range<Bytes>& range) {
    TRESTLE_EXPECTS(!range.is_open(), "the range has an end");
    if (range.is_single()) return memory_text(*range.min);
    return (range.min ? memory_text(*range.min) : "") + ".." +
           (range.max ? memory_text(*range.max) : "");
}

}  // namespace trestle::dstack
