// SPDX-License-Identifier: Apache-2.0
#pragma once

// Durations of dstack: `90`, `2h`, `7d`, and `off` where one may be without end.
//
// Layer: dialect/dstack. Main names: read_duration, DurationLimit.
// Pitfall: a unit stands once, in small letters and behind a whole number: `1h30m` and `1.5h` are
// errors, as in dstack. A plain `off` of YAML is the boolean false; both are read.

#include <string>
#include <string_view>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"

namespace trestle::dstack {

/// A whole number and s (default), m, h, d or w; blanks may stand before, between and behind. A
/// number without a unit may be written 90.0.
/// Errors: no number, a sign below zero, a fraction, another unit, 2^63 seconds or more.
[[nodiscard]] TextResult<Seconds> read_duration(std::string_view text);
[[nodiscard]] StatusOr<Seconds> parse_duration(std::string_view text);

/// `2h`, `90s`: in the largest unit that leaves no rest. parse_duration reads it back.
[[nodiscard]] std::string duration_text(Seconds duration);

/// A duration, or none.
struct DurationLimit {
    bool is_off = false;  ///< without end; `seconds` is 0 then
    Seconds seconds;

    static constexpr auto fields(auto list) {
        return list(field("is_off", &DurationLimit::is_off),
                    field("seconds", &DurationLimit::seconds));
    }
    friend bool operator==(const DurationLimit&, const DurationLimit&) = default;
};

/// A duration, or one of the words off, no and false.
[[nodiscard]] TextResult<DurationLimit> read_duration_limit(std::string_view text);
[[nodiscard]] StatusOr<DurationLimit> parse_duration_limit(std::string_view text);

/// `off`, or as duration_text has it.
[[nodiscard]] std::string to_text(const DurationLimit& limit);

}  // namespace trestle::dstack
