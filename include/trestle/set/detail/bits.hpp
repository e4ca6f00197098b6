// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bit tricks on one 64-bit word, shared by the sets that are made of words.
//
// Layer: set (detail). Bit i of word w is the number 64 * w + i, the least significant bit first,
// everywhere in this layer.
// Pitfall: popcount is written out because the baseline x86-64 has no such instruction, and
// std::popcount then calls into the compiler's library for every word.

#include <bit>
#include <cstdint>
#include <optional>

namespace trestle::detail {

inline constexpr std::uint32_t word_bits = 64;
inline constexpr std::uint64_t all_bits = ~std::uint64_t{0};

/// The number of words that hold the numbers below `bits`.
[[nodiscard]] constexpr std::uint32_t words_for(std::uint32_t bits) {
    return bits / word_bits + (bits % word_bits != 0 ? 1 : 0);
}

[[nodiscard]] constexpr std::uint64_t bit_of(std::uint32_t index) {
    return std::uint64_t{1} << (index % word_bits);
}

/// The bits below `n` of one word. Requires: n <= 64.
[[nodiscard]] constexpr std::uint64_t low_bits(std::uint32_t n) {
    return n >= word_bits ? all_bits : (std::uint64_t{1} << n) - 1;
}

/// How many bits of `word` are set, in every byte of the result the count of that byte.
[[nodiscard]] constexpr std::uint64_t byte_counts(std::uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
    return (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
}

[[nodiscard]] constexpr std::uint32_t count_bits(std::uint64_t word) {
#ifdef __POPCNT__
    return static_cast<std::uint32_t>(std::popcount(word));
#else
    return static_cast<std::uint32_t>((byte_counts(word) * 0x0101010101010101ULL) >> 56);
#endif
}

[[nodiscard]] constexpr std::uint32_t lowest_bit(std::uint64_t word) {
    return static_cast<std::uint32_t>(std::countr_zero(word));
}
[[nodiscard]] constexpr std::uint32_t highest_bit(std::uint64_t word) {
    return word_bits - 1 - static_cast<std::uint32_t>(std::countl_zero(word));
}

/// The position of the k-th set bit, counting from 0. Requires: k < count_bits(word).
[[nodiscard]] constexpr std::uint32_t select_bit(std::uint64_t word, std::uint32_t k) {
    std::uint32_t passed = 0;  // whole bytes; not worth it for the first few members
    if (k > 4) {
        const std::uint64_t sums =
            byte_counts(word) * 0x0101010101010101ULL;  // byte b: bits in 0..b
        const auto sum_to = [&](std::uint32_t b) {
            return static_cast<std::uint32_t>(sums >> (8 * b) & 0xff);
        };
        while (sum_to(passed) <= k) ++passed;
        if (passed != 0) k -= sum_to(passed - 1);
        word >>= 8 * passed;
    }
    for (; k != 0; --k) word &= word - 1;
    return 8 * passed + lowest_bit(word);
}

/// The bits at which a run of `length` set bits starts inside `word`. Requires: 1 <= length <= 64.
[[nodiscard]] constexpr std::uint64_t run_starts(std::uint64_t word, std::uint32_t length) {
    std::uint32_t have = 1;
    while (word != 0 && have < length) {
        const std::uint32_t step = have < length - have ? have : length - have;
        word &= word >> step;
        have += step;
    }
    return word;
}

/// Finds the lowest run of `length` set bits in words that are given in rising order.
class RunFinder {
  public:
    /// Requires: length > 0.
    constexpr explicit RunFinder(std::uint32_t length) : length_(length) {}

    /// The first number of the run, once the word number `w` completes it.
    [[nodiscard]] constexpr std::optional<std::uint32_t> add(std::uint32_t w, std::uint64_t word) {
        const auto low_ones = static_cast<std::uint32_t>(std::countr_one(word));
        if (carried_ + low_ones >= length_) return word_bits * w - carried_;
        if (length_ <= word_bits) {
            const std::uint64_t starts = run_starts(word, length_);
            if (starts != 0) return word_bits * w + lowest_bit(starts);
        }
        carried_ = word == all_bits ? carried_ + word_bits
                                    : static_cast<std::uint32_t>(std::countl_one(word));
        return std::nullopt;
    }
    /// The words up to the next one are zero.
    constexpr void skip_gap() { carried_ = 0; }

  private:
    std::uint32_t length_;
    std::uint32_t carried_ = 0;  ///< set bits at the top of the words so far
};

}  // namespace trestle::detail
