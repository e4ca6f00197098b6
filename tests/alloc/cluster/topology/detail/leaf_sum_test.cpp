// SPDX-License-Identifier: Apache-2.0
// Sums of many leaves: too many for trying all subsets, so that a plain table of what can be
// reached says what is right.
#include "alloc/cluster/topology/detail/leaf_sum.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "alloc/cluster/topology/select_leaves.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::Choices;

/// For each number of leaves taken from `first` on, which sums there are.
std::vector<std::vector<bool>> sums_from(const std::vector<std::uint32_t>& counts,
                                         std::size_t first, std::size_t leaves) {
    const auto total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    std::vector<std::vector<bool>> is_sum(leaves + 1, std::vector<bool>(total + 1, false));
    is_sum[0][0] = true;
    for (std::size_t i = first; i < counts.size(); ++i) {
        for (std::size_t j = leaves; j-- != 0;) {
            for (std::size_t sum = 0; sum + counts[i] <= total; ++sum) {
                if (is_sum[j][sum]) is_sum[j + 1][sum + counts[i]] = true;
            }
        }
    }
    return is_sum;
}

/// Fewest leaves, least sum of at least `asked`, lowest numbers. Requires: there are enough.
std::vector<std::uint32_t> plain_choice(const std::vector<std::uint32_t>& counts,
                                        std::uint32_t asked) {
    std::vector<std::uint32_t> falling = counts;
    std::sort(falling.begin(), falling.end(), std::greater<>());
    std::size_t leaves = 0;
    for (std::uint32_t sum = 0; sum < asked; ++leaves) sum += falling[leaves];
    std::size_t target = asked;
    for (const auto is_sum = sums_from(counts, 0, leaves); !is_sum[leaves][target];) ++target;
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t i = 0; leaves > 0; ++i) {
        if (counts[i] > target ||
            !sums_from(counts, i + 1, leaves - 1)[leaves - 1][target - counts[i]])
            continue;
        chosen.push_back(i);
        target -= counts[i];
        --leaves;
    }
    return chosen;
}

TEST_CASE("select_leaves: many leaves, as a plain table says", "[alloc][topology][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(600u)}, [](Choices& choices) {
        const auto most = choices.of(std::vector{3u, 9u, 33u});
        TreeTopology tree{"tree", {{"top", std::nullopt, {}}}};
        std::vector<std::uint32_t> counts;
        for (std::uint64_t n = 2 + choices.below(40); n > 0; --n) {
            counts.push_back(static_cast<std::uint32_t>(choices.below(most)));
            tree.switches.push_back({"s" + std::to_string(n), TreeTopology::SwitchId(0), {}});
        }
        LeafIndex index{Shared<LeafTree>(LeafTree(tree))};
        for (std::uint32_t i = 0; i < counts.size(); ++i) index.set_count(i, counts[i]);
        if (index.total() == 0) return;
        const auto asked = static_cast<std::uint32_t>(1 + choices.below(index.total()));
        const auto found = select_leaves(index, {asked, 1, {}, {}, {}});
        REQUIRE(found);
        std::vector<std::uint32_t> leaves;
        for (const LeafShare& share : found->shares) leaves.push_back(share.leaf);
        REQUIRE(leaves == plain_choice(counts, asked));
    });
}

TEST_CASE("least_surplus: boundaries", "[alloc][topology]") {
    using detail::least_surplus;
    using Taken = std::vector<std::uint32_t>;
    CHECK(least_surplus({}, 0, 0)->taken.empty());
    CHECK_FALSE(least_surplus({}, 1, 0));
    CHECK_FALSE(least_surplus({{3, 1}}, 1, 4));
    CHECK_FALSE(least_surplus({{3, 1}}, 2, 3));
    CHECK(least_surplus({{3, 1}}, 0, 0)->taken == Taken{0});
    CHECK(least_surplus({{3, 2}, {2, 0}, {1, 1}}, 2, 4)->taken == Taken{1, 0, 1});
    CHECK(least_surplus({{3, 2}, {1, 1}}, 2, 5)->surplus == 1);
    // More than a word of shortfalls: 1000 and 1 of three leaves of 1000.
    CHECK(least_surplus({{1000, 2}, {1, 2}}, 2, 2)->taken == Taken{0, 2});
    CHECK(least_surplus({{1000, 2}, {1, 2}}, 2, 3)->taken == Taken{1, 1});
    CHECK(least_surplus({{1000, 2}, {1, 2}}, 2, 3)->surplus == 998);
}

}  // namespace
}  // namespace trestle
