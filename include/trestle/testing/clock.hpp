// SPDX-License-Identifier: Apache-2.0
#pragma once

// ManualClock: time that passes when the test says so.
//
// Layer: testing. The library reads no clock; functions take the time as a value. In tests and
// simulations this clock holds the value for all parts that have to agree on it.
// Pitfall: it starts at 0, not at any time of day.

#include "trestle/base/units.hpp"
#include "trestle/enforce/process/usage.hpp"

namespace trestle::testing {

[[nodiscard]] constexpr Microseconds seconds(std::int64_t n) {
    return Microseconds(1) * n * 1'000'000;
}
[[nodiscard]] constexpr Microseconds milliseconds(std::int64_t n) {
    return Microseconds(1) * n * 1'000;
}

class ManualClock {
  public:
    [[nodiscard]] Microseconds now() const { return now_; }
    void advance(Microseconds duration) { now_ += duration; }
    /// Requires: `time` is not in the past.
    void advance_to(Microseconds time);

  private:
    Microseconds now_;
};

}  // namespace trestle::testing
