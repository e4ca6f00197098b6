// SPDX-License-Identifier: Apache-2.0
#pragma once

// WordSet: the untyped machinery of SmallSet, compiled once for all index types.
//
// Layer: set (detail). Main types: WordBuffer (words in place, on the heap beyond 256 bits),
// WordSet (the set on top of it), BitIterator.
// Pitfall: words beyond the last member may or may not exist; every operation treats absent words
// as zero, which is why capacity never shows.

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "trestle/base/contract.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/set/detail/bits.hpp"
#include "trestle/set/detail/index.hpp"

namespace trestle::detail {

/// Words that start as zero and stay in place up to `inline_words`.
class WordBuffer {
  public:
    static constexpr std::uint32_t inline_words = 4;
    static constexpr std::uint32_t words_max = 1U << 14;

    WordBuffer() = default;
    WordBuffer(const WordBuffer& other) {
        if (other.is_in_place()) {
            words_ = other.words_;
        } else {
            assign(other);
        }
    }
    WordBuffer(WordBuffer&& other) noexcept { swap(other); }
    WordBuffer& operator=(const WordBuffer& other) {
        if (is_in_place() && other.is_in_place()) {
            words_ = other.words_;
        } else if (this != &other) {
            assign(other);
        }
        return *this;
    }
    WordBuffer& operator=(WordBuffer&& other) noexcept {
        WordBuffer(std::move(other)).swap(*this);
        return *this;
    }
    ~WordBuffer() {
        if (!is_in_place()) delete[] words_.heap;
    }

    /// `size` words, word number w being word_of(w). Requires: size >= inline_words.
    template <class WordOf>
    [[nodiscard]] static WordBuffer generate(std::uint32_t size, WordOf word_of) {
        WordBuffer buffer;
        if (size > inline_words) buffer.replace(new std::uint64_t[size], size);
        std::uint64_t* words = buffer.data();
        for (std::uint32_t w = 0; w < size; ++w) words[w] = word_of(w);
        return buffer;
    }

    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] const std::uint64_t* data() const {
        return is_in_place() ? words_.in_place.data() : words_.heap;
    }
    [[nodiscard]] std::uint64_t* data() {
        return is_in_place() ? words_.in_place.data() : words_.heap;
    }
    [[nodiscard]] bool is_in_place() const { return size_ == inline_words; }
    /// Requires: is_in_place().
    [[nodiscard]] const std::array<std::uint64_t, inline_words>& in_place() const {
        return words_.in_place;
    }

    /// Afterwards size() >= `words`; new words are zero. Requires: words <= words_max.
    void grow(std::uint32_t words) {
        if (words <= size_) return;
        TRESTLE_EXPECTS(words <= words_max, "a member of a small set is below 2^20");
        const std::uint32_t bigger = std::max(words, std::min(2 * size_, words_max));
        auto* const grown = new std::uint64_t[bigger];
        std::fill(std::copy_n(data(), size_, grown), grown + bigger, 0);
        replace(grown, bigger);
    }
    void clear() { std::fill_n(data(), size_, 0); }

  private:
    void assign(const WordBuffer& other) {
        std::uint32_t used = other.size_;
        while (used != 0 && other.data()[used - 1] == 0) --used;
        grow(used);
        std::copy_n(other.data(), used, data());
        std::fill(data() + used, data() + size_, 0);
    }

    void replace(std::uint64_t* heap, std::uint32_t size) {
        if (!is_in_place()) delete[] words_.heap;
        words_.heap = heap;
        size_ = size;
    }
    void swap(WordBuffer& other) noexcept {
        std::swap(words_, other.words_);
        std::swap(size_, other.size_);
    }

    union Words {
        std::array<std::uint64_t, inline_words> in_place{};
        std::uint64_t* heap;
    } words_{};
    std::uint32_t size_ = inline_words;  ///< `inline_words`: they lie in place
};

/// Walks over the set bits in rising order. Invalid after any change of the set.
template <SetIndex Index>
class BitIterator {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Index;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Index;

    BitIterator() = default;
    /// At the first set bit of the words from `word` on, or at the end.
    BitIterator(std::span<const std::uint64_t> words, std::uint32_t word)
        : words_(words.data()), size_(static_cast<std::uint32_t>(words.size())), word_(word) {
        if (word_ < size_) rest_ = words_[word_];
        skip_empty_words();
    }

    [[nodiscard]] Index operator*() const { return Index(word_bits * word_ + lowest_bit(rest_)); }
    BitIterator& operator++() {
        rest_ &= rest_ - 1;
        skip_empty_words();
        return *this;
    }
    BitIterator operator++(int) {
        BitIterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const BitIterator& a, const BitIterator& b) {
        return a.word_ == b.word_ && a.rest_ == b.rest_;
    }

  private:
    void skip_empty_words() {
        while (rest_ == 0 && word_ < size_) {
            if (++word_ < size_) rest_ = words_[word_];
        }
    }

    const std::uint64_t* words_ = nullptr;
    std::uint32_t size_ = 0;
    std::uint32_t word_ = 0;
    std::uint64_t rest_ = 0;  ///< the bits of the current word not yet passed
};

/// A set of numbers below 2^20 as a bitmap. The meaning of each function stands in BasicSet.
class WordSet {
  public:
    template <class Index>
    using Iterator = BitIterator<Index>;

    static constexpr std::uint32_t index_limit = WordBuffer::words_max * word_bits;

    WordSet() = default;

    void insert(std::uint32_t i) {
        words_.grow(i / word_bits + 1);
        words_.data()[i / word_bits] |= bit_of(i);
    }
    void erase(std::uint32_t i) {
        if (i / word_bits < words_.size()) words_.data()[i / word_bits] &= ~bit_of(i);
    }
    void insert_range(Run run) {
        if (run.is_empty()) return;
        words_.grow(words_for(run.end));
        for_each_word(words(), run, [](std::uint64_t& word, std::uint64_t mask) { word |= mask; });
    }
    void erase_range(Run run) {
        for_each_word(words(), run, [](std::uint64_t& word, std::uint64_t mask) { word &= ~mask; });
    }
    void clear() { words_.clear(); }

    [[nodiscard]] bool contains(std::uint32_t i) const {
        return i / word_bits < words_.size() && (words_.data()[i / word_bits] & bit_of(i)) != 0;
    }
    [[nodiscard]] bool contains_all(const WordSet& other) const {
        const std::uint64_t* mine = words_.data();
        const std::uint64_t* theirs = other.words_.data();
        const std::uint32_t common = common_words(*this, other);
        for (std::uint32_t w = 0; w < common; ++w) {
            if ((theirs[w] & ~mine[w]) != 0) return false;
        }
        return other.is_zero_from(common);
    }
    [[nodiscard]] bool intersects(const WordSet& other) const {
        const std::uint64_t* mine = words_.data();
        const std::uint64_t* theirs = other.words_.data();
        const std::uint32_t common = common_words(*this, other);
        for (std::uint32_t w = 0; w < common; ++w) {
            if ((theirs[w] & mine[w]) != 0) return true;
        }
        return false;
    }
    [[nodiscard]] bool is_empty() const { return is_zero_from(0); }

    [[nodiscard]] std::uint32_t count() const {
        std::uint32_t sum = 0;
        for (const std::uint64_t word : words()) sum += count_bits(word);
        return sum;
    }
    [[nodiscard]] std::uint32_t count_in(Run run) const {
        std::uint32_t sum = 0;
        for_each_word(words(), run, [&](std::uint64_t word, std::uint64_t mask) {
            sum += count_bits(word & mask);
        });
        return sum;
    }
    [[nodiscard]] std::uint32_t count_and(const WordSet& other) const {
        const std::uint64_t* mine = words_.data();
        const std::uint64_t* theirs = other.words_.data();
        const std::uint32_t common = common_words(*this, other);
        std::uint32_t sum = 0;
        for (std::uint32_t w = 0; w < common; ++w) sum += count_bits(mine[w] & theirs[w]);
        return sum;
    }

    [[nodiscard]] std::optional<std::uint32_t> first() const { return next(0); }
    [[nodiscard]] std::optional<std::uint32_t> last() const {
        const std::uint64_t* const all = words_.data();
        for (std::uint32_t w = words_.size(); w-- > 0;) {
            if (all[w] != 0) return word_bits * w + highest_bit(all[w]);
        }
        return std::nullopt;
    }
    [[nodiscard]] std::optional<std::uint32_t> next(std::uint32_t i) const {
        const std::span<const std::uint64_t> all = words();
        std::uint32_t w = i / word_bits;
        if (w >= all.size()) return std::nullopt;
        std::uint64_t word = all[w] & ~low_bits(i % word_bits);
        while (word == 0) {
            if (++w == all.size()) return std::nullopt;
            word = all[w];
        }
        return word_bits * w + lowest_bit(word);
    }
    [[nodiscard]] std::optional<std::uint32_t> nth(std::uint32_t k) const {
        const std::span<const std::uint64_t> all = words();
        for (std::uint32_t w = 0; w < all.size(); ++w) {
            const std::uint32_t here = count_bits(all[w]);
            if (k < here) return word_bits * w + select_bit(all[w], k);
            k -= here;
        }
        return std::nullopt;
    }
    [[nodiscard]] WordSet first_k(std::uint32_t k) const {
        const auto end = nth(k);
        if (!end) return *this;
        const std::uint64_t* all = words_.data();
        const std::uint32_t last = *end / word_bits;
        const std::uint32_t size = std::max(last + 1, WordBuffer::inline_words);
        return WordSet(WordBuffer::generate(size, [&](std::uint32_t w) {
            return w < last ? all[w] : w == last ? all[w] & low_bits(*end % word_bits) : 0;
        }));
    }
    [[nodiscard]] std::optional<Run> first_run(std::uint32_t k) const;

    WordSet& operator|=(const WordSet& other) {
        const auto theirs = other.used_words();
        words_.grow(static_cast<std::uint32_t>(theirs.size()));
        std::uint64_t* mine = words_.data();
        for (std::size_t w = 0; w < theirs.size(); ++w) mine[w] |= theirs[w];
        return *this;
    }
    WordSet& operator^=(const WordSet& other) {
        const auto theirs = other.used_words();
        words_.grow(static_cast<std::uint32_t>(theirs.size()));
        std::uint64_t* mine = words_.data();
        for (std::size_t w = 0; w < theirs.size(); ++w) mine[w] ^= theirs[w];
        return *this;
    }
    WordSet& operator&=(const WordSet& other) {
        std::uint64_t* mine = words_.data();
        const std::uint64_t* theirs = other.words_.data();
        const std::uint32_t common = common_words(*this, other);
        for (std::uint32_t w = 0; w < common; ++w) mine[w] &= theirs[w];
        std::fill(mine + common, mine + words_.size(), 0);
        return *this;
    }
    WordSet& operator-=(const WordSet& other) {
        std::uint64_t* mine = words_.data();
        const std::uint64_t* theirs = other.words_.data();
        const std::uint32_t common = common_words(*this, other);
        for (std::uint32_t w = 0; w < common; ++w) mine[w] &= ~theirs[w];
        return *this;
    }
    friend WordSet operator|(WordSet a, const WordSet& b) {
        a |= b;
        return a;
    }
    friend WordSet operator&(const WordSet& a, const WordSet& b) {
        const std::uint64_t* left = a.words_.data();
        const std::uint64_t* right = b.words_.data();
        return WordSet(WordBuffer::generate(common_words(a, b),
                                            [&](std::uint32_t w) { return left[w] & right[w]; }));
    }
    friend WordSet operator-(WordSet a, const WordSet& b) {
        a -= b;
        return a;
    }
    friend WordSet operator^(WordSet a, const WordSet& b) {
        a ^= b;
        return a;
    }

    friend bool operator==(const WordSet& a, const WordSet& b) {
        if (a.words_.is_in_place() && b.words_.is_in_place()) {
            return a.words_.in_place() == b.words_.in_place();
        }
        const std::uint32_t common = std::min(a.words_.size(), b.words_.size());
        return std::equal(a.words_.data(), a.words_.data() + common, b.words_.data()) &&
               a.is_zero_from(common) && b.is_zero_from(common);
    }
    friend std::strong_ordering operator<=>(const WordSet& a, const WordSet& b);

    template <class Index>
    [[nodiscard]] BitIterator<Index> begin() const {
        return {words(), 0};
    }
    template <class Index>
    [[nodiscard]] BitIterator<Index> end() const {
        return {words(), words_.size()};
    }

    [[nodiscard]] std::span<const std::uint64_t> words() const {
        return {words_.data(), words_.size()};
    }
    [[nodiscard]] std::span<std::uint64_t> words() { return {words_.data(), words_.size()}; }
    /// The words up to the last one that is not zero.
    [[nodiscard]] std::span<const std::uint64_t> used_words() const {
        const std::span<const std::uint64_t> all = words();
        std::size_t used = all.size();
        while (used != 0 && all[used - 1] == 0) --used;
        return all.first(used);
    }
    void hash_into(HashState& state) const {
        const std::span<const std::uint64_t> used = used_words();
        state.add(used.size());
        for (const std::uint64_t word : used) state.add(word);
    }

  private:
    /// How many words both sets have.
    [[nodiscard]] static std::uint32_t common_words(const WordSet& a, const WordSet& b) {
        return std::min(a.words_.size(), b.words_.size());
    }

    explicit WordSet(WordBuffer words) : words_(std::move(words)) {}

    [[nodiscard]] bool is_zero_from(std::uint32_t word) const {
        const auto rest = words().subspan(word);
        return std::all_of(rest.begin(), rest.end(), [](std::uint64_t w) { return w == 0; });
    }
    /// visit(word, bits of that word inside `run`) for those of `words` that `run` touches.
    template <class Word, class Visit>
    static void for_each_word(std::span<Word> words, Run run, Visit visit) {
        const auto end = static_cast<std::uint32_t>(words.size() * word_bits);
        const std::uint32_t last = std::min(run.end, end);
        if (run.first >= last) return;
        const std::uint32_t last_word = (last - 1) / word_bits;
        std::uint64_t mask = ~low_bits(run.first % word_bits);
        for (std::uint32_t w = run.first / word_bits; w < last_word; ++w, mask = all_bits) {
            visit(words[w], mask);
        }
        visit(words[last_word], mask & low_bits((last - 1) % word_bits + 1));
    }

    WordBuffer words_;
};

inline std::optional<Run> WordSet::first_run(std::uint32_t k) const {
    if (k == 0) return Run{0, 0};
    RunFinder finder(k);
    for (std::uint32_t w = 0; w < words_.size(); ++w) {
        if (const auto first = finder.add(w, words_.data()[w])) return Run{*first, *first + k};
    }
    return std::nullopt;
}

/// By the ascending lists of members. At the lowest number that only one set has, the other one
/// goes on with something larger, or is over and therefore a prefix.
inline std::strong_ordering operator<=>(const WordSet& a, const WordSet& b) {
    const std::uint32_t size = std::max(a.words_.size(), b.words_.size());
    const auto word_of = [](const WordSet& set, std::uint32_t w) {
        return w < set.words_.size() ? set.words_.data()[w] : 0;
    };
    for (std::uint32_t w = 0; w < size; ++w) {
        const std::uint64_t differs = word_of(a, w) ^ word_of(b, w);
        if (differs == 0) continue;
        const std::uint32_t i = word_bits * w + lowest_bit(differs);
        if (a.contains(i)) {
            return b.next(i) ? std::strong_ordering::less : std::strong_ordering::greater;
        }
        return a.next(i) ? std::strong_ordering::greater : std::strong_ordering::less;
    }
    return std::strong_ordering::equal;
}

}  // namespace trestle::detail
