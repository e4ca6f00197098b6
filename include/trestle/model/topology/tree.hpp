// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tree of switches, of any depth: leaf switches hold nodes, inner switches hold switches.
//
// Layer: model. Main types: Switch, TreeTopology; nodes_below(tree, s) gives all nodes under one.
// There may be several trees side by side; nodes of two of them have no switch in common.
// A reader would get wrong: a parent stands before its children in `switches`, so a walk from the
// back sees children first.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/topology/names.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

using SwitchId = Id<struct SwitchIdTag>;  ///< position in TreeTopology::switches

/// A switch of the network. A leaf switch has nodes, an inner one is the parent of others; one with
/// neither is an empty leaf.
struct Switch {
    std::string name;
    std::optional<SwitchId> parent;
    NodeSet nodes;  ///< connected to it directly

    static constexpr auto fields(auto list) {
        return list(field("name", &Switch::name), field("parent", &Switch::parent),
                    field("nodes", &Switch::nodes));
    }
    friend bool operator==(const Switch&, const Switch&) = default;
};

/// Switches above nodes.
struct TreeTopology {
    std::string name;
    std::vector<Switch> switches;  ///< by SwitchId, parents before children

    static constexpr auto fields(auto list) {
        return list(field("name", &TreeTopology::name), field("switches", &TreeTopology::switches));
    }
    friend bool operator==(const TreeTopology&, const TreeTopology&) = default;
};

/// Every node below the switch, at any depth. Requires: the switch exists. Complexity: linear in
/// the number of switches, times the set union.
[[nodiscard]] inline NodeSet nodes_below(const TreeTopology& tree, SwitchId top) {
    TRESTLE_EXPECTS(top.value() < tree.switches.size(), "the switch exists");
    std::vector<bool> is_below(tree.switches.size(), false);
    is_below[top.value()] = true;
    NodeSet nodes;
    for (std::size_t i = top.value(); i < tree.switches.size(); ++i) {
        const Switch& one = tree.switches[i];
        if (one.parent && is_below[one.parent->value()]) is_below[i] = true;
        if (is_below[i]) nodes |= one.nodes;
    }
    return nodes;
}

/// How many switches lie on the longest way down from each: 0 for a leaf switch.
/// Requires: parents stand before children.
[[nodiscard]] inline std::vector<std::uint32_t> heights_of(const TreeTopology& tree) {
    std::vector<std::uint32_t> heights(tree.switches.size(), 0);
    for (std::size_t i = heights.size(); i-- != 0;) {
        const auto& parent = tree.switches[i].parent;
        if (!parent) continue;
        std::uint32_t& above = heights[parent->value()];
        above = std::max(above, heights[i] + 1);
    }
    return heights;
}

/// Ok when switches have names of their own, parents stand before children, a switch holds nodes or
/// switches but not both, and no node hangs at two. Errors: InvalidArgument that names the switch.
[[nodiscard]] inline Status check(const TreeTopology& tree) {
    TRESTLE_TRY_STATUS(detail::check_names("switch", tree.switches));
    std::vector<bool> is_parent(tree.switches.size(), false);
    NodeSet seen;
    for (std::size_t i = 0; i < tree.switches.size(); ++i) {
        const Switch& one = tree.switches[i];
        if (one.parent && one.parent->value() >= i) {
            return invalid_argument("switch {}: its parent must stand before it", one.name);
        }
        if (one.parent) is_parent[one.parent->value()] = true;
        if (const auto twice = (seen & one.nodes).first()) {
            return invalid_argument("switch {}: node {} hangs at another switch already", one.name,
                                    twice->value());
        }
        seen |= one.nodes;
    }
    for (std::size_t i = 0; i < tree.switches.size(); ++i) {
        if (is_parent[i] && !tree.switches[i].nodes.is_empty()) {
            return invalid_argument("switch {}: holds nodes and switches, expected one of them",
                                    tree.switches[i].name);
        }
    }
    return {};
}

}  // namespace trestle
