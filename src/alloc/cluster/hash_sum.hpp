// SPDX-License-Identifier: Apache-2.0
#pragma once

// HashSum: the hash of the tables that are asked on every commit.
//
// Layer: alloc. Main type: HashSum.

#include <cstdint>

namespace trestle {

/// A weaker sum of words, for hash tables on a hot path: its terms do not wait for each other.
/// Order matters.
class HashSum {
  public:
    constexpr void add(std::uint64_t word) {
        sum_ += (word + 1) * factor_;
        factor_ *= 0xd1342543de82ef95ULL;
    }
    [[nodiscard]] constexpr std::uint64_t result() const { return sum_ ^ sum_ >> 32; }

  private:
    std::uint64_t sum_ = 0;
    std::uint64_t factor_ = 0x9e3779b97f4a7c15ULL;
};

}  // namespace trestle
