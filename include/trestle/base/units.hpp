// SPDX-License-Identifier: Apache-2.0
#pragma once

// Quantities: non-negative whole numbers of one unit, with checked arithmetic.
//
// Layer: base. Main types: Bytes, MilliCpu, Count, Seconds, Instant, Microdollars.
// Plain operators treat overflow and going below zero as broken contracts; the checked_ forms
// return nothing instead, for numbers that come from outside. Division says how it rounds.
// `512_GiB` and gib(512) are the same value: literals for constants, functions for variables.
// Pitfall: 1 GB in Slurm and dstack text is 2^30 bytes, and so is gib(1).

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "trestle/base/contract.hpp"

namespace trestle {

struct SecondsUnit;
struct InstantUnit;

template <class Unit>
class Quantity;

namespace detail {

/// What the difference of two quantities counts: two moments are seconds apart.
template <class Unit>
struct DifferenceUnit {
    using type = Unit;
};
template <>
struct DifferenceUnit<InstantUnit> {
    using type = SecondsUnit;
};

}  // namespace detail

/// A number of units in [0, 2^63 - 1].
template <class Unit>
class Quantity {
  public:
    using rep = std::int64_t;
    using Difference = Quantity<typename detail::DifferenceUnit<Unit>::type>;

    constexpr Quantity() = default;

    /// Requires: `value` >= 0.
    constexpr explicit Quantity(rep value) : value_(value) {
        TRESTLE_EXPECTS(value >= 0, "a quantity is not negative");
    }

    [[nodiscard]] static constexpr Quantity max() {
        return Quantity(std::numeric_limits<rep>::max());
    }

    [[nodiscard]] constexpr rep value() const { return value_; }
    [[nodiscard]] constexpr bool is_zero() const { return value_ == 0; }

    friend constexpr bool operator==(Quantity, Quantity) = default;
    friend constexpr auto operator<=>(Quantity, Quantity) = default;

    friend constexpr Quantity operator+(Quantity a, Quantity b) {
        const auto sum = checked_add(a, b);
        TRESTLE_EXPECTS(sum.has_value(), "a sum of quantities fits 63 bits");
        return *sum;
    }
    friend constexpr Difference operator-(Quantity a, Quantity b) {
        TRESTLE_EXPECTS(a.value_ >= b.value_, "a difference of quantities is not negative");
        return Difference(a.value_ - b.value_);
    }
    friend constexpr Quantity operator*(Quantity a, rep factor) {
        const auto product = checked_mul(a, factor);
        TRESTLE_EXPECTS(product.has_value(), "a product of a quantity fits 63 bits");
        return *product;
    }
    constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
    constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }

    /// The sum, or nothing when it exceeds max().
    [[nodiscard]] friend constexpr std::optional<Quantity> checked_add(Quantity a, Quantity b) {
        rep sum = 0;
        if (__builtin_add_overflow(a.value_, b.value_, &sum)) return std::nullopt;
        return Quantity(sum);
    }
    /// The product, or nothing when it exceeds max() or `factor` is negative.
    [[nodiscard]] friend constexpr std::optional<Quantity> checked_mul(Quantity a, rep factor) {
        rep product = 0;
        if (factor < 0 || __builtin_mul_overflow(a.value_, factor, &product)) return std::nullopt;
        return Quantity(product);
    }
    /// The sum, or max() when it exceeds that.
    [[nodiscard]] friend constexpr Quantity saturating_add(Quantity a, Quantity b) {
        return checked_add(a, b).value_or(max());
    }
    /// a - b, or zero when b is larger.
    [[nodiscard]] friend constexpr Quantity saturating_sub(Quantity a, Quantity b) {
        return a.value_ > b.value_ ? Quantity(a.value_ - b.value_) : Quantity();
    }
    /// Requires: `divisor` > 0.
    [[nodiscard]] friend constexpr Quantity div_floor(Quantity a, rep divisor) {
        TRESTLE_EXPECTS(divisor > 0, "a divisor is positive");
        return Quantity(a.value_ / divisor);
    }
    /// Requires: `divisor` > 0.
    [[nodiscard]] friend constexpr Quantity div_ceil(Quantity a, rep divisor) {
        TRESTLE_EXPECTS(divisor > 0, "a divisor is positive");
        return Quantity(a.value_ / divisor + (a.value_ % divisor != 0 ? 1 : 0));
    }

  private:
    rep value_ = 0;
};

using Bytes = Quantity<struct BytesUnit>;
using MilliCpu = Quantity<struct MilliCpuUnit>;  ///< thousandths of a hardware thread's time
using Count = Quantity<struct CountUnit>;
using Seconds = Quantity<SecondsUnit>;
/// A moment: whole seconds since one of the caller's choice; max() never comes. The difference of
/// two moments is Seconds.
using Instant = Quantity<InstantUnit>;
using Microdollars =
    Quantity<struct MicrodollarsUnit>;  ///< a price: millionths of a dollar (an hour)

/// The moment so much later.
[[nodiscard]] constexpr Instant operator+(Instant at, Seconds later) {
    return at + Instant(later.value());
}
[[nodiscard]] constexpr std::optional<Instant> checked_add(Instant at, Seconds later) {
    return checked_add(at, Instant(later.value()));
}
[[nodiscard]] constexpr Instant saturating_add(Instant at, Seconds later) {
    return saturating_add(at, Instant(later.value()));
}

[[nodiscard]] constexpr Bytes kib(std::int64_t n) { return Bytes(1) * n * 1024; }
[[nodiscard]] constexpr Bytes mib(std::int64_t n) { return kib(n) * 1024; }
[[nodiscard]] constexpr Bytes gib(std::int64_t n) { return mib(n) * 1024; }
[[nodiscard]] constexpr Bytes tib(std::int64_t n) { return gib(n) * 1024; }
[[nodiscard]] constexpr MilliCpu cpus(std::int64_t n) { return MilliCpu(1) * n * 1000; }

namespace detail {

/// A decimal literal, with or without digit separators, times `unit`; nullopt for other literals
/// (`0x10`, `010`, `1.5`) and for more than Bytes::max().
[[nodiscard]] constexpr std::optional<Bytes> literal_bytes(std::string_view literal, Bytes unit) {
    if (literal.size() > 1 && literal.front() == '0') return std::nullopt;
    std::int64_t number = 0;
    for (const char c : literal) {
        if (c == '\'') continue;
        if (c < '0' || c > '9' || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, c - '0', &number)) {
            return std::nullopt;
        }
    }
    return checked_mul(unit, number);
}
template <std::int64_t unit, char... digits>
[[nodiscard]] constexpr Bytes bytes_of_literal() {
    constexpr char literal[] = {digits...};
    constexpr auto bytes = literal_bytes({literal, sizeof...(digits)}, Bytes(unit));
    static_assert(bytes.has_value(), "a literal in bytes is decimal and at most Bytes::max()");
    return *bytes;
}

}  // namespace detail

/// `4_KiB`, `512_MiB`, `80_GiB`, `2_TiB`: bytes in binary units, computed during compilation. In
/// scope with `using namespace trestle` or, alone, with `using namespace trestle::literals`.
/// More than Bytes::max() does not compile, nor does a literal that is no decimal integer.
inline namespace literals {

template <char... digits>
[[nodiscard]] constexpr Bytes operator""_KiB() {
    return detail::bytes_of_literal<1LL << 10, digits...>();
}
template <char... digits>
[[nodiscard]] constexpr Bytes operator""_MiB() {
    return detail::bytes_of_literal<1LL << 20, digits...>();
}
template <char... digits>
[[nodiscard]] constexpr Bytes operator""_GiB() {
    return detail::bytes_of_literal<1LL << 30, digits...>();
}
template <char... digits>
[[nodiscard]] constexpr Bytes operator""_TiB() {
    return detail::bytes_of_literal<1LL << 40, digits...>();
}

}  // namespace literals

}  // namespace trestle

template <class Unit>
struct std::hash<trestle::Quantity<Unit>> {
    std::size_t operator()(trestle::Quantity<Unit> quantity) const noexcept {
        return std::hash<std::int64_t>{}(quantity.value());
    }
};
