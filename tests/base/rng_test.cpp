// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/rng.hpp"

#include <array>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"

using namespace trestle;

TEST_CASE("Rng: the sequence of SplitMix64", "[base][golden]") {
    // The values of the reference implementation, https://prng.di.unimi.it/splitmix64.c
    Rng rng(1234567);
    for (const std::uint64_t expected :
         {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
          4593380528125082431ULL, 16408922859458223821ULL}) {
        CHECK(rng() == expected);
    }
}

TEST_CASE("Rng: a copy continues with the same numbers", "[base]") {
    Rng rng(42);
    rng();
    Rng copy = rng;
    CHECK(rng() == copy());
}

TEST_CASE("Rng: below is even and stays below", "[base]") {
    Rng rng(7);
    std::array<int, 6> seen{};
    for (int i = 0; i < 60'000; ++i) ++seen[rng.below(6)];
    for (const int times : seen) CHECK(std::abs(times - 10'000) < 500);
    CHECK(rng.below(1) == 0);
    for (int i = 0; i < 100; ++i) CHECK(rng.below(~0ULL) < ~0ULL);
}

TEST_CASE("Rng: in reaches both ends of a half-open interval", "[base]") {
    Rng rng(7);
    std::array<int, 5> seen{};
    for (int i = 0; i < 1000; ++i) {
        const int x = rng.in(Interval<int>{-2, 3});
        REQUIRE(Interval<int>{-2, 3}.contains(x));
        ++seen[static_cast<std::size_t>(x + 2)];
    }
    for (const int times : seen) CHECK(times > 100);
}

TEST_CASE("Rng: chance", "[base]") {
    Rng rng(7);
    int hits = 0;
    for (int i = 0; i < 10'000; ++i) hits += rng.chance(1, 4) ? 1 : 0;
    CHECK(std::abs(hits - 2500) < 200);
    CHECK_FALSE(rng.chance(0, 4));
    CHECK(rng.chance(4, 4));
}

TEST_CASE("Rng: choosing from nothing is a broken contract", "[base]") {
    Rng rng(7);
    const std::string rule = "there is something to choose from";
    CHECK(broken_contract([&] { rng.below(0); }) == rule);
    CHECK(broken_contract([&] { rng.in(Interval<int>{3, 3}); }) == rule);
    CHECK(broken_contract([&] { rng.in(Interval<int>{3, 2}); }) == rule);
    CHECK(broken_contract([&] { rng.chance(0, 0); }) == rule);
}
