// SPDX-License-Identifier: Apache-2.0
#pragma once

// BitIndex: a bitmap of fixed size for hot paths: which of n things are free, asked all the time.
//
// Layer: set. Main type: BitIndex. A tree of 64-bit words: level 0 holds the members, bit i of word
// w being the number 64 * w + i (least significant bit first); in each level above, bit i of word w
// says that word 64 * w + i below is not zero, and a counter beside the word says how many members
// lie under it. All is O(log64 n) but for what says otherwise.
// Pitfall: the size never changes, and numbers beyond it are broken contracts, while SmallSet grows
// and answers "not a member".

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/contract.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/set/detail/bits.hpp"

namespace trestle {

/// A set of numbers in [0, size). A moved-from one may only be assigned to or destroyed.
class BitIndex {
  public:
    using Run = Interval<std::uint32_t>;

    BitIndex() : BitIndex(0) {}
    /// Without members. O(size).
    explicit BitIndex(std::uint32_t size);
    /// With all numbers below `size`. O(size).
    [[nodiscard]] static BitIndex full(std::uint32_t size);

    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] std::uint32_t count() const { return count_; }
    [[nodiscard]] bool is_empty() const { return count_ == 0; }

    /// Requires, here and in set and clear: i < size().
    [[nodiscard]] bool test(std::uint32_t i) const {
        TRESTLE_EXPECTS(i < size_, "a number is inside the bit index");
        return (words_[i / detail::word_bits] & detail::bit_of(i)) != 0;
    }
    void set(std::uint32_t i);
    void clear(std::uint32_t i);

    /// The smallest member; nothing when there is none.
    [[nodiscard]] std::optional<std::uint32_t> first() const { return next(0); }
    /// The smallest member >= i; nothing also for i >= size().
    [[nodiscard]] std::optional<std::uint32_t> next(std::uint32_t i) const {
        if (i >= size_) return std::nullopt;
        const std::uint32_t w = i / detail::word_bits;
        const std::uint64_t found = words_[w] & ~detail::low_bits(i % detail::word_bits);
        if (found != 0) return w * detail::word_bits + detail::lowest_bit(found);
        return first_after(w);
    }
    /// The member with exactly `k` members below it.
    [[nodiscard]] std::optional<std::uint32_t> nth(std::uint32_t k) const;
    /// How many members are below `i`; all of them for i >= size().
    [[nodiscard]] std::uint32_t rank(std::uint32_t i) const;
    /// Members inside `run`, whose end may lie beyond size().
    [[nodiscard]] std::uint32_t count_in(Run run) const;
    /// The lowest `k` members that follow each other without a gap; [0, 0) for k = 0.
    /// O(size / 64), where 4096 numbers without a member count as one word.
    [[nodiscard]] std::optional<Run> first_run(std::uint32_t k) const;

    friend bool operator==(const BitIndex&, const BitIndex&) = default;

  private:
    static constexpr std::uint32_t levels_max = 6;  // 64^6 > 2^32

    [[nodiscard]] std::optional<std::uint32_t> first_after(std::uint32_t word) const;
    [[nodiscard]] std::uint32_t words_in(std::uint32_t level) const {
        return begins_[level + 1] - begins_[level];
    }
    [[nodiscard]] std::uint64_t word(std::uint32_t level, std::uint32_t w) const {
        return words_[begins_[level] + w];
    }
    /// How many members are under a word.
    [[nodiscard]] std::uint32_t count_under(std::uint32_t level, std::uint32_t w) const {
        return level == 0 ? detail::count_bits(words_[w])
                          : counts_[begins_[level] + w - begins_[1]];
    }
    /// Members under the words [first, last) of `level`.
    [[nodiscard]] std::uint32_t sum(std::uint32_t level, Run words) const {
        std::uint32_t total = 0;
        for (std::uint32_t w = words.first; w < words.end; ++w) total += count_under(level, w);
        return total;
    }

    std::uint32_t size_ = 0;
    std::uint32_t count_ = 0;
    std::uint32_t levels_ = 0;
    std::array<std::uint32_t, levels_max + 1> begins_{};  ///< where the words of a level start
    std::vector<std::uint64_t> words_;                    ///< level after level
    std::vector<std::uint32_t> counts_;                   ///< for the words of the levels above 0
};

inline BitIndex::BitIndex(std::uint32_t size) : size_(size) {
    std::uint32_t words = detail::words_for(size);
    do {
        begins_[levels_ + 1] = begins_[levels_] + words;
        ++levels_;
        words = detail::words_for(words);
    } while (begins_[levels_] - begins_[levels_ - 1] > 1);
    words_.resize(begins_[levels_]);
    counts_.resize(begins_[levels_] - begins_[1]);
}

inline BitIndex BitIndex::full(std::uint32_t size) {
    BitIndex all(size);
    for (std::uint32_t i = 0; i < size; ++i) all.set(i);
    return all;
}

inline void BitIndex::set(std::uint32_t i) {
    if (test(i)) return;
    ++count_;
    words_[i / detail::word_bits] |= detail::bit_of(i);
    for (std::uint32_t level = 1; level < levels_; ++level) {
        i /= detail::word_bits;
        const std::uint32_t at = begins_[level] + i / detail::word_bits;
        words_[at] |= detail::bit_of(i);
        ++counts_[at - begins_[1]];
    }
}

inline void BitIndex::clear(std::uint32_t i) {
    if (!test(i)) return;
    --count_;
    std::uint64_t left = words_[i / detail::word_bits] &= ~detail::bit_of(i);
    for (std::uint32_t level = 1; level < levels_; ++level) {
        i /= detail::word_bits;
        const std::uint32_t at = begins_[level] + i / detail::word_bits;
        if (left == 0) words_[at] &= ~detail::bit_of(i);
        left = words_[at];
        --counts_[at - begins_[1]];
    }
}

/// Looks at a few neighbours before it climbs, because members tend to be near.
inline std::optional<std::uint32_t> BitIndex::first_after(std::uint32_t word_before) const {
    constexpr std::uint32_t neighbours = 4;
    std::uint32_t i = word_before + 1;
    for (const std::uint32_t end = std::min(i + neighbours, words_in(0)); i < end; ++i) {
        if (words_[i] != 0) return i * detail::word_bits + detail::lowest_bit(words_[i]);
    }
    for (std::uint32_t level = 1; level < levels_; ++level) {
        std::uint32_t w = i / detail::word_bits;
        if (w >= words_in(level)) return std::nullopt;
        const std::uint64_t found = word(level, w) & ~detail::low_bits(i % detail::word_bits);
        if (found != 0) {
            i = w * detail::word_bits + detail::lowest_bit(found);
            while (level-- != 0) i = i * detail::word_bits + detail::lowest_bit(word(level, i));
            return i;
        }
        i = w + 1;
    }
    return std::nullopt;
}

inline std::optional<std::uint32_t> BitIndex::nth(std::uint32_t k) const {
    if (k >= count_) return std::nullopt;
    std::uint32_t w = 0;
    for (std::uint32_t level = levels_ - 1; level-- != 0;) {
        w *= detail::word_bits;
        for (std::uint32_t here = count_under(level, w); k >= here; here = count_under(level, w)) {
            k -= here;
            ++w;
        }
    }
    return w * detail::word_bits + detail::select_bit(words_[w], k);
}

inline std::uint32_t BitIndex::rank(std::uint32_t i) const {
    if (i >= size_) return count_;
    std::uint32_t w = i / detail::word_bits;
    std::uint32_t below = detail::count_bits(words_[w] & detail::low_bits(i % detail::word_bits));
    for (std::uint32_t level = 0; level < levels_; ++level, w /= detail::word_bits) {
        below += sum(level, {w - w % detail::word_bits, w});
    }
    return below;
}

inline std::uint32_t BitIndex::count_in(Run run) const {
    run.end = std::min(run.end, size_);
    if (run.is_empty()) return 0;
    const std::uint32_t first_word = run.first / detail::word_bits;
    const std::uint32_t last_word = (run.end - 1) / detail::word_bits;
    if (last_word - first_word > detail::word_bits) return rank(run.end) - rank(run.first);
    const std::uint64_t head = ~detail::low_bits(run.first % detail::word_bits);
    const std::uint64_t tail = detail::low_bits((run.end - 1) % detail::word_bits + 1);
    if (first_word == last_word) return detail::count_bits(words_[first_word] & head & tail);
    return detail::count_bits(words_[first_word] & head) + sum(0, {first_word + 1, last_word}) +
           detail::count_bits(words_[last_word] & tail);
}

inline std::optional<BitIndex::Run> BitIndex::first_run(std::uint32_t k) const {
    if (k == 0) return Run{0, 0};
    if (k > count_) return std::nullopt;
    detail::RunFinder finder(k);
    const std::uint32_t words = words_in(0);
    for (std::uint32_t w = 0; w < words; ++w) {
        if (levels_ > 1 && w % detail::word_bits == 0 && word(1, w / detail::word_bits) == 0) {
            finder.skip_gap();
            w += detail::word_bits - 1;
            continue;
        }
        if (const auto first = finder.add(w, words_[w])) return Run{*first, *first + k};
    }
    return std::nullopt;
}

}  // namespace trestle
