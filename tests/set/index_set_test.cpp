// SPDX-License-Identifier: Apache-2.0
#include "trestle/set/index_set.hpp"

#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/set/text.hpp"

using namespace trestle;

TEST_CASE("IndexSet: the largest member is 2^32 - 2", "[set]") {
    constexpr std::uint32_t limit = IndexSet<>::index_limit;
    IndexSet<> set;
    CHECK(broken_contract([&] { set.insert(limit); }) ==
          "a member of an index set is below 2^32 - 1");
    set.insert(limit - 1);
    set.insert(0);
    CHECK(set.last() == limit - 1);
    CHECK(set.next(1) == limit - 1);
    CHECK_FALSE(set.next(limit));
    CHECK(set.count_in({1, limit}) == 1);
    CHECK(set.rank(limit) == 2);
    CHECK(set.first_run(1) == Interval<std::uint32_t>{0, 1});
    set.erase_range({1, limit});
    CHECK(set == IndexSet<>::of({0}));
}

TEST_CASE("IndexSet: billions of members in a few runs", "[set]") {
    constexpr std::uint32_t limit = IndexSet<>::index_limit;
    auto all = IndexSet<>::range({0, limit});
    CHECK(all.count() == limit);
    CHECK(all.nth(limit - 1) == limit - 1);
    CHECK_FALSE(all.nth(limit));
    all.erase(1'000'000'000);
    CHECK(all.rank(2'000'000'000) == 1'999'999'999);
    CHECK(all.complement({0, limit}) == IndexSet<>::of({1'000'000'000}));
    CHECK(all.first_k(3'000'000'000).last() == 3'000'000'000);
    CHECK(to_text(all) == "0-999999999,1000000001-4294967294");
    CHECK(all.first_run(2'000'000'000) == Interval<std::uint32_t>{1'000'000'001, 3'000'000'001});
    CHECK_FALSE(all.first_run(4'000'000'000));
    auto less = all;
    less.erase(limit - 1);
    CHECK(less < all);  // a prefix
    CHECK(hash_of(less) != hash_of(all));
    less.insert(1'000'000'000);
    CHECK(less < all);  // has 1,000,000,000 where the other goes on with the next
}

TEST_CASE("IndexSet: runs of any length and at any place are those of the members", "[set][law]") {
    Rng rng(test_seed());
    for (std::uint32_t round = 0; round < test_rounds(300u); ++round) {
        IndexSet<> set;
        for (std::uint64_t i = rng.below(30); i > 0; --i) {
            const auto first = static_cast<std::uint32_t>(rng.below(300'000));
            const std::uint64_t most = rng.below(3) == 0 ? 200'000 : 40;
            set.insert_range({first, first + static_cast<std::uint32_t>(rng.below(most))});
        }
        std::vector<Interval<std::uint32_t>> expected;
        for (const std::uint32_t member : set) {
            if (expected.empty() || expected.back().end != member) {
                expected.push_back({member, member});
            }
            ++expected.back().end;
        }
        std::vector<Interval<std::uint32_t>> runs;
        detail::for_each_run(set, [&](Interval<std::uint32_t> run) { runs.push_back(run); });
        REQUIRE(runs == expected);
    }
}

TEST_CASE("IndexSet: empty sets answer with nothing, however they became empty", "[set]") {
    IndexSet<> emptied = IndexSet<>::of({5, 100'000});
    emptied.erase_range({0, 200'000});
    for (const IndexSet<>& set :
         {IndexSet<>(), emptied, IndexSet<>::of({1}) & IndexSet<>::of({2})}) {
        CHECK(set.is_empty());
        CHECK(set == IndexSet<>());
        CHECK(hash_of(set) == hash_of(IndexSet<>()));
        CHECK(set.begin() == set.end());
        CHECK_FALSE(set.first());
        CHECK_FALSE(set.last());
        CHECK_FALSE(set.next(0));
        CHECK_FALSE(set.nth(0));
        CHECK_FALSE(set.first_run(1));
        CHECK(set.first_run(0) == Interval<std::uint32_t>{0, 0});
        CHECK(set.first_k(3).is_empty());
        CHECK(set.rank(9) == 0);
        CHECK(set.count_and(set) == 0);
        CHECK_FALSE(set.intersects(set));
        CHECK(set.contains_all(set));
        CHECK(IndexSet<>::of({1}).contains_all(set));
        CHECK_FALSE(set.contains_all(IndexSet<>::of({1})));
    }
}

TEST_CASE("IndexSet: walking crosses blocks and chunks", "[set]") {
    const auto set = NodeSet::range({65'500, 65'600}) | NodeSet::range({500'000, 500'033});
    std::vector<NodeId> walked(set.begin(), set.end());
    REQUIRE(walked.size() == 133);
    CHECK(walked[99] == NodeId(65'599));
    CHECK(walked[100] == NodeId(500'000));
    auto it = set.begin();
    const auto before = it++;
    CHECK(*before == NodeId(65'500));
    CHECK(*it == NodeId(65'501));
    CHECK(before != it);
}

TEST_CASE("IndexSet: the first thousands of a large set", "[set]") {
    const auto even_thousands = [] {
        IndexSet<> set;
        for (std::uint32_t i = 0; i < 20'000; i += 2) set.insert(i);
        return set;
    }();
    for (const std::uint32_t k : {1023u, 1024u, 1025u, 9999u, 10'000u, 10'001u}) {
        const auto some = even_thousands.first_k(k);
        CHECK(some.count() == std::min(k, 10'000u));
        CHECK(some.last() == 2 * (some.count() - 1));
        CHECK(even_thousands.contains_all(some));
    }
}
