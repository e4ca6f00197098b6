// SPDX-License-Identifier: Apache-2.0
// CowArray against std::vector; and copies, which must not notice what happens to each other.
#include "base/cow/cow_array.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/cow/cow.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;

static_assert(std::regular<CowArray<int>>);

namespace {

/// A CowArray and the std::vector that it must equal.
template <class T>
struct ArrayPair {
    CowArray<T> array;
    std::vector<T> oracle;

    void set(std::size_t i, T value) {
        array.set(i, value);
        oracle[i] = value;
    }
    void push_back(T value) {
        array.push_back(value);
        oracle.push_back(value);
    }
    void pop_back() {
        array.pop_back();
        oracle.pop_back();
    }
    void resize(std::size_t size, T value) {
        array.resize(size, value);
        oracle.resize(size, value);
    }
};

/// An element that counts how often it is compared.
struct Element {
    static inline int comparisons = 0;
    int value = 0;

    friend bool operator==(const Element& a, const Element& b) {
        ++comparisons;
        return a.value == b.value;
    }
};

template <class T>
std::vector<T> elements_of(const CowArray<T>& array) {
    std::vector<T> all;
    array.for_each([&all](std::size_t i, const T& value) {
        if (i == all.size()) all.push_back(value);
    });
    return all;
}

template <class T>
std::vector<std::size_t> differences(const CowArray<T>& a, const CowArray<T>& b) {
    std::vector<std::size_t> found;
    a.for_each_difference(b, [&found](std::size_t i) { found.push_back(i); });
    return found;
}

template <class T>
std::vector<std::size_t> differences(const std::vector<T>& a, const std::vector<T>& b) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        if (i >= a.size() || i >= b.size() || !(a[i] == b[i])) found.push_back(i);
    }
    return found;
}

template <class T>
bool all_agree(const std::vector<ArrayPair<T>>& generations) {
    for (const auto& a : generations) {
        if (a.array.size() != a.oracle.size() || elements_of(a.array) != a.oracle) return false;
        for (const auto& b : generations) {
            if (differences(a.array, b.array) != differences(a.oracle, b.oracle)) return false;
            if ((a.array == b.array) != (a.oracle == b.oracle)) return false;
            if (a.array == b.array && hash_of(a.array) != hash_of(b.array)) return false;
        }
    }
    return true;
}

template <class T, class Make>
void compare_with_vector(std::uint64_t seed, std::size_t size_max, Make make) {
    Rng rng(seed);
    std::vector<ArrayPair<T>> generations;
    ArrayPair<T> now;
    for (int step = 0; step < 20'000; ++step) {
        const T value = make(rng.below(20));
        if (rng.chance(1, 300)) {
            now.resize(rng.below(size_max), value);
        } else if (rng.chance(1, 4)) {
            now.push_back(value);
        } else if (!now.oracle.empty()) {
            if (rng.chance(1, 5)) {
                now.pop_back();
            } else {
                now.set(rng.below(now.oracle.size()), value);
            }
        }
        if (rng.chance(1, 1000)) generations.push_back(now);
        if (rng.chance(1, 3000) && !generations.empty()) {
            now = generations[rng.below(generations.size())];
        }
    }
    generations.push_back(now);
    CHECK(all_agree(generations));
}

}  // namespace

TEST_CASE("CowArray: random operations agree with std::vector in every generation", "[base]") {
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    compare_with_vector<std::uint32_t>(
        seed, 20'000, [](std::uint64_t x) { return static_cast<std::uint32_t>(x); });
    compare_with_vector<std::uint8_t>(seed + 1, 3'000,
                                      [](std::uint64_t x) { return static_cast<std::uint8_t>(x); });
    compare_with_vector<std::string>(seed + 2, 3'000,
                                     [](std::uint64_t x) { return std::string(x * 2, 'x'); });
}

TEST_CASE("CowArray: every size around the edges of blocks and levels", "[base]") {
    using Wide = std::array<std::uint64_t, 64>;  // 16 to a block, 256 to a level
    const std::array<std::size_t, 16> sizes{0,   1,   15,  16,  17,   31,   32,   33,
                                            255, 256, 257, 272, 4095, 4096, 4097, 4113};
    for (const std::size_t from : sizes) {
        for (const std::size_t to : sizes) {
            CAPTURE(from, to);
            const CowArray<Wide> before(from, Wide{1});
            CowArray<Wide> array = before;
            array.resize(to, Wide{2});
            bool is_right = array.size() == to;
            array.for_each([&](std::size_t i, const Wide& value) {
                is_right = is_right && value == Wide{i < from ? 1u : 2u};
            });
            CHECK(is_right);
            CHECK(before == CowArray<Wide>(from, Wide{1}));
            CHECK(differences(before, array).size() == std::max(from, to) - std::min(from, to));
        }
    }
}

TEST_CASE("CowArray: what is dropped does not come back and is not kept alive", "[base]") {
    CowArray<Cow<std::string>> array(40);
    const Cow<std::string> value(std::string("rack"));
    for (std::size_t i = 0; i < array.size(); ++i) array.set(i, value);
    CHECK_FALSE(value.is_unique());
    array.resize(7);
    array.pop_back();
    array.set(0, {});
    for (std::size_t i = 1; i < array.size(); ++i) array.set(i, {});
    CHECK(value.is_unique());
    array.set(5, value);
    while (!array.is_empty()) array.pop_back();
    CHECK(value.is_unique());
    array.resize(40);
    CHECK(*array[39] == "");
}

TEST_CASE("CowArray: a million equal elements cost a few blocks", "[base]") {
    CowArray<std::uint64_t> array(1'000'000, 7);
    CHECK(array[0] == 7);
    CHECK(array[999'999] == 7);
    const CowArray<std::uint64_t> copy = array;
    array.write(123'456) = 8;
    CHECK(differences(array, copy) == std::vector<std::size_t>{123'456});
    CHECK(array[123'455] == 7);
    CHECK(array != copy);
    array.set(123'456, 7);
    CHECK(array == copy);
    CHECK(hash_of(array) == hash_of(copy));
}

TEST_CASE("CowArray: comparing looks only at what is not shared", "[base]") {
    constexpr std::size_t beyond_reach = 1'000'000'000'000'000;
    const CowArray<Element> array(beyond_reach);
    CowArray<Element> changed = array;
    changed.write(beyond_reach / 3).value = 1;
    Element::comparisons = 0;
    CHECK(differences(array, changed) == std::vector<std::size_t>{beyond_reach / 3});
    CHECK(Element::comparisons <= 256);
}

TEST_CASE("CowArray: an unshared element is written where it is", "[base]") {
    CowArray<int> array(1000);
    array.set(5, 1);
    const int* const place = &array[5];
    array.set(5, 2);
    CHECK(&array[5] == place);
    const CowArray<int> copy = array;
    CHECK(&copy[5] == place);
    array.set(5, 3);
    CHECK(&array[5] != place);
    CHECK(copy[5] == 2);
    CHECK(array[5] == 3);
}

TEST_CASE("CowArray: what was moved from is empty", "[base]") {
    CowArray<int> array(300, 1);
    const CowArray<int> taken = std::move(array);
    CHECK(array.is_empty());  // NOLINT(bugprone-use-after-move): documented
    CHECK(taken.size() == 300);
    array.push_back(4);
    CHECK(array[0] == 4);
}

TEST_CASE("CowArray: a wrong index breaks the contract", "[base]") {
    CowArray<int> array(3);
    CHECK(broken_contract([&] { static_cast<void>(array[3]); }) != "");
    CHECK(broken_contract([&] { array.write(3) = 1; }) != "");
    CHECK(broken_contract([] { CowArray<int>().pop_back(); }) != "");
    CHECK(broken_contract([&] { static_cast<void>(array[2]); }) == "");
}

TEST_CASE("CowArray: threads read copies while the original is written", "[base][threads]") {
    CowArray<std::uint64_t> written(5000, 1);
    std::array<std::thread, 3> threads;
    std::array<std::uint64_t, 3> sums{};
    for (std::size_t t = 0; t < threads.size(); ++t) {
        threads[t] = std::thread([copy = written, &sum = sums[t]]() mutable {
            for (int round = 0; round < 20; ++round) {
                const CowArray<std::uint64_t> again = copy;
                again.for_each([&sum](std::size_t, std::uint64_t value) { sum += value; });
            }
            copy = {};
        });
    }
    for (std::size_t i = 0; i < 5000; ++i) {
        written.set(i, 2);
        if (i % 50 == 0) {
            const CowArray<std::uint64_t> kept = written;
            written.set(i, 3);
        }
    }
    for (auto& thread : threads) thread.join();
    for (const std::uint64_t sum : sums) CHECK(sum == 100'000);
    CHECK(written[0] == 3);
}
