// SPDX-License-Identifier: Apache-2.0
#pragma once

// What dstack's small grammars have in common: texts without blanks, parts between colons, ranges.
//
// Layer: dialect/dstack, inside.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/model/device.hpp"

namespace trestle::dstack {

[[nodiscard]] TextResult<Bytes> read_size(TextCursor text);
/// The same of price lists, whose sizes are rounded numbers of GB: one that is not whole bytes is
/// the nearest number of MiB.
[[nodiscard]] TextResult<Bytes> read_listed_size(TextCursor text);
[[nodiscard]] TextResult<Count> read_whole(TextCursor text);
/// Dollars as a floating number (`0.00837`, `1e-05`), to the nearest microdollar.
[[nodiscard]] TextResult<Microdollars> read_listed_price(TextCursor text);
[[nodiscard]] TextResult<Version> read_version(TextCursor text);
[[nodiscard]] TextResult<Microdollars> read_price_at(TextCursor cursor);

/// `32GB`, with six digits: for people, and nothing reads it back.
[[nodiscard]] std::string pretty_size(Bytes size);

/// `read` of the text without its blanks; offsets of errors are those of the text with them.
template <class Read>
[[nodiscard]] auto read_without_blanks(std::string_view text, Read read) {
    std::string squeezed;
    std::vector<std::size_t> offsets;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ' ') continue;
        squeezed += text[i];
        offsets.push_back(i);
    }
    auto result = read(TextCursor(squeezed));
    if (!result) {
        TextError error = result.error();
        error.offset = error.offset < offsets.size() ? offsets[error.offset] : text.size();
        result = error;
    }
    return result;
}

/// The value, or the error as a status that begins with `where`.
template <class T>
[[nodiscard]] StatusOr<T> to_status_or(std::string_view where, const TextResult<T>& result) {
    if (!result) return to_status(where, result.error());
    return *result;
}

/// `a..b`, `a..`, `..b`, `a`; `read_bound(cursor)` reads a whole cursor.
template <class T>
[[nodiscard]] TextResult<Range<T>> read_range(TextCursor text,
                                              TextResult<T> (*read_bound)(TextCursor),
                                              BareValue bare) {
    const std::string_view all = text.rest();
    const std::size_t dots = all.find("..");
    if (dots == all.npos) {
        const auto value = read_bound(text);
        if (!value) return value.error();
        return bare == BareValue::exact ? Range<T>::exactly(*value) : Range<T>::at_least(*value);
    }
    const TextCursor first(all.substr(0, dots), text.offset());
    const TextCursor last(all.substr(dots + 2), text.offset() + dots + 2);
    if (last.rest().find("..") != all.npos) return text.error("malformed range", "min..max");
    if (first.at_end() && last.at_end()) return text.error("empty range", "min.., ..max or both");
    Range<T> range;
    if (!first.at_end()) {
        const auto min = read_bound(first);
        if (!min) return min.error();
        range.min = *min;
    }
    if (!last.at_end()) {
        const auto max = read_bound(last);
        if (!max) return max.error();
        range.max = *max;
    }
    if (range.min && range.max && *range.max < *range.min) {
        return text.error("a range that goes down", "min..max");
    }
    return range;
}

/// `read` of the text without the blanks around it; those inside of a number stay, and make it
/// none.
template <class Read>
[[nodiscard]] auto read_trimmed(std::string_view text, Read read) {
    const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t last = text.find_last_not_of(' ');
    const std::size_t end = last == text.npos ? first : last + 1;
    return read(TextCursor(text.substr(first, end - first), first));
}

/// The parts between the colons, each a cursor with the offsets of the whole. At least one.
[[nodiscard]] inline std::vector<TextCursor> split_parts(TextCursor text) {
    std::vector<TextCursor> parts;
    do {
        const std::size_t offset = text.offset();
        parts.emplace_back(text.take_until(":"), offset);
    } while (text.accept(':'));
    return parts;
}

}  // namespace trestle::dstack
