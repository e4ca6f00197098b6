// SPDX-License-Identifier: Apache-2.0
#pragma once

// Interval (where something is) and Range (what a request accepts).
//
// Layer: base. An Interval is half-open, [first, end), as all intervals of this code are. A Range
// is the inclusive a..b of a request, each end possibly open, as dstack writes it: `24GB..80GB`,
// `200GB..`, `..8`, `4`.
// Pitfall: a default Range accepts everything; a default Interval is empty.

#include <algorithm>
#include <compare>
#include <optional>
#include <utility>

#include "trestle/base/contract.hpp"
#include "trestle/base/fields.hpp"

namespace trestle {

/// [first, end). Empty when first == end.
template <class T>
struct Interval {
    T first{};
    T end{};  ///< behind the last value

    [[nodiscard]] constexpr bool is_empty() const { return !(first < end); }
    [[nodiscard]] constexpr bool contains(const T& x) const { return !(x < first) && x < end; }

    static constexpr auto fields(auto list) {
        return list(field("first", &Interval::first), field("end", &Interval::end));
    }
    friend constexpr bool operator==(const Interval&, const Interval&) = default;
    friend constexpr auto operator<=>(const Interval&, const Interval&) = default;
};

/// What `a` and `b` have in common; empty when they do not touch.
template <class T>
[[nodiscard]] constexpr Interval<T> intersect(const Interval<T>& a, const Interval<T>& b) {
    const T first = std::max(a.first, b.first);
    return {first, std::max(first, std::min(a.end, b.end))};
}

/// The values from `min` to `max`, both included; an absent end is open.
template <class T>
struct Range {
    std::optional<T> min;
    std::optional<T> max;

    [[nodiscard]] static constexpr Range exactly(T value) { return {value, value}; }
    [[nodiscard]] static constexpr Range at_least(T value) { return {value, std::nullopt}; }
    [[nodiscard]] static constexpr Range at_most(T value) { return {std::nullopt, value}; }
    /// Both ends included. Requires: min <= max.
    [[nodiscard]] static constexpr Range between(T min, T max) {
        TRESTLE_EXPECTS(!(max < min), "a range runs upwards");
        return {std::move(min), std::move(max)};
    }

    [[nodiscard]] constexpr bool contains(const T& x) const {
        return (!min || !(x < *min)) && (!max || !(*max < x));
    }
    [[nodiscard]] constexpr bool is_open() const { return !min && !max; }
    /// False when the lower end is above the upper one.
    [[nodiscard]] constexpr bool is_rising() const { return !min || !max || !(*max < *min); }
    [[nodiscard]] constexpr bool is_single() const { return min && max && *min == *max; }
    /// The smallest value accepted; T{} when the lower end is open.
    [[nodiscard]] constexpr T least() const { return min.value_or(T{}); }

    static constexpr auto fields(auto list) {
        return list(field("min", &Range::min), field("max", &Range::max));
    }
    friend constexpr bool operator==(const Range&, const Range&) = default;
};

/// What both ranges accept, or nothing when no value is in both.
template <class T>
[[nodiscard]] constexpr std::optional<Range<T>> intersect(const Range<T>& a, const Range<T>& b) {
    Range<T> both = a;
    if (b.min && (!both.min || *both.min < *b.min)) both.min = b.min;
    if (b.max && (!both.max || *b.max < *both.max)) both.max = b.max;
    if (both.min && both.max && *both.max < *both.min) return std::nullopt;
    return both;
}

}  // namespace trestle
