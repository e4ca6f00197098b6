// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs from text and runs to text: the part of set/text.hpp that does not know the type of set.
//
// Layer: set (detail). Main names: Runs, runs_of, list_text, hex_digits, read_set, read_mask.
// Pitfall: Runs that were read are as written, unsorted and overlapping; only inserting them into a
// set makes order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/contract.hpp"
#include "trestle/base/text.hpp"
#include "trestle/set/detail/index.hpp"

namespace trestle::detail {

using Runs = std::vector<Run>;

/// Masks longer than this are a mistake: 256 Ki digits.
inline constexpr std::uint32_t mask_limit = std::uint32_t{1} << 20;

struct RunLimits {
    std::uint32_t index_limit = 0;  ///< members are below it
    std::uint64_t max_members = 0;
};

template <class Set>
[[nodiscard]] Runs runs_of(const Set& set) {
    Runs runs;
    for_each_run(set, [&](Run run) { runs.push_back(run); });
    return runs;
}

template <class Set>
[[nodiscard]] TextResult<Set> set_of(const TextResult<Runs>& runs) {
    if (!runs) return runs.error();
    Set set;
    for (const Run run : *runs) set.insert_range(run);
    return set;
}

[[nodiscard]] inline std::string list_text(const Runs& runs, char separator) {
    std::string text;
    for (const Run run : runs) {
        if (!text.empty()) text += separator;
        text += std::to_string(run.first);
        if (run.end - run.first > 1) text += '-' + std::to_string(run.end - 1);
    }
    return text;
}

/// Without leading zeros and prefix; `0` for no runs.
[[nodiscard]] inline std::string hex_digits(const Runs& runs) {
    const std::uint32_t end = runs.empty() ? 1 : runs.back().end;
    TRESTLE_EXPECTS(end <= mask_limit, "members of a set that is printed as a mask are below 2^20");
    std::vector<unsigned> nibbles((end + 3) / 4);
    for (const Run run : runs) {
        for (std::uint32_t i = run.first; i < run.end; ++i) nibbles[i / 4] |= 1U << (i % 4);
    }
    std::string text;
    for (auto nibble = nibbles.rbegin(); nibble != nibbles.rend(); ++nibble) {
        text += "0123456789abcdef"[*nibble];
    }
    return text;
}

/// True when there was something to skip.
constexpr bool skip_white(TextCursor& text) {
    return !text.take_while([](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; })
                .empty();
}

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[nodiscard]] constexpr std::optional<unsigned> hex_value(char c) {
    if (is_digit(c)) return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
    return std::nullopt;
}

[[nodiscard]] inline TextError too_large(const TextCursor& at, RunLimits limits) {
    return at.error("number too large", "at most " + std::to_string(limits.index_limit - 1));
}
[[nodiscard]] inline TextError too_many(const TextCursor& at, RunLimits limits) {
    return at.error("too many members", "at most " + std::to_string(limits.max_members));
}

/// `5` or `2-4`.
[[nodiscard]] inline TextResult<Run> read_run(TextCursor& text, RunLimits limits) {
    const TextCursor start = text;
    const auto number = [&]() -> TextResult<std::uint32_t> {
        if (!is_digit(text.peek())) return text.error("not a number", "a number or a run like 0-3");
        const auto taken = text.take_number();
        if (!taken || *taken >= limits.index_limit) return too_large(start, limits);
        return static_cast<std::uint32_t>(*taken);
    };
    const auto first = number();
    if (!first) return first.error();
    if (!text.accept('-')) return Run{*first, *first + 1};
    const auto last = number();
    if (!last) return last.error();
    if (*last < *first) return start.error("run goes backwards", "the smaller number first");
    return Run{*first, *last + 1};
}

[[nodiscard]] inline TextResult<Runs> read_list(TextCursor text, RunLimits limits) {
    Runs runs;
    std::uint64_t members = 0;
    skip_white(text);
    while (!text.at_end()) {
        const TextCursor start = text;
        const auto run = read_run(text, limits);
        if (!run) return run.error();
        members += run->end - run->first;
        if (members > limits.max_members) return too_many(start, limits);
        runs.push_back(*run);
        const bool is_separated = skip_white(text);
        if (text.accept(',')) {
            skip_white(text);
            if (text.at_end()) return text.error("list ends with a comma", "a number");
        } else if (!is_separated && !text.at_end()) {
            return text.error("unexpected character", "',' or a blank between the members");
        }
    }
    return runs;
}

/// The members of the mask `digits` whose last digit has the value `base`.
[[nodiscard]] inline std::optional<TextError> add_digits(Runs& runs, std::string_view digits,
                                                         std::uint64_t base, RunLimits limits,
                                                         const TextCursor& start) {
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, base += 4) {
        for (unsigned bit = 0; bit < 4; ++bit) {
            if ((*hex_value(*digit) >> bit & 1U) == 0) continue;
            if (base + bit >= limits.index_limit) return too_large(start, limits);
            const auto member = static_cast<std::uint32_t>(base + bit);
            if (runs.empty() || runs.back().end != member) runs.push_back({member, member});
            ++runs.back().end;
        }
    }
    return std::nullopt;
}

[[nodiscard]] inline TextResult<Runs> read_mask(TextCursor text, RunLimits limits) {
    skip_white(text);
    const TextCursor start = text;
    std::vector<std::string_view> groups;
    do {
        const TextCursor group_start = text;
        const bool has_prefix = text.accept("0x") || text.accept("0X");
        const auto digits = text.take_while([](char c) { return hex_value(c).has_value(); });
        const bool is_inner = !groups.empty() && text.peek() == ',';
        if (digits.empty() && (has_prefix || !is_inner)) {
            return text.error("not a mask", "hexadecimal digits");
        }
        groups.push_back(digits);
        if (digits.size() > 8 && (groups.size() > 1 || text.peek() == ',')) {
            return group_start.error("group too long", "at most 8 digits between commas");
        }
    } while (text.accept(','));
    skip_white(text);
    if (!text.at_end()) return text.error("unexpected character", "a hexadecimal digit or ','");

    Runs runs;
    std::uint64_t base = 0;
    for (auto group = groups.rbegin(); group != groups.rend(); ++group, base += 32) {
        if (auto error = add_digits(runs, *group, base, limits, start)) return *std::move(error);
    }
    std::uint64_t members = 0;
    for (const Run run : runs) members += run.end - run.first;
    if (members > limits.max_members) return too_many(start, limits);
    return runs;
}

[[nodiscard]] inline TextResult<Runs> read_set(TextCursor text, RunLimits limits) {
    TextCursor look = text;
    skip_white(look);
    const std::string_view rest = look.rest();
    const bool is_mask = rest.starts_with("0x") || rest.starts_with("0X");
    return is_mask ? read_mask(text, limits) : read_list(text, limits);
}

}  // namespace trestle::detail
