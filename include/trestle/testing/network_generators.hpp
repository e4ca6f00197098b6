// SPDX-License-Identifier: Apache-2.0
#pragma once

// Networks of all kinds, and what a job may ask of them.
//
// Layer: testing. Main functions: any_network(choices, nodes), any_topology_request(choices,
// nodes). A topology covers nodes in an order of its own, and leaves some of them out. A reader
// would get wrong: topologies are called tree, blocks, torus and ring, and each of them is there or
// not.

#include <cstdint>
#include <vector>

#include "trestle/model/network.hpp"
#include "trestle/model/topology_request.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle::testing {

namespace detail {

/// The nodes [0, count), some of them left out, mostly in order.
[[nodiscard]] std::vector<NodeId> any_node_order(Choices& choices, std::uint32_t count);

/// Cuts the nodes into sets of up to `most`, some of them smaller or empty.
[[nodiscard]] std::vector<NodeSet> any_parts(Choices& choices, const std::vector<NodeId>& nodes,
                                             std::uint32_t most);

}  // namespace detail

/// Leaf switches below up to two levels of others, even or not, of one tree or several.
[[nodiscard]] TreeTopology any_tree(Choices& choices, std::uint32_t node_count);

[[nodiscard]] BlockTopology any_blocks(Choices& choices, std::uint32_t node_count);

/// Tori with room for all nodes, each filled before the next.
[[nodiscard]] TorusTopology any_toruses(Choices& choices, std::uint32_t node_count);

[[nodiscard]] RingTopology any_rings(Choices& choices, std::uint32_t node_count);

/// A network that check() accepts, over the nodes [0, node_count).
[[nodiscard]] Network any_network(Choices& choices, std::uint32_t node_count);

/// What check() accepts for a job of so many nodes. Requires: nodes > 0.
[[nodiscard]] TopologyRequest any_topology_request(Choices& choices, std::uint32_t nodes);

}  // namespace trestle::testing
