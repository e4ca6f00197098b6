// SPDX-License-Identifier: Apache-2.0
// The sets against what one would write without them: IndexSet against CRoaring itself, SmallSet
// and BitIndex against a plain vector of words. Names: operation/set/bits/density in percent.
// set_ratios.py makes the table of README.md from the JSON output.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "set/bit_index.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"

namespace {

using namespace trestle;
using namespace trestle::detail;  // the names of CRoaring, wherever its version puts them
using MaybeNumber = std::optional<std::uint32_t>;

/// A bitmap as anybody would write it: one loop over the words for each question.
class PlainWords {
  public:
    PlainWords() = default;
    explicit PlainWords(std::uint32_t bits) : words_((bits + 63) / 64) {}

    void insert(std::uint32_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
    void erase(std::uint32_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

    [[nodiscard]] MaybeNumber first() const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            if (words_[w] != 0) return number(w, std::countr_zero(words_[w]));
        }
        return std::nullopt;
    }
    [[nodiscard]] MaybeNumber next(std::uint32_t i) const {
        std::uint64_t mask = ~std::uint64_t{0} << (i % 64);
        for (std::size_t w = i / 64; w < words_.size(); ++w, mask = ~std::uint64_t{0}) {
            if ((words_[w] & mask) != 0) return number(w, std::countr_zero(words_[w] & mask));
        }
        return std::nullopt;
    }
    [[nodiscard]] MaybeNumber nth(std::uint32_t k) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            const auto here = static_cast<std::uint32_t>(std::popcount(words_[w]));
            if (k < here) {
                std::uint64_t word = words_[w];
                for (; k != 0; --k) word &= word - 1;
                return number(w, std::countr_zero(word));
            }
            k -= here;
        }
        return std::nullopt;
    }
    [[nodiscard]] PlainWords first_k(std::uint32_t k) const {
        PlainWords some;
        some.words_.resize(words_.size());
        for (std::size_t w = 0; w < words_.size() && k != 0; ++w) {
            std::uint64_t word = words_[w];
            const auto here = static_cast<std::uint32_t>(std::popcount(word));
            if (here <= k) {
                some.words_[w] = word;
                k -= here;
                continue;
            }
            for (; k != 0; --k, word &= word - 1) some.words_[w] |= word & (~word + 1);
        }
        return some;
    }
    [[nodiscard]] std::optional<Run> first_run(std::uint32_t k) const {
        std::uint32_t length = 0;
        for (std::size_t w = 0; w < words_.size(); ++w) {
            if (words_[w] == 0) {
                length = 0;
                continue;
            }
            for (int bit = 0; bit < 64; ++bit) {
                length = (words_[w] >> bit & 1) != 0 ? length + 1 : 0;
                if (length == k) return Run{number(w, bit) + 1 - k, number(w, bit) + 1};
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] std::uint32_t count_in(Run run) const {
        if (run.is_empty()) return 0;
        const std::size_t last_word = (run.end - 1) / 64;
        std::uint64_t mask = ~std::uint64_t{0} << (run.first % 64);
        int sum = 0;
        for (std::size_t w = run.first / 64; w < last_word; ++w, mask = ~std::uint64_t{0}) {
            sum += std::popcount(words_[w] & mask);
        }
        sum += std::popcount(words_[last_word] & mask &
                             (~std::uint64_t{0} >> (63 - (run.end - 1) % 64)));
        return static_cast<std::uint32_t>(sum);
    }
    [[nodiscard]] std::uint32_t count_and(const PlainWords& other) const {
        int sum = 0;
        for (std::size_t w = 0; w < words_.size(); ++w) {
            sum += std::popcount(words_[w] & other.words_[w]);
        }
        return static_cast<std::uint32_t>(sum);
    }
    friend PlainWords operator&(const PlainWords& a, const PlainWords& b) {
        PlainWords both = a;
        for (std::size_t w = 0; w < both.words_.size(); ++w) both.words_[w] &= b.words_[w];
        return both;
    }

  private:
    static std::uint32_t number(std::size_t word, int bit) {
        return static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(bit);
    }
    std::vector<std::uint64_t> words_;
};

template <class It>
void advance(It* it) {
    if constexpr (requires { roaring_uint32_iterator_advance(it); }) {
        roaring_uint32_iterator_advance(it);
    } else {
        roaring_advance_uint32_iterator(it);
    }
}

/// CRoaring's own functions, called as its documentation shows.
class PlainRoaring {
  public:
    PlainRoaring() : PlainRoaring(roaring_bitmap_create()) {}
    explicit PlainRoaring(std::uint32_t) : PlainRoaring() {}

    void insert(std::uint32_t i) { roaring_bitmap_add(bitmap_.get(), i); }
    void erase(std::uint32_t i) { roaring_bitmap_remove(bitmap_.get(), i); }
    [[nodiscard]] MaybeNumber first() const {
        if (roaring_bitmap_is_empty(bitmap_.get())) return std::nullopt;
        return roaring_bitmap_minimum(bitmap_.get());
    }
    [[nodiscard]] MaybeNumber next(std::uint32_t i) const {
        roaring_uint32_iterator_t it;
        start_iterator(bitmap_.get(), &it);
        if (!move_iterator_to(&it, i)) return std::nullopt;
        return it.current_value;
    }
    [[nodiscard]] MaybeNumber nth(std::uint32_t k) const {
        std::uint32_t member = 0;
        if (!roaring_bitmap_select(bitmap_.get(), k, &member)) return std::nullopt;
        return member;
    }
    [[nodiscard]] PlainRoaring first_k(std::uint32_t k) const {
        PlainRoaring some(roaring_bitmap_copy(bitmap_.get()));
        if (const auto end = nth(k)) {
            roaring_bitmap_remove_range(some.bitmap_.get(), *end, std::uint64_t{1} << 32);
        }
        return some;
    }
    [[nodiscard]] std::optional<Run> first_run(std::uint32_t k) const {
        roaring_uint32_iterator_t it;
        start_iterator(bitmap_.get(), &it);
        Run run;
        for (; it.has_value; advance(&it)) {
            if (it.current_value != run.end) run.first = it.current_value;
            run.end = it.current_value + 1;
            if (run.end - run.first == k) return run;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::uint32_t count_in(Run run) const {
        return static_cast<std::uint32_t>(
            roaring_bitmap_range_cardinality(bitmap_.get(), run.first, run.end));
    }
    [[nodiscard]] std::uint32_t count_and(const PlainRoaring& other) const {
        return static_cast<std::uint32_t>(
            roaring_bitmap_and_cardinality(bitmap_.get(), other.bitmap_.get()));
    }
    friend PlainRoaring operator&(const PlainRoaring& a, const PlainRoaring& b) {
        return PlainRoaring(roaring_bitmap_and(a.bitmap_.get(), b.bitmap_.get()));
    }

  private:
    struct Free {
        void operator()(roaring_bitmap_t* bitmap) const { roaring_bitmap_free(bitmap); }
    };
    explicit PlainRoaring(roaring_bitmap_t* bitmap) : bitmap_(bitmap) {}

    std::unique_ptr<roaring_bitmap_t, Free> bitmap_;
};

template <class Set>
void put(Set& set, std::uint32_t i) {
    if constexpr (requires { set.insert(i); }) {
        set.insert(i);
    } else {
        set.set(i);
    }
}
template <class Set>
void take(Set& set, std::uint32_t i) {
    if constexpr (requires { set.erase(i); }) {
        set.erase(i);
    } else {
        set.clear(i);
    }
}

template <class Set>
Set make_set(std::uint32_t bits, std::uint32_t percent, Rng& rng) {
    Set set = [&] {
        if constexpr (std::is_constructible_v<Set, std::uint32_t>) {
            return Set(bits);
        } else {
            return Set();
        }
    }();
    for (std::uint32_t i = 0; i < bits; ++i) {
        if (rng.chance(percent, 100)) put(set, i);
    }
    return set;
}

/// Eight sets and 1,024 random numbers, taken in turn, so that no answer can be remembered.
template <class Set>
class Inputs {
  public:
    explicit Inputs(const benchmark::State& state)
        : bits_(static_cast<std::uint32_t>(state.range(0))),
          percent_(static_cast<std::uint32_t>(state.range(1))) {
        Rng rng(bits_ + percent_);
        for (int i = 0; i < 8; ++i) sets_.push_back(make_set<Set>(bits_, percent_, rng));
        for (int i = 0; i < 1024; ++i) numbers_.push_back(static_cast<std::uint32_t>(rng()));
    }

    void step() { ++at_; }
    [[nodiscard]] Set& set() { return sets_[at_ % 8]; }
    [[nodiscard]] Set& other() { return sets_[(at_ + 1) % 8]; }
    /// A random number below `bound`.
    [[nodiscard]] std::uint32_t below(std::uint32_t bound) const { return scaled(at_, bound); }
    /// What below(bits()) gave when this set was used last.
    [[nodiscard]] std::uint32_t before() const { return scaled(at_ + 1024 - 8, bits_); }
    [[nodiscard]] std::uint32_t bits() const { return bits_; }
    [[nodiscard]] std::uint32_t members() const { return bits_ / 100 * percent_; }
    /// A run that random sets of this density are likely to have.
    [[nodiscard]] std::uint32_t likely_run() const {
        return percent_ == 1 ? 2 : percent_ == 50 ? 8 : 200;
    }
    [[nodiscard]] Run run() const {
        const std::uint32_t a = below(bits_);
        const std::uint32_t b = scaled(at_ + 511, bits_);
        return {std::min(a, b), std::max(a, b)};
    }

  private:
    [[nodiscard]] std::uint32_t scaled(std::size_t at, std::uint32_t bound) const {
        return static_cast<std::uint32_t>(std::uint64_t{numbers_[at % 1024]} * bound >> 32);
    }

    std::uint32_t bits_;
    std::uint32_t percent_;
    std::vector<Set> sets_;
    std::vector<std::uint32_t> numbers_;
    std::size_t at_ = 0;
};

template <class Set, class Operation>
void measure(benchmark::State& state, Operation operation) {
    Inputs<Set> inputs(state);
    for (auto _ : state) {
        inputs.step();
        benchmark::DoNotOptimize(operation(inputs));
    }
}

constexpr auto change = [](auto& in) {
    put(in.set(), in.below(in.bits()));
    take(in.set(), in.before());
    return 0;
};
constexpr auto ask_first = [](auto& in) { return in.set().first(); };
constexpr auto ask_next = [](auto& in) { return in.set().next(in.below(in.bits())); };
constexpr auto ask_nth = [](auto& in) { return in.set().nth(in.below(in.members())); };
constexpr auto ask_first_k = [](auto& in) { return in.set().first_k(in.below(in.members())); };
constexpr auto ask_first_run = [](auto& in) {
    return in.set().first_run(1 + in.below(in.likely_run()));
};
constexpr auto ask_count_in = [](auto& in) { return in.set().count_in(in.run()); };
constexpr auto ask_count_and = [](auto& in) { return in.set().count_and(in.other()); };
constexpr auto ask_intersection = [](auto& in) { return in.set() & in.other(); };

template <class Set, class Operation>
void add(const std::string& operation_name, const char* set_name,
         const std::vector<std::int64_t>& sizes, Operation operation) {
    benchmark::RegisterBenchmark(
        (operation_name + "/" + set_name).c_str(),
        [operation](benchmark::State& state) { measure<Set>(state, operation); })
        ->ArgsProduct({sizes, {1, 50, 99}});
}

template <class Set>
void add_questions(const char* name, const std::vector<std::int64_t>& sizes) {
    add<Set>("change", name, sizes, change);
    add<Set>("first", name, sizes, ask_first);
    add<Set>("next", name, sizes, ask_next);
    add<Set>("nth", name, sizes, ask_nth);
    add<Set>("first_run", name, sizes, ask_first_run);
    add<Set>("count_in", name, sizes, ask_count_in);
}
template <class Set>
void add_all(const char* name, const std::vector<std::int64_t>& sizes) {
    add_questions<Set>(name, sizes);
    add<Set>("first_k", name, sizes, ask_first_k);
    add<Set>("count_and", name, sizes, ask_count_and);
    add<Set>("intersection", name, sizes, ask_intersection);
}

const bool sets_are_registered = [] {
    const std::vector<std::int64_t> small = {256, 1024};
    const std::vector<std::int64_t> large = {1 << 10, 1 << 16, 1 << 20};
    const std::vector<std::int64_t> all = {256, 1 << 10, 1 << 16, 1 << 20};
    add_all<PlainWords>("words", all);
    add_all<PlainRoaring>("CRoaring", large);
    add_all<SmallSet<>>("SmallSet", small);
    add_questions<BitIndex>("BitIndex", large);
    add_all<IndexSet<>>("IndexSet", large);
    return true;
}();

}  // namespace
