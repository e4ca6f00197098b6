// SPDX-License-Identifier: Apache-2.0
#pragma once

// Slurm's `Key=Value Key=Value` files as entries, line by line.
//
// Layer: dialect/slurm, inside. Main types: ConfEntry, ConfLine; Key<Line> is one row of a table of
// known keys.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../words.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"

namespace trestle::slurm {

/// More nodes, or files of a device, than one line can mean: each becomes a value of its own.
inline constexpr std::uint64_t names_a_line_max = 100'000;

/// `Key=Value`, both pointing into the file's text.
struct ConfEntry {
    TextCursor key;
    TextCursor value;  ///< without quotes
    std::uint32_t line = 0;
};

/// The entries up to a line end; a backslash before it continues the line.
struct ConfLine {
    std::uint32_t line = 0;  ///< where it starts
    std::vector<ConfEntry> entries;
};

/// Splits the text. Comments start with `#` anywhere outside quotes; lines without entries are left
/// out. What is no entry becomes an error.
[[nodiscard]] std::vector<ConfLine> split_conf(std::string_view text,
                                               std::vector<ConfError>& errors);

/// A key and what its value does to a line.
template <class Line>
struct Key {
    std::string_view name;
    std::optional<TextError> (*apply)(Line&, TextCursor value);
};

/// Applies all entries of a line by the table; false after an error. A key may stand once.
template <class Line, class Keys>
bool apply_keys(const ConfLine& source, const Keys& keys, Line& line,
                std::vector<ConfError>& errors) {
    const std::size_t errors_before = errors.size();
    std::vector<const Key<Line>*> seen;
    for (const ConfEntry& entry : source.entries) {
        const std::string_view name = entry.key.rest();
        const Key<Line>* known = nullptr;
        for (const Key<Line>& key : keys) {
            if (words::same_word(key.name, name)) known = &key;
        }
        if (known == nullptr) {
            const std::string nearest =
                words::nearest_word(name, keys, [](const auto& key) { return key.name; });
            errors.push_back(
                {entry.line,
                 entry.key.error("unknown key", "a known key; the nearest is " + nearest)});
        } else if (std::find(seen.begin(), seen.end(), known) != seen.end()) {
            errors.push_back({entry.line, entry.key.error("key given twice", "each key once")});
        } else if (auto error = known->apply(line, entry.value)) {
            errors.push_back({entry.line, *error});
        }
        seen.push_back(known);
    }
    return errors.size() == errors_before;
}

/// Into the order of the file: some are found when a line is split, some when it is read.
inline void sort_errors(std::vector<ConfError>& errors) {
    std::stable_sort(errors.begin(), errors.end(), [](const ConfError& a, const ConfError& b) {
        return std::pair(a.line, a.error.offset) < std::pair(b.line, b.error.offset);
    });
}

/// The lines, or the first error: `slurm.conf line 3: ... (and 2 more)`.
template <class Line>
[[nodiscard]] StatusOr<std::vector<Line>> lines_or_first_error(std::string_view file,
                                                               ConfReading<Line> reading) {
    if (reading.errors.empty()) return std::move(reading.lines);
    const std::size_t more = reading.errors.size() - 1;
    return invalid_argument("{} {}{}", file, to_text(reading.errors.front()),
                            more == 0 ? "" : fmt::format(" (and {} more)", more));
}

/// A plain number in [least, most].
template <class Number>
[[nodiscard]] std::optional<TextError> read_whole(TextCursor text, Number& number,
                                                  Interval<std::uint64_t> accepted) {
    TextCursor digits = text;
    const auto value = digits.take_number();
    if (!value || !digits.at_end() || !accepted.contains(*value)) {
        return text.error("malformed number", fmt::format("a whole number from {} to {}",
                                                          accepted.first, accepted.last - 1));
    }
    number = static_cast<Number>(*value);
    return std::nullopt;
}

}  // namespace trestle::slurm
