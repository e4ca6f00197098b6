// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which block, and which base blocks of it: the rules of topology/block over plain numbers.
//
// Layer: dialect/slurm, inside. Main types: BlockLevels, BlockScope, BaseBlock; main functions:
// scope_of, best_block, next_base. Base blocks are known by their position; a block of level k is
// an aligned run of 2^k of them.
// Pitfall: levels follow from BlockSizes alone, however many nodes a base block really has.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/base/interval.hpp"
#include "trestle/model/topology/block.hpp"
#include "unit_supply.hpp"

namespace trestle::slurm::choice {

/// The first of BlockSizes, how many base blocks there are, and the levels that are configured.
struct BlockLevels {
    Number base = 1;
    std::size_t count = 0;
    std::vector<std::uint32_t> levels{0};  ///< rising, from 0 on

    [[nodiscard]] static BlockLevels of(const BlockTopology& topology);
};

/// Where a number of nodes may lie.
struct BlockScope {
    std::optional<std::uint32_t> level;  ///< of the block that holds them all; absent: the cluster
    std::uint32_t sub_level = 0;
    Number subs_max = 1;  ///< sub-blocks that they may be spread over
};

/// The block is of the lowest level whose size is enough, its sub-blocks of the highest level below
/// that. Requires: nodes > 0.
[[nodiscard]] BlockScope scope_of(const BlockLevels& levels, Number nodes);

/// What a base block has left.
struct BaseBlock {
    UnitSupply supply;
    Number weight = 0;         ///< the least of its nodes; of no meaning without nodes
    bool is_required = false;  ///< it has nodes that the job names, which are not of the supply
};

/// Positions of base blocks.
using BaseRange = Interval<std::size_t>;

/// The nodes of each run of `width` base blocks, from the start of the range to its end.
[[nodiscard]] std::vector<Number> nodes_by_run(const std::vector<BaseBlock>& bases,
                                               const BaseRange& range, std::size_t width);

/// The block that holds what is needed: the least weight first, then the fewest nodes, then the
/// last. It has every base block that is required, and these are in as many sub-blocks at most as
/// the job may be spread over. Absent: none does. The nodes of the cluster count in whole
/// sub-blocks alone, though nodes are then taken in all. `is_fit`: what else has to be true of it;
/// empty: nothing.
[[nodiscard]] std::optional<BaseRange> best_block(
    const BlockLevels& levels, const BlockScope& scope, const std::vector<BaseBlock>& bases,
    const UnitSupply& need, const std::function<bool(const BaseRange&)>& is_fit = {});

/// The blocks among which best_block() chooses, each with the nodes of the sub-blocks that a job
/// may be spread over, those with required base blocks first. -1: these are too many.
[[nodiscard]] std::vector<std::pair<BaseRange, Number>> blocks_of(
    const BlockLevels& levels, const BlockScope& scope, const std::vector<BaseBlock>& bases);

/// Whether a job may not be spread over all sub-blocks of the range, or the cluster ends with a
/// part of one.
[[nodiscard]] bool has_idle_subs(const BlockScope& scope, const BaseRange& range);

/// The base block of the range to take nodes of next: the smallest that holds what is needed, else
/// the largest; of equals the last. With has_idle_subs() first one of the sub-blocks that are used,
/// then one of the sub-block that is chosen in the same way. `is_used`: by sub-block of the scope.
/// Absent: no base block that may be used has a node left.
[[nodiscard]] std::optional<std::size_t> next_base(const BlockScope& scope, const BaseRange& range,
                                                   const std::vector<BaseBlock>& bases,
                                                   const std::vector<bool>& is_used,
                                                   const UnitSupply& need);

}  // namespace trestle::slurm::choice
