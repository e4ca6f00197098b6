// SPDX-License-Identifier: Apache-2.0
#pragma once

// The network between nodes: any number of named topologies over the same nodes.
//
// Layer: model. Main types: Network, TopologyKind. The kinds stand in model/topology: trees of
// switches, blocks, tori, rings. A node may be in several topologies and in none;
// nodes_of(topology) says which nodes one covers. A request names a topology, or means the first of
// the kind that it needs (find_topology and first_topology). A reader would get wrong: topologies
// do not nest; a rack that is a leaf switch and an NVLink block stands in a tree and in a block
// topology.

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

/// How nodes are connected.
enum class TopologyKind { tree, block, torus, ring };

constexpr auto enum_names(TopologyKind) {
    using enum TopologyKind;
    return std::array{named(tree, "tree"), named(block, "block"), named(torus, "torus"),
                      named(ring, "ring")};
}

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

/// Where a topology stands in a Network: in the list of its kind.
struct TopologyId {
    TopologyKind kind = TopologyKind::tree;
    std::uint32_t position = 0;

    static constexpr auto fields(auto list) {
        return list(field("kind", &TopologyId::kind), field("position", &TopologyId::position));
    }
    friend constexpr bool operator==(const TopologyId&, const TopologyId&) = default;
    friend constexpr auto operator<=>(const TopologyId&, const TopologyId&) = default;
};

/// Calls `visit(id, topology)` for every topology: trees, blocks, tori, rings.
template <class Visit>
void for_each_topology(const Network& network, Visit&& visit) {
    const auto visit_all = [&](TopologyKind kind, const auto& topologies) {
        for (std::uint32_t i = 0; i < topologies.size(); ++i) {
            visit(TopologyId{kind, i}, topologies[i]);
        }
    };
    visit_all(TopologyKind::tree, network.trees);
    visit_all(TopologyKind::block, network.blocks);
    visit_all(TopologyKind::torus, network.toruses);
    visit_all(TopologyKind::ring, network.rings);
}

/// The topology of that name.
[[nodiscard]] std::optional<TopologyId> find_topology(const Network& network,
                                                      std::string_view name);

/// The one of its kind that is meant where no name is given.
[[nodiscard]] std::optional<TopologyId> first_topology(const Network& network, TopologyKind kind);

/// The nodes that the topology covers.
[[nodiscard]] NodeSet nodes_of(const TreeTopology& tree);
[[nodiscard]] NodeSet nodes_of(const BlockTopology& topology);
[[nodiscard]] NodeSet nodes_of(const TorusTopology& topology);
[[nodiscard]] NodeSet nodes_of(const RingTopology& topology);

/// Ok when every topology is, and no two have the same name. That the nodes exist is for the
/// cluster to say. Errors: InvalidArgument that names the topology and what is wrong in it.
[[nodiscard]] Status check(const Network& network);

}  // namespace trestle
