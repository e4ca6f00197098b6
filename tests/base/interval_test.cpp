// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/interval.hpp"

#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/base/units.hpp"

using namespace trestle;

TEST_CASE("Interval: half-open", "[base]") {
    constexpr Interval<int> some{3, 6};
    static_assert(!some.is_empty() && some.contains(3) && some.contains(5));
    static_assert(!some.contains(2) && !some.contains(6), "the end is not inside");
    static_assert(Interval<int>{}.is_empty() && Interval<int>{3, 3}.is_empty());
    static_assert(Interval<int>{5, 3}.is_empty() && !Interval<int>{5, 3}.contains(4));
    CHECK(Interval<int>{1, 9} < Interval<int>{2, 3});
}

TEST_CASE("Interval: what two have in common, all small cases", "[base][law]") {
    std::vector<Interval<int>> all;
    for (int first = 0; first < 6; ++first) {
        for (int last = first; last < 6; ++last) all.push_back({first, last});
    }
    for (const auto& a : all) {
        for (const auto& b : all) {
            const auto both = intersect(a, b);
            CHECK(both.first <= both.end);
            for (int x = 0; x < 6; ++x) {
                CHECK(both.contains(x) == (a.contains(x) && b.contains(x)));
            }
        }
    }
}

TEST_CASE("Range: ends are included, absent ends are open", "[base]") {
    struct Row {
        Range<int> range;
        bool has_3, has_4, has_7, has_8;
        const char* why;
    };
    const std::vector<Row> rows = {
        {{}, true, true, true, true, "open on both sides"},
        {Range<int>::at_least(4), false, true, true, true, "4.."},
        {Range<int>::at_most(7), true, true, true, false, "..7"},
        {Range<int>::between(4, 7), false, true, true, false, "4..7"},
        {Range<int>::exactly(4), false, true, false, false, "4"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(row.range.contains(3) == row.has_3);
        CHECK(row.range.contains(4) == row.has_4);
        CHECK(row.range.contains(7) == row.has_7);
        CHECK(row.range.contains(8) == row.has_8);
    }
}

TEST_CASE("Range: open, single and least", "[base]") {
    CHECK(Range<int>{}.is_open());
    CHECK_FALSE(Range<int>::at_most(0).is_open());
    CHECK(Range<int>::exactly(4).is_single());
    CHECK(Range<int>::between(4, 4).is_single());
    CHECK_FALSE(Range<int>::between(4, 5).is_single());
    CHECK_FALSE(Range<int>{}.is_single());
    CHECK(Range<int>::at_least(4).least() == 4);
    CHECK(Range<Bytes>::at_most(gib(1)).least() == Bytes(0));
}

TEST_CASE("Range: running downwards is a broken contract", "[base]") {
    CHECK(broken_contract([] { static_cast<void>(Range<int>::between(5, 4)); }) ==
          "a range runs upwards");
}

TEST_CASE("Range: what two accept, all small cases", "[base][law]") {
    std::vector<std::optional<int>> ends = {std::nullopt, 0, 1, 2, 3};
    std::vector<Range<int>> all;
    for (const auto min : ends) {
        for (const auto max : ends) {
            if (!min || !max || *min <= *max) all.push_back({min, max});
        }
    }
    for (const auto& a : all) {
        for (const auto& b : all) {
            const auto both = intersect(a, b);
            CHECK(both == intersect(b, a));
            for (int x = -1; x < 5; ++x) {
                const bool is_in_both = a.contains(x) && b.contains(x);
                CHECK((both && both->contains(x)) == is_in_both);
            }
        }
    }
}
