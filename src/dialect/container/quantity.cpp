// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/quantity.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

namespace trestle::container {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::array binary_suffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

struct Suffix {
    std::string_view text;
    int exponent;  ///< of ten, or of two for the binary ones
    bool is_binary;
};
constexpr std::array suffixes = {
    Suffix{"n", -9, false}, Suffix{"u", -6, false}, Suffix{"m", -3, false}, Suffix{"", 0, false},
    Suffix{"k", 3, false},  Suffix{"M", 6, false},  Suffix{"G", 9, false},  Suffix{"T", 12, false},
    Suffix{"P", 15, false}, Suffix{"E", 18, false}, Suffix{"Ki", 10, true}, Suffix{"Mi", 20, true},
    Suffix{"Gi", 30, true}, Suffix{"Ti", 40, true}, Suffix{"Pi", 50, true}, Suffix{"Ei", 60, true}};

/// What a quantity is: digits * 10^exponent * 2^binary.
struct Parts {
    std::uint64_t digits = 0;
    int exponent = 0;
    int binary = 0;
};

/// How small units are counted: thousandths for CPUs.
struct Unit {
    int exponent = 0;  ///< -3: thousandths
    bool is_whole = false;
    const char* expected = "a quantity as 16Gi, 1500m or 2";
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number before the suffix; zeros that change nothing do not count against its 18 digits.
std::optional<Parts> take_digits(TextCursor& cursor) {
    cursor.accept('+');
    const std::string_view whole = cursor.take_while(is_digit);
    const bool has_point = cursor.accept('.');
    std::string_view fraction = has_point ? cursor.take_while(is_digit) : std::string_view();
    if (whole.empty() && fraction.empty()) return std::nullopt;
    fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
    Parts parts;
    for (const std::string_view run : {whole, fraction}) {
        for (const char c : run) {
            const auto digit = static_cast<std::uint64_t>(c - '0');
            if (__builtin_mul_overflow(parts.digits, std::uint64_t{10}, &parts.digits) ||
                __builtin_add_overflow(parts.digits, digit, &parts.digits)) {
                return std::nullopt;
            }
        }
    }
    parts.exponent = -static_cast<int>(fraction.size());
    return parts;
}

bool take_suffix(TextCursor& cursor, Parts& parts) {
    const std::string_view rest = cursor.rest();
    const auto known = std::find_if(suffixes.begin(), suffixes.end(),
                                    [&](const Suffix& one) { return one.text == rest; });
    if (known != suffixes.end()) {
        cursor.accept(rest);
        (known->is_binary ? parts.binary : parts.exponent) += known->exponent;
        return true;
    }
    if (!cursor.accept('e') && !cursor.accept('E')) return false;
    const bool is_negative = cursor.accept('-');
    if (!is_negative) cursor.accept('+');
    const auto exponent = cursor.take_number();
    if (!exponent || *exponent > 99 || !cursor.at_end()) return false;
    const int signed_exponent = static_cast<int>(*exponent);
    parts.exponent += is_negative ? -signed_exponent : signed_exponent;
    return true;
}

/// The quantity in the unit, rounded up; nothing above 2^63 - 1, or when it is not whole but has
/// to be.
std::optional<std::int64_t> scaled(const Parts& parts, const Unit& unit) {
    constexpr Wide most = std::numeric_limits<std::int64_t>::max();
    if (parts.digits == 0) return 0;
    // 64 bits and the 60 of a binary suffix leave no room for overflow.
    Wide value = Wide{parts.digits} << static_cast<unsigned>(parts.binary);
    int exponent = parts.exponent - unit.exponent;
    for (; exponent > 0; --exponent) {
        if (value > most) return std::nullopt;
        value *= 10;
    }
    bool has_rest = false;
    for (; exponent < 0 && value != 0; ++exponent) {
        has_rest = has_rest || value % 10 != 0;
        value /= 10;
    }
    if (has_rest && unit.is_whole) return std::nullopt;
    if (has_rest) ++value;
    if (value > most) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

template <class Amount>
TextResult<Amount> read(std::string_view text, const Unit& unit) {
    TextCursor cursor(text);
    auto parts = take_digits(cursor);
    if (!parts) return TextCursor(text).error("not a quantity", unit.expected);
    const TextCursor at_suffix = cursor;
    if (!take_suffix(cursor, *parts)) {
        return at_suffix.error("unknown suffix", "nothing, m, k, M, G, T, P, E, Ki to Ei, or e3");
    }
    const auto value = scaled(*parts, unit);
    if (!value) return TextCursor(text).error("out of range", unit.expected);
    return Amount(*value);
}

}  // namespace

std::string quantity_text(Bytes bytes) {
    std::int64_t value = bytes.value();
    std::size_t suffix = 0;
    while (value != 0 && value % 1024 == 0 && suffix + 1 < binary_suffixes.size()) {
        value /= 1024;
        ++suffix;
    }
    return std::to_string(value) + binary_suffixes[suffix];
}

std::string quantity_text(MilliCpu cpus) {
    const std::int64_t value = cpus.value();
    return value % 1000 == 0 ? std::to_string(value / 1000) : std::to_string(value) + "m";
}

std::string quantity_text(Count count) { return std::to_string(count.value()); }

TextResult<Bytes> read_bytes(std::string_view text) {
    return read<Bytes>(text, {0, false, "bytes as 16Gi, at most 2^63 - 1"});
}

TextResult<MilliCpu> read_milli_cpus(std::string_view text) {
    return read<MilliCpu>(text, {-3, false, "CPUs as 1500m or 2, at most 2^63 - 1 thousandths"});
}

TextResult<Count> read_count(std::string_view text) {
    return read<Count>(text, {0, true, "a whole number, at most 2^63 - 1"});
}

}  // namespace trestle::container
