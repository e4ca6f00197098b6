// SPDX-License-Identifier: Apache-2.0
#pragma once

// Questions to the topologies of a network: which there are, and which nodes they cover.
//
// Layer: model. Main names: TopologyId, for_each_topology, find_topology, nodes_of.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/model/network.hpp"

namespace trestle {

/// How nodes are connected.
enum class TopologyKind { tree, block, torus, ring };

constexpr auto enum_names(TopologyKind) {
    using enum TopologyKind;
    return std::array{named(tree, "tree"), named(block, "block"), named(torus, "torus"),
                      named(ring, "ring")};
}

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

}  // namespace trestle
