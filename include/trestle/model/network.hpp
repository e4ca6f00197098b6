// SPDX-License-Identifier: Apache-2.0
#pragma once

// The network between nodes: any number of named topologies over the same nodes.
//
// Layer: model. Main type: Network. The kinds stand in model/topology: trees of
// switches, blocks, tori, rings. A node may be in several topologies and in none. A request names a
// topology, or means the first of the kind that it needs.
// Pitfall: topologies do not nest; a rack that is a leaf switch and an NVLink block stands in a
// tree and in a block topology.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/model/topology/block.hpp"
#include "trestle/model/topology/ring.hpp"
#include "trestle/model/topology/torus.hpp"
#include "trestle/model/topology/tree.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// All topologies of a cluster. No two of them have the same name.
struct Network {
    std::vector<TreeTopology> trees;
    std::vector<BlockTopology> blocks;
    std::vector<TorusTopology> toruses;
    std::vector<RingTopology> rings;

    [[nodiscard]] bool is_empty() const {
        return trees.empty() && blocks.empty() && toruses.empty() && rings.empty();
    }

    static constexpr auto fields(auto list) {
        return list(field("trees", &Network::trees), field("blocks", &Network::blocks),
                    field("toruses", &Network::toruses), field("rings", &Network::rings));
    }
    friend bool operator==(const Network&, const Network&) = default;
};

/// Ok when every topology is, and no two have the same name. That the nodes exist is for the
/// cluster to say. Errors: InvalidArgument that names the topology and what is wrong in it.
[[nodiscard]] Status check(const Network& network);

}  // namespace trestle
