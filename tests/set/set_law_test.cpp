// SPDX-License-Identifier: Apache-2.0
// SmallSet and IndexSet against std::set: random sequences, all small cases, all word boundaries.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/checked_set.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"

using namespace trestle;

namespace {

/// Numbers near a centre that moves, so that sets grow, overlap and touch at their ends.
class NumberSource {
  public:
    NumberSource(Rng rng, std::uint32_t limit) : rng_(rng), limit_(limit) {}

    std::uint64_t choose(std::uint64_t below) { return rng_.below(below); }
    std::uint32_t number() {
        if (rng_.chance(1, 50)) centre_ = static_cast<std::uint32_t>(rng_.below(limit_));
        const auto near = static_cast<std::uint32_t>(rng_.below(150));
        return std::min(centre_ + near, limit_ - 1);
    }
    ModelRun run() {
        const std::uint32_t first = number();
        return {first, std::min(first + static_cast<std::uint32_t>(rng_.below(140)), limit_)};
    }

  private:
    Rng rng_;
    std::uint32_t limit_;
    std::uint32_t centre_ = 0;
};

template <class Set>
void change_somehow(Set& set, const Set& other, NumberSource& source) {
    switch (source.choose(12)) {
        case 0:
        case 1:
        case 2:
            return set.insert(source.number());
        case 3:
            return set.erase(source.number());
        case 4:
        case 5:
            return set.insert_range(source.run());
        case 6:
            return set.erase_range(source.run());
        case 7:
            set |= other;
            return;
        case 8:
            set &= other;
            return;
        case 9:
            set -= other;
            return;
        case 10:
            set ^= other;
            return;
        default:
            set = set.first_k(static_cast<std::uint32_t>(source.choose(200)));
    }
}

template <class Set>
void ask_everything(const Set& set, const Set& other, NumberSource& source) {
    const auto k = static_cast<std::uint32_t>(source.choose(2 + set.count()));
    const std::uint32_t i = source.number();
    static_cast<void>(set.contains(i));
    static_cast<void>(set.first());
    static_cast<void>(set.last());
    static_cast<void>(set.next(i));
    static_cast<void>(set.nth(k));
    static_cast<void>(set.rank(i));
    static_cast<void>(set.count_in(source.run()));
    static_cast<void>(set.first_run(static_cast<std::uint32_t>(source.choose(200))));
    static_cast<void>(set.first_k(k));
    static_cast<void>(set.complement(source.run()));
    static_cast<void>(set.contains_all(other));
    static_cast<void>(set.intersects(other));
    static_cast<void>(set.count_and(other));
    static_cast<void>(set == other);
    static_cast<void>(set <=> other);
    static_cast<void>((set | other) == (other | set));
    static_cast<void>((set & other) == (other & set));
    static_cast<void>((set ^ other) == ((set - other) | (other - set)));
}

/// Subsets of these positions are enumerated; they straddle words, the inline size and containers.
template <class Set>
std::vector<std::vector<std::uint32_t>> interesting_positions() {
    std::vector<std::vector<std::uint32_t>> all = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
        {60, 61, 62, 63, 64, 65, 66, 127, 128, 129},
        {0, 63, 64, 253, 254, 255, 256, 257, 511, 1023},
    };
    if (Set::index_limit > (1U << 20)) {
        all.push_back(
            {0, 65534, 65535, 65536, 65537, 131071, 131072, 1U << 31, 4294967293, 4294967294});
    }
    return all;
}

std::vector<std::uint32_t> chosen(const std::vector<std::uint32_t>& positions, std::uint32_t mask) {
    std::vector<std::uint32_t> members;
    for (std::size_t bit = 0; bit < positions.size(); ++bit) {
        if (mask >> bit & 1) members.push_back(positions[bit]);
    }
    return members;
}

template <class Set>
std::vector<Set> all_subsets(const std::vector<std::uint32_t>& positions) {
    std::vector<Set> sets(std::size_t{1} << positions.size());
    for (std::uint32_t mask = 0; mask < sets.size(); ++mask) {
        for (const std::uint32_t i : chosen(positions, mask)) sets[mask].insert(i);
    }
    return sets;
}

/// Every pair of subsets; the answers are those of the masks. One CHECK for all keeps it fast.
template <class Set>
std::size_t wrong_pairs(const std::vector<std::uint32_t>& positions) {
    const std::vector<Set> sets = all_subsets<Set>(positions);
    std::vector<std::vector<std::uint32_t>> lists;
    for (std::uint32_t mask = 0; mask < sets.size(); ++mask)
        lists.push_back(chosen(positions, mask));
    std::size_t wrong = 0;
    for (std::uint32_t a = 0; a < sets.size(); ++a) {
        for (std::uint32_t b = 0; b < sets.size(); ++b) {
            const bool is_right =
                (sets[a] | sets[b]) == sets[a | b] && (sets[a] & sets[b]) == sets[a & b] &&
                (sets[a] - sets[b]) == sets[a & ~b] && (sets[a] ^ sets[b]) == sets[a ^ b] &&
                sets[a].contains_all(sets[b]) == ((b & ~a) == 0) &&
                sets[a].intersects(sets[b]) == ((a & b) != 0) &&
                sets[a].count_and(sets[b]) == static_cast<std::uint32_t>(std::popcount(a & b)) &&
                (sets[a] == sets[b]) == (a == b) &&
                (sets[a] <=> sets[b]) == (lists[a] <=> lists[b]);
            wrong += is_right ? 0 : 1;
        }
    }
    return wrong;
}

template <class Set>
void check_queries(const std::vector<std::uint32_t>& positions) {
    std::vector<std::uint32_t> probes;
    for (const std::uint32_t i : positions) {
        probes.push_back(i);
        if (i + 1 < Set::index_limit) probes.push_back(i + 1);
    }
    for (std::uint32_t mask = 0; mask < 1U << positions.size(); ++mask) {
        CheckedSet<Set> set;
        for (const std::uint32_t i : chosen(positions, mask)) set.insert(i);
        static_cast<void>(set.first());
        static_cast<void>(set.last());
        for (const std::uint32_t i : probes) {
            static_cast<void>(set.contains(i));
            static_cast<void>(set.next(i));
            static_cast<void>(set.rank(i));
            static_cast<void>(set.count_in({i, positions[7]}));
        }
        for (std::uint32_t k = 0; k <= positions.size() + 1; ++k) {
            static_cast<void>(set.nth(k));
            static_cast<void>(set.first_k(k));
            static_cast<void>(set.first_run(k));
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("Sets: random sequences agree with std::set", "[set][law]", SmallSet<>,
                   IndexSet<>) {
    const std::uint64_t seed = test_seed();
    const auto limit = GENERATE(64u, 256u, 257u, 1024u, 200'000u);
    std::vector<CheckedSet<TestType>> sets(4);
    NumberSource source{Rng(seed + limit), limit};
    for (int step = 0; step < 1500; ++step) {
        INFO("seed " << seed << ", numbers below " << limit << ", step " << step);
        auto& set = sets[source.choose(sets.size())];
        auto& other = sets[source.choose(sets.size())];
        REQUIRE_NOTHROW(change_somehow(set, other, source));
        REQUIRE_NOTHROW(ask_everything(set, other, source));
        if (set.count() > 1500) set.clear();
    }
}

TEMPLATE_TEST_CASE("Sets: all queries on all subsets of ten positions agree with std::set",
                   "[set][law]", SmallSet<>, IndexSet<>) {
    for (const auto& positions : interesting_positions<TestType>()) {
        INFO("positions from " << positions.front() << " to " << positions.back());
        CHECK_NOTHROW(check_queries<TestType>(positions));
    }
}

TEMPLATE_TEST_CASE("Sets: all pairs of subsets of seven positions obey set algebra", "[set][law]",
                   SmallSet<>, IndexSet<>) {
    for (auto positions : interesting_positions<TestType>()) {
        positions.erase(positions.begin() + 4, positions.begin() + 7);
        INFO("positions from " << positions.front() << " to " << positions.back());
        CHECK(wrong_pairs<TestType>(positions) == 0);
    }
}

TEMPLATE_TEST_CASE("Sets: all pairs of subsets of ten positions obey set algebra",
                   "[set][law][slow]", SmallSet<>, IndexSet<>) {
    for (const auto& positions : interesting_positions<TestType>()) {
        INFO("positions from " << positions.front() << " to " << positions.back());
        CHECK(wrong_pairs<TestType>(positions) == 0);
    }
}

TEMPLATE_TEST_CASE("Sets: runs that end around word boundaries", "[set]", SmallSet<>, IndexSet<>) {
    using Set = CheckedSet<TestType>;
    const auto ends =
        std::array<std::uint32_t, 11>{0, 1, 62, 63, 64, 65, 255, 256, 257, 1024, 1025};
    for (const std::uint32_t first : ends) {
        for (const std::uint32_t last : ends) {
            INFO("[" << first << ", " << last << ")");
            const Set run = Set::range({first, last});
            const std::uint32_t length = first < last ? last - first : 0;
            CHECK(run.count() == length);
            CHECK(run.first_run(length).has_value());
            CHECK_FALSE(run.first_run(length + 1).has_value());
            Set hole = Set::range({0, 1100});
            hole.erase_range({first, last});
            CHECK(hole.count() == 1100 - length);
            CHECK((hole | run) == Set::range({0, 1100}));
            CHECK(hole.complement({0, 1100}) == run);
        }
    }
}

TEMPLATE_TEST_CASE("Sets: the way to a set does not show", "[set][law]", SmallSet<>, IndexSet<>) {
    using Set = TestType;
    const Set plain = Set::of({1, 5, 64});
    std::vector<Set> ways(5, plain);
    ways[1].insert(100'000);
    ways[1].erase(100'000);
    ways[2] = Set::range({0, 300}) & plain;
    ways[3] = Set::union_of(std::array{Set::of({64}), Set::of({5, 1}), Set()});
    ways[4] = Set::range({0, 5000}) - plain.complement({0, 5000});
    for (std::size_t way = 0; way < ways.size(); ++way) {
        INFO("way " << way);
        CHECK(ways[way] == plain);
        CHECK((ways[way] <=> plain) == std::strong_ordering::equal);
        CHECK(hash_of(ways[way]) == hash_of(plain));
        CHECK(to_text(ways[way]) == "1,5,64");
    }
}

TEMPLATE_TEST_CASE("Sets: members that move between neighbouring sets change the hash", "[set]",
                   SmallSet<>, IndexSet<>) {
    const std::vector<TestType> one = {TestType::of({0}), TestType::of({5})};
    const std::vector<TestType> other = {TestType::of({0, 5}), TestType()};
    CHECK(hash_of(one) != hash_of(other));
}

TEMPLATE_TEST_CASE("Sets: order is that of the ascending lists", "[set]", SmallSet<>, IndexSet<>) {
    using Set = TestType;
    const std::array rising = {
        Set(),           Set::of({0}),     Set::of({0, 1}), Set::of({0, 1, 2}),
        Set::of({0, 5}), Set::of({0, 70}), Set::of({1}),    Set::of({300})};
    for (std::size_t a = 0; a < rising.size(); ++a) {
        for (std::size_t b = 0; b < rising.size(); ++b) {
            INFO(to_text(rising[a]) << " and " << to_text(rising[b]));
            CHECK((rising[a] < rising[b]) == (a < b));
            CHECK((rising[a] == rising[b]) == (a == b));
        }
    }
}

TEMPLATE_TEST_CASE("Sets: a set may be combined with itself", "[set]", SmallSet<>, IndexSet<>) {
    const TestType set = TestType::of({1, 64, 900});
    TestType x = set;
    const TestType& same = x;
    x |= same;
    CHECK(x == set);
    x &= same;
    CHECK(x == set);
    x = same;
    CHECK(x == set);
    x ^= same;
    CHECK(x.is_empty());
    x = set;
    x -= same;
    CHECK(x.is_empty());
}

TEMPLATE_TEST_CASE("Sets: a copy is independent and a moved-from set is empty", "[set]", SmallSet<>,
                   IndexSet<>) {
    const auto largest = GENERATE(3u, 255u, 256u, 100'000u);
    const TestType set = TestType::of({1, largest});
    TestType copy = set;
    copy.erase(1);
    CHECK(set.contains(1));
    TestType source = set;
    TestType target = std::move(source);
    CHECK(target == set);
    CHECK(source.is_empty());  // NOLINT(bugprone-use-after-move): promised
    source.insert(7);
    CHECK(source == TestType::of({7}));
    target = std::move(source);
    CHECK(target == TestType::of({7}));
}
