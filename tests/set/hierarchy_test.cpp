// SPDX-License-Identifier: Apache-2.0
#include "trestle/set/hierarchy.hpp"

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/text.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using Ids = IndexSet<>;
using Level = HierarchyLevel<Ids>;

Ids ids(const std::string& text) { return *parse_set<Ids>(text); }

/// Runs of equal length that follow each other.
std::vector<Ids> blocks_of(std::uint32_t count, std::uint32_t size) {
    std::vector<Ids> blocks;
    for (std::uint32_t i = 0; i < count; ++i) {
        blocks.push_back(Ids::range({i * size, (i + 1) * size}));
    }
    return blocks;
}

/// Whether any choice of blocks does, by trying each subset of each level.
bool is_possible(const Ids& available, const std::vector<Level>& levels, std::size_t at) {
    const Level& level = levels[at];
    const auto serves = [&](const Ids& block) {
        if (at + 1 < levels.size()) return is_possible(available & block, levels, at + 1);
        return !block.is_empty() && available.contains_all(block);
    };
    for (std::uint32_t chosen = 0; chosen < (1u << level.blocks.size()); ++chosen) {
        if (static_cast<std::uint32_t>(std::popcount(chosen)) != level.count) continue;
        bool do_all = true;
        for (std::size_t i = 0; i < level.blocks.size() && do_all; ++i) {
            do_all = (chosen >> i & 1u) == 0 || serves(level.blocks[i]);
        }
        if (do_all) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("find_in_hierarchy: the first blocks that have enough below them", "[set]") {
    const auto switches = blocks_of(2, 8);
    const auto nodes = blocks_of(4, 4);
    const auto cores = blocks_of(16, 1);
    const std::vector<Level> two_by_one_by_three{{switches, 2}, {nodes, 1}, {cores, 3}};
    const auto find = [&](const std::string& available) {
        return find_in_hierarchy<Ids>(ids(available), two_by_one_by_three);
    };
    CHECK(find("0-15") == ids("0-2,8-10"));
    CHECK(find("1-6,8,10-11,12-15") == ids("1-3,8,10-11"));
    CHECK(find("0-1,4-6,8-15") == ids("4-6,8-10"));
    CHECK(find("0-1,4-5,8-15") == std::nullopt);  // no node of the first switch has three
    CHECK(find("") == std::nullopt);
}

TEST_CASE("find_in_hierarchy: a block of the last level is whole, an empty one serves no request",
          "[set]") {
    const std::vector<Ids> blocks{Ids(), ids("0-3"), ids("4-5")};
    const std::vector<Level> one{{blocks, 1}};
    CHECK(find_in_hierarchy<Ids>(ids("0-2,4-5"), one) == ids("4-5"));
    CHECK(find_in_hierarchy<Ids>(ids("0-2,4"), one) == std::nullopt);
    const std::vector<Level> two{{blocks, 2}};
    CHECK(find_in_hierarchy<Ids>(ids("0-9"), two) == ids("0-5"));
}

TEST_CASE("find_in_hierarchy: finds where any choice does, and only what is available", "[set]") {
    INFO("seed " << test_seed());
    int found = 0;
    testing::for_random_choices({test_seed(), test_rounds(2'000u)}, [&](testing::Choices& choices) {
        const auto outer = blocks_of(3, 4);
        const auto inner = blocks_of(6, 2);
        const auto single = blocks_of(12, 1);
        const auto count = [&](std::uint64_t most) {
            return 1 + static_cast<std::uint32_t>(choices.below(most));
        };
        std::vector<Level> levels{{outer, count(3)}, {inner, count(2)}};
        if (choices.one_in(2)) levels.push_back({single, count(2)});
        Ids available;
        for (std::uint32_t i = 0; i < 12; ++i) {
            if (!choices.one_in(3)) available.insert(i);
        }
        const auto taken = find_in_hierarchy<Ids>(available, levels);
        REQUIRE(taken.has_value() == is_possible(available, levels, 0));
        if (!taken) return;
        ++found;
        REQUIRE(available.contains_all(*taken));
        const std::uint32_t last = levels.size() == 3 ? levels[2].count : 2;
        REQUIRE(taken->count() == levels[0].count * levels[1].count * last);
    });
    CHECK(found > test_rounds(300));
}

}  // namespace trestle
