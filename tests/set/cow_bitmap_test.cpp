// SPDX-License-Identifier: Apache-2.0
// CowBitmap against std::set, with copies that must not notice each other.
#include "set/cow_bitmap.hpp"

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;

namespace {

/// A CowBitmap and the std::set that it must equal.
struct BitmapPair {
    CowBitmap bitmap;
    std::set<std::uint32_t> oracle;

    void turn(std::uint32_t i) {
        if (oracle.insert(i).second) {
            bitmap.insert(i);
        } else {
            oracle.erase(i);
            bitmap.erase(i);
        }
    }
    [[nodiscard]] bool is_free(std::uint32_t first, std::uint32_t last) const {
        return oracle.lower_bound(first) == oracle.lower_bound(last);
    }
    void insert_range(std::uint32_t first, std::uint32_t last) {
        bitmap.insert_range(first, last);
        for (std::uint32_t i = first; i < last; ++i) oracle.insert(i);
    }
    [[nodiscard]] std::optional<std::uint32_t> next(std::uint32_t i) const {
        const auto at = oracle.lower_bound(i);
        return at == oracle.end() ? std::nullopt : std::optional(*at);
    }
};

/// All that a bitmap says, at its members and beside them.
void check_equal(const BitmapPair& pair) {
    REQUIRE(pair.bitmap.size() == pair.oracle.size());
    REQUIRE(pair.bitmap.is_empty() == pair.oracle.empty());
    std::uint32_t rank = 0;
    for (const std::uint32_t member : pair.oracle) {
        REQUIRE(pair.bitmap.nth(rank++) == member);
        for (const std::uint32_t i : {member - 1, member, member + 1}) {
            REQUIRE(pair.bitmap.next(i) == pair.next(i));
            REQUIRE(pair.bitmap.contains(i) == pair.oracle.contains(i));
        }
    }
    for (const std::uint32_t i : {0u, 511u, 512u, 8192u, 1u << 21, ~std::uint32_t{0}}) {
        REQUIRE(pair.bitmap.next(i) == pair.next(i));
    }
}

}  // namespace

TEST_CASE("CowBitmap: random changes agree with std::set in every generation", "[set]") {
    Rng rng(test_seed());
    for (const std::uint64_t limit : {4u, 600u, 20'000u, 3'000'000u}) {
        std::vector<BitmapPair> generations(1);
        for (int step = 0; step < 400; ++step) {
            BitmapPair& now = generations.back();
            const auto i = static_cast<std::uint32_t>(rng.below(limit));
            if (rng.below(40) == 0) {
                const auto last = i + static_cast<std::uint32_t>(rng.below(2000));
                if (now.is_free(i, last)) now.insert_range(i, last);
            } else if (!now.oracle.empty() && rng.below(3) == 0) {
                now.turn(*std::next(now.oracle.begin(),
                                    static_cast<std::ptrdiff_t>(rng.below(now.oracle.size()))));
            } else {
                now.turn(i);
            }
            if (step % 50 == 0) generations.push_back(generations.back());
        }
        for (const BitmapPair& one : generations) check_equal(one);
    }
}

TEST_CASE("CowBitmap: all that four numbers can go through", "[set]") {
    // Neighbours, the borders of a leaf and of a branch, and far away.
    for (const std::array<std::uint32_t, 4> numbers :
         {std::array{0u, 1u, 2u, 3u}, std::array{63u, 64u, 511u, 512u},
          std::array{8191u, 8192u, 131'071u, 131'072u}, std::array{7u, 1u << 25, 1u << 31, ~0u}}) {
        for (std::uint32_t steps = 0; steps < 4096; ++steps) {
            BitmapPair pair;
            for (std::uint32_t at = 0; at < 12; at += 2) pair.turn(numbers[steps >> at & 3]);
            check_equal(pair);
        }
    }
}

TEST_CASE("CowBitmap: emptied, it is as new, whatever it held", "[set]") {
    BitmapPair pair;
    pair.insert_range(1000, 30'000);
    const BitmapPair copy = pair;
    for (std::uint32_t i = 1000; i < 30'000; ++i) pair.turn(i);
    check_equal(pair);
    check_equal(copy);
    pair.insert_range(5, 7);
    pair.insert_range(7, 7);
    check_equal(pair);
    pair.bitmap = copy.bitmap;
    pair.oracle = copy.oracle;
    check_equal(pair);
    const CowBitmap taken = std::exchange(pair.bitmap, {});
    CHECK(taken.size() == 29'000);
    CHECK(pair.bitmap.is_empty());
    CHECK(broken_contract([&] { static_cast<void>(pair.bitmap.nth(0)); }) != "");
}

TEST_CASE("CowBitmap: copies change in threads of their own", "[set][threads]") {
    CowBitmap bitmap;
    bitmap.insert_range(0, 50'000);
    std::vector<std::thread> threads;
    std::array<std::uint32_t, 4> left{};
    for (std::uint32_t t = 0; t < left.size(); ++t) {
        threads.emplace_back([copy = bitmap, t, &left]() mutable {
            for (std::uint32_t i = t; i < 50'000; i += t + 1) copy.erase(i);
            left[t] = copy.size();
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(left == std::array{0u, 25'000u, 33'334u, 37'500u});
    CHECK(bitmap.size() == 50'000);
}
