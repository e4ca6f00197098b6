// SPDX-License-Identifier: Apache-2.0
#pragma once

// When something is taken: from one moment to another.
//
// Layer: alloc. Main types: Period, OwnerPeriod, TimedAllocation. Moments are whole seconds since
// one that the caller chooses; `end_of_time` is the end of periods without an end. A period is
// half-open: one that ends at 60 and one that begins at 60 do not overlap.
// Pitfall: a job without a time limit has its resources until `end_of_time`. That is a moment like
// others, but no question looks beyond it.

#include <compare>
#include <optional>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// The end of what has no end.
inline constexpr Instant end_of_time = Instant::max();

/// From `first` to before `end`.
using Period = Interval<Instant>;

/// True when there is a moment in both.
[[nodiscard]] constexpr bool overlap(const Period& a, const Period& b) {
    return a.first < b.end && b.first < a.end;
}

/// What begins at `from` and takes so long; for ever without a duration, or where the end would be
/// `end_of_time` or beyond.
[[nodiscard]] constexpr Period period_of(Instant from, std::optional<Seconds> duration) {
    if (!duration) return {from, end_of_time};
    return {from, saturating_add(from, *duration)};
}

/// Ok when the period has a moment. Errors: InvalidArgument that names both ends.
[[nodiscard]] Status check(const Period& period);

/// `from 60 to 90`, or `from 60 on` where there is no end.
[[nodiscard]] std::string to_text(const Period& period);

/// When an owner has something.
struct OwnerPeriod {
    Period period;
    OwnerId owner;

    static constexpr auto fields(auto list) {
        return list(field("period", &OwnerPeriod::period), field("owner", &OwnerPeriod::owner));
    }
    friend bool operator==(const OwnerPeriod&, const OwnerPeriod&) = default;
    friend auto operator<=>(const OwnerPeriod&, const OwnerPeriod&) = default;
};

/// What an owner has, or will have, and when.
struct TimedAllocation {
    Allocation allocation;
    Period period;

    static constexpr auto fields(auto list) {
        return list(field("allocation", &TimedAllocation::allocation),
                    field("period", &TimedAllocation::period));
    }
    friend bool operator==(const TimedAllocation&, const TimedAllocation&) = default;
};

}  // namespace trestle
