// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/topology/tree.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/topology/levels.hpp"
#include "model/topology/names.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

NodeSet nodes_below(const TreeTopology& tree, TreeTopology::SwitchId top) {
    TRESTLE_EXPECTS(top.value() < tree.switches.size(), "the switch exists");
    std::vector<bool> is_below(tree.switches.size(), false);
    is_below[top.value()] = true;
    NodeSet nodes;
    for (std::size_t i = top.value(); i < tree.switches.size(); ++i) {
        const TreeTopology::Switch& one = tree.switches[i];
        if (one.parent && is_below[one.parent->value()]) is_below[i] = true;
        if (is_below[i]) nodes |= one.nodes;
    }
    return nodes;
}

std::vector<std::uint32_t> heights_of(const TreeTopology& tree) {
    std::vector<std::uint32_t> heights(tree.switches.size(), 0);
    for (std::size_t i = heights.size(); i-- != 0;) {
        const auto& parent = tree.switches[i].parent;
        if (!parent) continue;
        std::uint32_t& above = heights[parent->value()];
        above = std::max(above, heights[i] + 1);
    }
    return heights;
}

Status check(const TreeTopology& tree) {
    TRESTLE_TRY_STATUS(detail::check_names("switch", tree.switches));
    std::vector<bool> is_parent(tree.switches.size(), false);
    NodeSet seen;
    for (std::size_t i = 0; i < tree.switches.size(); ++i) {
        const TreeTopology::Switch& one = tree.switches[i];
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
