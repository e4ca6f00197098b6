// SPDX-License-Identifier: Apache-2.0
#pragma once

// The network between nodes: a tree of switches, and blocks of nodes with a fast fabric.
//
// Layer: model. Main types: Switch, NetworkBlock, Network. Leaf switches hold nodes, inner switches
// hold switches; nodes_below(network, s) gives all nodes under one.
// A reader would get wrong: a parent stands before its children in `switches`, so a walk from the
// back sees children first.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

using SwitchId = Id<struct SwitchIdTag>;  ///< position in Network::switches

/// A switch of the network tree.
struct Switch {
    std::string name;
    std::optional<SwitchId> parent;
    NodeSet nodes;  ///< connected to it directly

    static constexpr auto fields() {
        return field_list(field("name", &Switch::name), field("parent", &Switch::parent),
                          field("nodes", &Switch::nodes));
    }
    friend bool operator==(const Switch&, const Switch&) = default;
};

/// Nodes that share a fabric, such as an NVLink domain.
struct NetworkBlock {
    std::string name;
    NodeSet nodes;

    static constexpr auto fields() {
        return field_list(field("name", &NetworkBlock::name), field("nodes", &NetworkBlock::nodes));
    }
    friend bool operator==(const NetworkBlock&, const NetworkBlock&) = default;
};

/// The switches and blocks between nodes.
struct Network {
    std::vector<Switch> switches;  ///< by SwitchId, parents before children
    std::vector<NetworkBlock> blocks;

    static constexpr auto fields() {
        return field_list(field("switches", &Network::switches), field("blocks", &Network::blocks));
    }
    friend bool operator==(const Network&, const Network&) = default;
};

/// Every node below the switch, at any depth. Requires: the switch exists. Complexity: linear in
/// the number of switches, times the set union.
[[nodiscard]] inline NodeSet nodes_below(const Network& network, SwitchId top) {
    TRESTLE_EXPECTS(top.value() < network.switches.size(), "the switch exists");
    std::vector<bool> is_below(network.switches.size(), false);
    is_below[top.value()] = true;
    NodeSet nodes;
    for (std::size_t i = top.value(); i < network.switches.size(); ++i) {
        const Switch& one = network.switches[i];
        if (one.parent && is_below[one.parent->value()]) is_below[i] = true;
        if (is_below[i]) nodes |= one.nodes;
    }
    return nodes;
}

/// Ok when parents stand before children and no node hangs at two switches or in two blocks.
/// Errors: InvalidArgument that names the switch or block.
[[nodiscard]] inline Status check(const Network& network) {
    NodeSet seen;
    for (std::size_t i = 0; i < network.switches.size(); ++i) {
        const Switch& one = network.switches[i];
        if (one.parent && one.parent->value() >= i) {
            return invalid_argument("switch {}: its parent must stand before it", one.name);
        }
        if (const auto twice = (seen & one.nodes).first()) {
            return invalid_argument("switch {}: node {} hangs at another switch already", one.name,
                                    twice->value());
        }
        seen |= one.nodes;
    }
    seen = NodeSet();
    for (const NetworkBlock& block : network.blocks) {
        if (const auto twice = (seen & block.nodes).first()) {
            return invalid_argument("block {}: node {} is in another block already", block.name,
                                    twice->value());
        }
        seen |= block.nodes;
    }
    return {};
}

}  // namespace trestle
