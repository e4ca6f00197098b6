// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/topology/block.hpp"

#include <cstdint>
#include <vector>

#include "model/topology/levels.hpp"
#include "model/topology/names.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

std::vector<std::uint32_t> levels_of(const BlockTopology& topology) {
    std::vector<std::uint32_t> levels;
    for (const Count size : topology.sizes) {
        levels.push_back(detail::block_level(size, topology.sizes.front()));
    }
    if (!levels.empty()) return levels;
    for (std::uint32_t k = 0; k == 0 || topology.blocks.size() > std::size_t{1} << (k - 1); ++k) {
        levels.push_back(k);
    }
    return levels;
}

Status check(const BlockTopology& topology) {
    TRESTLE_TRY_STATUS(detail::check_names("block", topology.blocks));
    NodeSet seen;
    for (const BlockTopology::Block& block : topology.blocks) {
        if (const auto twice = (seen & block.nodes).first()) {
            return invalid_argument("block {}: node {} is in another block already", block.name,
                                    twice->value());
        }
        seen |= block.nodes;
    }
    for (std::size_t i = 0; i < topology.sizes.size(); ++i) {
        const Count size = topology.sizes[i];
        if (size.is_zero()) {
            return invalid_argument("topology {}: a block size of 0, expected 1 or more",
                                    topology.name);
        }
        if (detail::block_level(size, topology.sizes.front()) > detail::block_level_max) {
            return invalid_argument("topology {}: block size {}, expected {} x 2^k", topology.name,
                                    size.value(), topology.sizes.front().value());
        }
        if (i != 0 && size <= topology.sizes[i - 1]) {
            return invalid_argument("topology {}: block size {} behind {}, expected rising ones",
                                    topology.name, size.value(), topology.sizes[i - 1].value());
        }
    }
    return {};
}

}  // namespace trestle
