// SPDX-License-Identifier: Apache-2.0
#include "set/bit_index.hpp"

#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/checked_set.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;

namespace {

/// Throws Disagreement unless every question has the answer of `set`.
void compare(const BitIndex& index, const ModelSet& set, const std::vector<std::uint32_t>& probes) {
    agreed("count", index.count(), set.size());
    agreed("is_empty", index.is_empty(), set.empty());
    agreed("first", index.first(), model::first(set));
    for (const std::uint32_t i : probes) {
        if (i < index.size()) agreed("test", index.test(i), set.contains(i));
        agreed("next", index.next(i), model::next(set, i));
        agreed("rank", index.rank(i), model::count_in(set, {0, i}));
        agreed("nth", index.nth(i), model::nth(set, i));
        agreed("first_run", index.first_run(i), model::first_run(set, i));
        for (const std::uint32_t j : probes) {
            agreed("count_in", index.count_in({i, j}), model::count_in(set, {i, j}));
        }
    }
}

}  // namespace

TEST_CASE("BitIndex: random sequences agree with std::set", "[set][law]") {
    const std::uint64_t seed = test_seed();
    const auto size = GENERATE(1u, 63u, 64u, 65u, 255u, 257u, 1024u, 4096u, 4097u, 300'000u);
    INFO("seed " << seed << ", size " << size);
    Rng rng(seed + size);
    BitIndex index(size);
    ModelSet set;
    for (int round = 0; round < 60; ++round) {
        const auto start = static_cast<std::uint32_t>(rng.below(size));
        const auto length = static_cast<std::uint32_t>(rng.below(100));
        const bool is_set = rng.chance(2, 3);
        for (std::uint32_t i = start; i < std::min(size, start + length); ++i) {
            is_set ? index.set(i) : index.clear(i);
            if (is_set) {
                set.insert(i);
            } else {
                set.erase(i);
            }
        }
        std::vector<std::uint32_t> probes = {0, 1, start, start + length, size - 1, size};
        for (int i = 0; i < 4; ++i) probes.push_back(static_cast<std::uint32_t>(rng.below(size)));
        REQUIRE_NOTHROW(compare(index, set, probes));
    }
}

TEST_CASE("BitIndex: all subsets of ten positions agree with std::set", "[set][law]") {
    const std::vector<std::uint32_t> positions = {0,    1,    63,   64,   65,
                                                  4095, 4096, 4097, 8191, 262'144};
    const std::vector<std::uint32_t> probes = {0, 1, 2, 3, 62, 64, 66, 4096, 262'144, 262'145};
    BitIndex index(262'145);
    ModelSet set;
    for (std::uint32_t mask = 1; mask < 1U << positions.size(); ++mask) {
        const auto bit = static_cast<std::size_t>(detail::lowest_bit(mask));  // Gray code
        const std::uint32_t i = positions[bit];
        if (set.erase(i) == 1) {
            index.clear(i);
        } else {
            set.insert(i);
            index.set(i);
        }
        REQUIRE_NOTHROW(compare(index, set, probes));
    }
}

TEST_CASE("BitIndex: full sets of all sizes around word and level boundaries", "[set]") {
    for (const std::uint32_t size : {0u, 1u, 63u, 64u, 65u, 255u, 256u, 257u, 1023u, 1024u, 1025u,
                                     4095u, 4096u, 4097u, 262'143u, 262'144u, 262'145u}) {
        INFO("size " << size);
        const BitIndex full = BitIndex::full(size);
        CHECK(full.count() == size);
        CHECK(full.rank(size) == size);
        CHECK(full.first_run(size) == Interval<std::uint32_t>{0, size});
        CHECK_FALSE(full.first_run(size + 1));
        CHECK_FALSE(full.nth(size));
        CHECK_FALSE(full.next(size));
        if (size == 0) continue;
        CHECK(full.nth(size - 1) == size - 1);
        CHECK(full.next(size - 1) == size - 1);
        CHECK(full.rank(size - 1) == size - 1);
        BitIndex some = full;
        some.clear(size - 1);
        CHECK(some != full);
        CHECK_FALSE(some.next(size - 1));
        some.set(size - 1);
        CHECK(some == full);
    }
}

TEST_CASE("BitIndex: setting twice and clearing twice counts once", "[set]") {
    BitIndex index(100);
    index.set(7);
    index.set(7);
    CHECK(index.count() == 1);
    index.clear(7);
    index.clear(7);
    CHECK(index == BitIndex(100));
}

TEST_CASE("BitIndex: equality looks at the size too", "[set]") {
    CHECK(BitIndex(64) != BitIndex(65));
    CHECK(BitIndex() == BitIndex(0));
}

TEST_CASE("BitIndex: runs across empty stretches and words", "[set]") {
    struct Row {
        std::vector<Interval<std::uint32_t>> members;
        std::uint32_t length;
        std::optional<Interval<std::uint32_t>> run;
        const char* why;
    };
    const std::vector<Row> rows = {
        {{{10, 20}}, 10, {{10, 20}}, "inside one word"},
        {{{10, 20}}, 11, std::nullopt, "one too few"},
        {{{60, 70}}, 10, {{60, 70}}, "across two words"},
        {{{60, 200}}, 140, {{60, 200}}, "across a full word"},
        {{{0, 5}, {6, 12}}, 6, {{6, 12}}, "the first is too short"},
        {{{4090, 4096}, {8192, 8200}}, 8, {{8192, 8200}}, "a gap of a whole group does not join"},
        {{{4032, 4096}, {4096, 4100}}, 68, {{4032, 4100}}, "groups that touch join"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        BitIndex index(10'000);
        for (const auto run : row.members) {
            for (std::uint32_t i = run.first; i < run.end; ++i) index.set(i);
        }
        CHECK(index.first_run(row.length) == row.run);
    }
}

TEST_CASE("BitIndex: numbers beyond the size are broken contracts", "[set]") {
    BitIndex index(64);
    const std::string rule = "a number is inside the bit index";
    CHECK(broken_contract([&] { index.set(63); }).empty());
    CHECK(broken_contract([&] { index.set(64); }) == rule);
    CHECK(broken_contract([&] { index.clear(64); }) == rule);
    CHECK(broken_contract([&] { static_cast<void>(index.test(64)); }) == rule);
    CHECK(broken_contract([] { BitIndex().set(0); }) == rule);
}
