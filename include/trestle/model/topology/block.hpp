// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks of nodes with a fast fabric, such as NVLink domains, and what neighbouring blocks add up
// to.
//
// Layer: model. Main types: BlockTopology::Block, BlockTopology. The base blocks stand in order.
// Aggregate j of level k is the base blocks [j x 2^k, (j + 1) x 2^k), the last one perhaps cut
// short. `sizes` says which levels exist (Slurm's BlockSizes, topology.conf).
// Pitfall: a base block
// may really hold more or fewer nodes than its size says; levels follow from the sizes alone.

#include <cstdint>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// Base blocks in order, and the sizes of aggregated blocks.
struct BlockTopology {
    /// Nodes that share a fabric: a base block.
    struct Block {
        std::string name;
        NodeSet nodes;

        static constexpr auto fields(auto list) {
            return list(field("name", &Block::name), field("nodes", &Block::nodes));
        }
        friend bool operator==(const Block&, const Block&) = default;
    };

    std::string name;
    std::vector<Block> blocks;
    /// In nodes, rising: first the base block, then what may be aggregated, base x 2^k each.
    /// Empty: every level up to the one that holds all blocks.
    std::vector<Count> sizes;

    static constexpr auto fields(auto list) {
        return list(field("name", &BlockTopology::name), field("blocks", &BlockTopology::blocks),
                    field("sizes", &BlockTopology::sizes));
    }
    friend bool operator==(const BlockTopology&, const BlockTopology&) = default;
};

/// Ok when blocks have names of their own, no node is in two, and sizes rise as they must.
/// Errors: InvalidArgument that names the block, or the topology for its sizes.
[[nodiscard]] Status check(const BlockTopology& topology);

}  // namespace trestle
