// SPDX-License-Identifier: Apache-2.0
#include "dialect/slurm/choice/network/blocks.hpp"

#include <algorithm>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_units.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"

namespace trestle {
namespace {

using slurm::choice::BaseBlock;
using slurm::choice::BaseRange;
using slurm::choice::best_block;
using slurm::choice::BlockLevels;
using slurm::choice::BlockScope;
using slurm::choice::next_base;
using slurm::choice::scope_of;
using slurm::choice::UnitSupply;

std::vector<BaseBlock> base_blocks_of(const std::vector<std::int64_t>& nodes) {
    std::vector<BaseBlock> bases;
    for (const std::int64_t count : nodes) bases.push_back({{count, 4 * count, {}}, 1, false});
    return bases;
}

/// Nodes taken of each base block for so many nodes; empty: no block holds them.
std::vector<std::int64_t> taken_of(const BlockLevels& levels, std::vector<BaseBlock> bases,
                                   std::int64_t nodes) {
    const BlockScope scope = scope_of(levels, nodes);
    UnitSupply need{nodes, nodes, {}};
    const auto range = best_block(levels, scope, bases, need);
    if (!range) return {};
    std::vector<std::int64_t> taken(bases.size(), 0);
    std::vector<bool> is_used((bases.size() >> scope.sub_level) + 1, false);
    while (need.nodes > 0) {
        const auto base = next_base(scope, *range, bases, is_used, need);
        if (!base) break;
        const std::int64_t count = std::min(bases[*base].supply.nodes, need.nodes);
        taken[*base] += count;
        bases[*base].supply.nodes -= count;
        bases[*base].supply.cpus -= 4 * count;
        need.nodes -= count;
        need.cpus -= 4 * count;
        is_used[*base >> scope.sub_level] = true;
    }
    return taken;
}

}  // namespace

TEST_CASE("Slurm blocks: where a number of nodes may lie", "[dialect][slurm]") {
    struct Row {
        std::vector<std::uint32_t> levels;
        std::int64_t nodes;
        std::optional<std::uint32_t> level;
        std::uint32_t sub_level;
        std::int64_t subs_max;
        std::string_view why;
    };
    const std::vector<Row> rows{
        {{0, 1, 2}, 1, 0, 0, 1, "one node is in a base block"},
        {{0, 1, 2}, 4, 0, 0, 1, "as many as its size too"},
        {{0, 1, 2}, 5, 1, 0, 2, "one more needs two base blocks"},
        {{0, 1, 2}, 9, 2, 1, 2, "three base blocks are in a block of four, two of two"},
        {{0, 1, 2}, 17, std::nullopt, 2, 2, "more than the largest block: the cluster"},
        {{0}, 5, std::nullopt, 0, 2, "no other level: the cluster, of as few base blocks"},
        {{0, 3}, 9, 3, 0, 3, "the next level that there is, and the level below that there is"},
        {{0, 1}, 13, std::nullopt, 1, 2, "two blocks of eight"},
    };
    for (const Row& row : rows) {
        const BlockScope scope = scope_of({4, 8, row.levels}, row.nodes);
        INFO(row.nodes << ": " << row.why);
        CHECK(scope.level == row.level);
        CHECK(scope.sub_level == row.sub_level);
        CHECK(scope.subs_max == row.subs_max);
    }
}

TEST_CASE("Slurm blocks: base blocks as a controller chose them", "[dialect][slurm]") {
    // The states and the answers are those of slurmctld 24.11 and 26.05 with eight base blocks.
    struct Row {
        std::vector<std::uint32_t> levels;
        std::vector<std::int64_t> free;
        std::int64_t nodes;
        std::vector<std::int64_t> taken;
        std::string_view why;
    };
    const std::vector<std::int64_t> gaps{4, 3, 3, 4, 3, 4, 3, 4};
    const std::vector<Row> rows{
        {{0, 1, 2}, {4, 4, 4, 4, 4, 4, 4, 3}, 17, {0, 0, 0, 4, 4, 4, 4, 1}, "the smallest for one"},
        {{0, 1, 2}, {4, 4, 4, 4, 4, 4, 4, 3}, 12, {0, 0, 0, 0, 4, 4, 4, 0}, "whole base blocks"},
        {{0, 1, 2}, {4, 4, 4, 4, 3, 4, 4, 3}, 12, {0, 0, 0, 0, 1, 4, 4, 3}, "the fuller block"},
        {{0, 1, 2},
         {4, 4, 4, 4, 3, 4, 4, 3},
         17,
         {0, 0, 4, 4, 0, 4, 4, 1},
         "all halves may be used"},
        {{0, 1}, gaps, 9, {0, 0, 0, 0, 2, 0, 3, 4}, "two blocks of eight at most: one is used up"},
        {{0, 1}, gaps, 13, {0, 0, 0, 0, 2, 4, 3, 4}, "the rest is in the last of equals"},
        {{0, 1}, gaps, 15, {}, "two blocks of eight have fourteen"},
        {{0, 1}, gaps, 17, {0, 0, 3, 0, 3, 4, 3, 4}, "the base block that holds the rest"},
        {{0, 1}, gaps, 24, {}, "three have twenty-one"},
        {{0, 3}, gaps, 9, {0, 0, 0, 0, 0, 4, 1, 4}, "no blocks of eight: three base blocks"},
        {{0, 1, 3}, gaps, 17, {0, 0, 3, 0, 3, 4, 3, 4}, "blocks of eight in one of all"},
        {{0, 2}, gaps, 17, {4, 0, 0, 4, 0, 4, 1, 4}, "both blocks of sixteen"},
        {{0}, gaps, 13, {0, 0, 0, 4, 0, 4, 1, 4}, "four base blocks"},
        {{0, 1}, {3, 3, 3, 4, 3, 4, 3, 3}, 9, {0, 0, 0, 0, 3, 4, 0, 2}, "the smallest pair"},
        {{0, 1}, {3, 3, 3, 4, 3, 4, 3, 3}, 14, {0, 0, 3, 4, 3, 4, 0, 0}, "the pairs that suffice"},
    };
    for (const Row& row : rows) {
        INFO(row.nodes << ": " << row.why);
        CHECK(taken_of({4, 8, row.levels}, base_blocks_of(row.free), row.nodes) == row.taken);
    }
    // Of three base blocks the last has no other beside it: it does not count for the cluster.
    CHECK(taken_of({4, 3, {0, 1}}, base_blocks_of({4, 4, 6}), 6) ==
          std::vector<std::int64_t>{0, 0, 6});
    CHECK(taken_of({4, 3, {0, 1}}, base_blocks_of({4, 4, 6}), 9).empty());
}

TEST_CASE("Slurm blocks: every choice of small clusters", "[dialect][slurm]") {
    Rng rng(test_seed());
    INFO("seed " << test_seed());
    std::size_t found = 0;
    std::size_t none = 0;
    for (unsigned round = 0; round < test_rounds(20'000u); ++round) {
        BlockLevels levels;
        levels.base = static_cast<std::int64_t>(1 + rng.below(4));
        levels.count = 1 + rng.below(9);
        for (std::uint32_t level = 1; level < 4; ++level) {
            if (rng.chance(1, 2)) levels.levels.push_back(level);
        }
        std::vector<std::int64_t> nodes;
        for (std::size_t b = 0; b < levels.count; ++b) {
            nodes.push_back(static_cast<std::int64_t>(rng.below(6)));
        }
        std::vector<BaseBlock> bases = base_blocks_of(nodes);
        for (BaseBlock& base : bases) {
            base.weight = static_cast<std::int64_t>(1 + rng.below(2));
            base.is_required = rng.chance(1, 20);
        }
        const auto count = static_cast<std::int64_t>(1 + rng.below(20));
        const UnitSupply need{count, static_cast<std::int64_t>(rng.below(100)), {}};
        const BlockScope scope = scope_of(levels, count);
        const auto block = best_block(levels, scope, bases, need);
        REQUIRE(block == oracle_best_block(levels, scope, bases, need));
        (block ? found : none) += 1;

        // What best_block accepts is found base block by base block, in no more sub-blocks.
        for (BaseBlock& base : bases) base.is_required = false;
        const std::vector<std::int64_t> taken = taken_of(levels, bases, count);
        if (taken.empty()) continue;
        std::int64_t sum = 0;
        std::vector<bool> is_used(levels.count + 1, false);
        for (std::size_t b = 0; b < taken.size(); ++b) {
            sum += taken[b];
            REQUIRE(taken[b] <= nodes[b]);
            if (taken[b] != 0) is_used[b >> scope.sub_level] = true;
        }
        REQUIRE(sum == count);
        REQUIRE(std::count(is_used.begin(), is_used.end(), true) <= scope.subs_max);
    }
    CHECK(found > test_rounds(2'000u));
    CHECK(none > test_rounds(2'000u));
}

}  // namespace trestle
