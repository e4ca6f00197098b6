// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/quantities.hpp"

#include <array>
#include <cstdint>
#include <limits>

#include "../words.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view size_words = "a whole number of MiB, or with K, M, G or T, as in 16G";
constexpr std::string_view count_words = "a count, as in 2 or 4k";
constexpr std::string_view time_words = "minutes, m:s, h:m:s, d-h[:m[:s]] or UNLIMITED";

struct Suffix {
    std::string_view name;
    std::int64_t factor;
};
constexpr std::int64_t kibi = 1024;
constexpr std::array<Suffix, 16> count_suffixes{{{"", 1},
                                                 {"k", kibi},
                                                 {"kib", kibi},
                                                 {"kb", 1'000},
                                                 {"m", kibi* kibi},
                                                 {"mib", kibi* kibi},
                                                 {"mb", 1'000'000},
                                                 {"g", kibi* kibi* kibi},
                                                 {"gib", kibi* kibi* kibi},
                                                 {"gb", 1'000'000'000},
                                                 {"t", kibi* kibi* kibi* kibi},
                                                 {"tib", kibi* kibi* kibi* kibi},
                                                 {"tb", 1'000'000'000'000},
                                                 {"p", kibi* kibi* kibi* kibi* kibi},
                                                 {"pib", kibi* kibi* kibi* kibi* kibi},
                                                 {"pb", 1'000'000'000'000'000}}};
constexpr std::array<Suffix, 5> memory_suffixes{{{"k", kibi},
                                                 {"m", kibi* kibi},
                                                 {"", kibi* kibi},
                                                 {"g", kibi* kibi* kibi},
                                                 {"t", kibi* kibi* kibi* kibi}}};

template <std::size_t N>
std::optional<std::int64_t> factor_of(std::string_view suffix, const std::array<Suffix, N>& table) {
    for (const Suffix& known : table) {
        if (words::same_word(suffix, known.name)) return known.factor;
    }
    return std::nullopt;
}

/// What a number and its factor make, or nothing when that exceeds a quantity.
template <class Q>
std::optional<Q> product(std::optional<std::uint64_t> number, std::int64_t factor) {
    if (!number || *number > static_cast<std::uint64_t>(Q::max().value())) return std::nullopt;
    return checked_mul(Q(static_cast<std::int64_t>(*number)), factor);
}

TextError not_a_number(TextCursor text, std::string_view kind, std::string_view expected) {
    const bool is_negative = text.peek() == '-';
    return text.error((is_negative ? "negative " : "malformed ") + std::string(kind), expected);
}

}  // namespace

TextResult<Bytes> read_memory(TextCursor text) {
    const TextCursor start = text;
    if (!words::is_digit(text.peek())) return not_a_number(text, "memory", size_words);
    const auto number = text.take_number();
    if (!number) return start.error("memory beyond 2^63 bytes", size_words);
    std::string_view unit = text.rest();
    if (!unit.empty() && words::lower(unit.back()) == 'b') unit.remove_suffix(1);
    const auto factor = factor_of(unit, memory_suffixes);
    if (!factor) return text.error("unknown memory unit", size_words);
    const auto bytes = product<Bytes>(number, *factor);
    const auto rounded =
        bytes ? checked_mul(div_ceil(*bytes, mib(1).value()), mib(1).value()) : std::nullopt;
    if (!rounded) return start.error("memory beyond 2^63 bytes", size_words);
    return *rounded;
}

StatusOr<Bytes> parse_memory(std::string_view text) {
    const auto memory = read_memory(TextCursor(text));
    if (!memory) return to_status("memory", memory.error());
    return *memory;
}

std::string memory_text(Bytes memory) {
    std::int64_t amount = div_ceil(memory, mib(1).value()).value();
    std::size_t unit = 0;
    constexpr std::array<std::string_view, 3> units{"", "G", "T"};
    for (; amount != 0 && amount % 1024 == 0 && unit + 1 < units.size(); ++unit) amount /= 1024;
    return std::to_string(amount) + std::string(units[unit]);
}

bool is_count(std::string_view text) {
    TextCursor cursor(text);
    return !cursor.take_while(words::is_digit).empty() &&
           factor_of(cursor.rest(), count_suffixes).has_value();
}

TextResult<Count> read_count(TextCursor text) {
    if (!is_count(text.rest())) return not_a_number(text, "count", count_words);
    TextCursor digits = text;
    const auto number = digits.take_number();
    const auto factor = factor_of(digits.rest(), count_suffixes);
    const auto count = product<Count>(number, factor.value_or(1));
    if (!count) return text.error("count beyond 2^63", count_words);
    return *count;
}

StatusOr<Count> parse_count(std::string_view text) {
    const auto count = read_count(TextCursor(text));
    if (!count) return to_status("count", count.error());
    return *count;
}

TextResult<std::optional<Seconds>> read_time(TextCursor text) {
    for (const std::string_view word : {"unlimited", "infinite"}) {
        if (words::same_word(text.rest(), word)) return std::optional<Seconds>();
    }
    const TextCursor start = text;
    constexpr std::uint64_t limit = std::numeric_limits<std::int32_t>::max();
    std::array<std::uint64_t, 4> parts{};  // what was written, from the left
    std::size_t count = 0;
    bool has_days = false;
    while (count < parts.size()) {
        const TextCursor part = text;
        const auto number = text.take_number();
        if (!number) return not_a_number(part, "time", time_words);
        if (*number > limit) return part.error("time beyond 2^31 minutes", time_words);
        parts[count++] = *number;
        if (count == 1 && text.accept('-')) {
            has_days = true;
        } else if (!text.accept(':')) {
            break;
        } else if (text.at_end() || count == (has_days ? 4 : 3)) {
            return text.error("malformed time", time_words);
        }
    }
    if (!text.at_end()) return text.error("malformed time", time_words);
    // days, hours, minutes, seconds; without days the last of three is seconds, one alone minutes.
    std::array<std::uint64_t, 4> units{};
    const std::size_t first = has_days ? 0 : count == 3 ? 1 : 2;
    for (std::size_t i = 0; i < count; ++i) units[first + i] = parts[i];
    const std::uint64_t minutes = (units[0] * 24 + units[1]) * 60 + units[2] + (units[3] + 59) / 60;
    if (minutes > limit) return start.error("time beyond 2^31 minutes", time_words);
    return std::optional(Seconds(static_cast<std::int64_t>(minutes) * 60));
}

StatusOr<std::optional<Seconds>> parse_time(std::string_view text) {
    const auto time = read_time(TextCursor(text));
    if (!time) return to_status("time", time.error());
    return *time;
}

}  // namespace trestle::slurm
