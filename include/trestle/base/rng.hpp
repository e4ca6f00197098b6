// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rng: a small seeded generator whose sequence is the same everywhere.
//
// Layer: base. Used by generators, random policies and tests; std::mt19937 is portable but the
// distributions of std are not, so the ones needed stand here.
// Pitfall: there is no default seed and no entropy; the caller gives one.

#include <cstdint>

#include "trestle/base/contract.hpp"
#include "trestle/base/interval.hpp"

namespace trestle {

/// SplitMix64. A value: a copy continues with the same numbers.
class Rng {
  public:
    using result_type = std::uint64_t;

    constexpr explicit Rng(std::uint64_t seed) : state_(seed) {}

    [[nodiscard]] static constexpr result_type min() { return 0; }
    [[nodiscard]] static constexpr result_type max() { return ~std::uint64_t{0}; }

    constexpr result_type operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }

    /// A number in [0, bound), evenly. Requires: bound > 0.
    constexpr std::uint64_t below(std::uint64_t bound) {
        TRESTLE_EXPECTS(bound > 0, "there is something to choose from");
        const std::uint64_t limit = max() - max() % bound;
        std::uint64_t x = (*this)();
        while (x >= limit) x = (*this)();
        return x % bound;
    }

    /// A number in [first, last), evenly. Requires: the interval is not empty.
    template <class T>
    constexpr T in(Interval<T> interval) {
        TRESTLE_EXPECTS(!interval.is_empty(), "there is something to choose from");
        const auto width = static_cast<std::uint64_t>(interval.end - interval.first);
        return static_cast<T>(interval.first + static_cast<T>(below(width)));
    }

    /// True `numerator` times out of `denominator` on average. Requires: denominator > 0.
    constexpr bool chance(std::uint64_t numerator, std::uint64_t denominator) {
        return below(denominator) < numerator;
    }

  private:
    std::uint64_t state_;
};

}  // namespace trestle
