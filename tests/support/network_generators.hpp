// SPDX-License-Identifier: Apache-2.0
#pragma once

// Networks of all kinds, and what a job may ask of them.
//
// Main functions: any_network(choices, nodes), any_topology_request(choices,
// nodes). A topology covers nodes in an order of its own, and leaves some of them out.
// Pitfall: topologies are called tree, blocks, torus and ring, and each of them is there or not.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/model/network.hpp"
#include "trestle/model/topology_request.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle::testing {

namespace detail {

/// The nodes [0, count), some of them left out, mostly in order.
[[nodiscard]] inline std::vector<NodeId> any_node_order(Choices& choices, std::uint32_t count) {
    std::vector<NodeId> nodes;
    const bool is_mixed = choices.one_in(3);
    const bool is_complete = !choices.one_in(3);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!is_complete && choices.one_in(6)) continue;
        nodes.emplace_back(i);
        if (is_mixed) std::swap(nodes.back(), nodes[choices.below(nodes.size())]);
    }
    return nodes;
}

/// Cuts the nodes into sets of up to `most`, some of them smaller or empty.
[[nodiscard]] inline std::vector<NodeSet> any_parts(Choices& choices,
                                                    const std::vector<NodeId>& nodes,
                                                    std::uint32_t most) {
    std::vector<NodeSet> parts;
    for (std::size_t i = 0; i < nodes.size();) {
        parts.emplace_back();
        for (std::uint64_t n = choices.one_in(4) ? choices.below(most + 1) : most;
             n > 0 && i < nodes.size(); --n) {
            parts.back().insert(nodes[i++]);
        }
    }
    return parts;
}

}  // namespace detail

/// Leaf switches below up to two levels of others, even or not, of one tree or several.
[[nodiscard]] inline TreeTopology any_tree(Choices& choices, std::uint32_t node_count) {
    TreeTopology tree{"tree", {}};
    const auto most = static_cast<std::uint32_t>(1 + choices.below(4));
    const auto leaves =
        detail::any_parts(choices, detail::any_node_order(choices, node_count), most);
    const std::uint64_t tops = choices.below(3);  // none: leaves stand alone
    for (std::uint64_t i = 0; i < tops; ++i) {
        tree.switches.push_back({"top" + std::to_string(i), std::nullopt, {}});
        if (i > 0 && choices.one_in(2)) tree.switches.back().parent = TreeTopology::SwitchId(0);
    }
    const std::uint64_t pods = tops == 0 ? 0 : choices.below(4);
    for (std::uint64_t i = 0; i < pods; ++i) {
        const auto parent = static_cast<std::uint32_t>(choices.below(tops));
        tree.switches.push_back({"pod" + std::to_string(i), TreeTopology::SwitchId(parent), {}});
    }
    const std::uint64_t above = tree.switches.size();
    for (const NodeSet& nodes : leaves) {
        const std::string name = "leaf" + std::to_string(tree.switches.size() - above);
        std::optional<TreeTopology::SwitchId> parent;
        if (above != 0)
            parent = TreeTopology::SwitchId(static_cast<std::uint32_t>(choices.below(above)));
        tree.switches.push_back({name, parent, nodes});
    }
    return tree;
}

[[nodiscard]] inline BlockTopology any_blocks(Choices& choices, std::uint32_t node_count) {
    BlockTopology topology{"blocks", {}, {}};
    const auto most = static_cast<std::uint32_t>(1 + choices.below(5));
    for (const NodeSet& nodes :
         detail::any_parts(choices, detail::any_node_order(choices, node_count), most)) {
        topology.blocks.push_back({"b" + std::to_string(topology.blocks.size()), nodes});
    }
    for (std::int64_t k = 0; k < 4 && choices.one_in(2); ++k) {
        if (k == 0 || choices.one_in(2)) topology.sizes.emplace_back(most * (1LL << k));
    }
    return topology;
}

/// Tori with room for all nodes, each filled before the next.
[[nodiscard]] inline TorusTopology any_toruses(Choices& choices, std::uint32_t node_count) {
    TorusTopology topology{"torus", {}};
    const std::vector<NodeId> nodes = detail::any_node_order(choices, node_count);
    const auto length = [&] { return static_cast<std::uint32_t>(1 + choices.below(3)); };
    for (std::size_t i = 0; i < nodes.size();) {
        TorusTopology::Torus torus{
            "t" + std::to_string(topology.toruses.size()), {length(), length(), length()}, {}};
        for (std::uint32_t place = 0; place < *torus.shape.volume(); ++place) {
            const bool is_taken = i < nodes.size() && !choices.one_in(8);
            torus.nodes.push_back(is_taken ? std::optional(nodes[i++]) : std::nullopt);
        }
        topology.toruses.push_back(std::move(torus));
    }
    return topology;
}

[[nodiscard]] inline RingTopology any_rings(Choices& choices, std::uint32_t node_count) {
    RingTopology topology{"ring", {}};
    for (const NodeId node : detail::any_node_order(choices, node_count)) {
        if (topology.rings.empty() || choices.one_in(8)) {
            topology.rings.push_back({"r" + std::to_string(topology.rings.size()), {}});
        }
        topology.rings.back().nodes.push_back(node);
    }
    return topology;
}

/// A network that check() accepts, over the nodes [0, node_count).
[[nodiscard]] inline Network any_network(Choices& choices, std::uint32_t node_count) {
    Network network;
    if (choices.one_in(2)) network.trees.push_back(any_tree(choices, node_count));
    if (choices.one_in(2)) network.blocks.push_back(any_blocks(choices, node_count));
    if (choices.one_in(2)) network.toruses.push_back(any_toruses(choices, node_count));
    if (choices.one_in(2)) network.rings.push_back(any_rings(choices, node_count));
    return network;
}

/// What check() accepts for a job of so many nodes. Requires: nodes > 0.
[[nodiscard]] inline TopologyRequest any_topology_request(Choices& choices, std::uint32_t nodes) {
    TopologyRequest request;
    const auto divisor = [&](std::uint32_t of) {
        const auto d = static_cast<std::uint32_t>(1 + choices.below(of));
        return of % d == 0 ? d : 1;
    };
    const auto locality = [&] {
        return choices.of(std::vector{Strictness::ignore, Strictness::prefer, Strictness::require});
    };
    const std::uint64_t kind = choices.below(7);
    if (kind == 1) request.switches_max = Count(static_cast<std::int64_t>(1 + choices.below(3)));
    if (kind == 2) request.segment_size = Count(divisor(nodes));
    if (kind <= 3 && choices.one_in(2)) {
        request.level = Count(static_cast<std::int64_t>(choices.below(4)));
    }
    if (kind <= 1) request.is_contiguous = choices.one_in(4);
    if (kind == 4) {
        const std::uint32_t x = divisor(nodes);
        const std::uint32_t y = divisor(nodes / x);
        request.shape = TorusTopology::Shape{x, y, nodes / x / y};
    }
    request.is_on_ring = kind == 5;
    if (kind == 6)
        request.topology = choices.of(std::vector<std::string>{"tree", "blocks", "ring"});
    request.switches = locality();
    request.within = locality();
    return request;
}

}  // namespace trestle::testing
