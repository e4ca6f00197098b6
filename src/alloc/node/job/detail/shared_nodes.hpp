// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes that serve several components of a job, where one component at a time is laid out.
//
// Layer: alloc (detail). Main function: refuse_shared_nodes(nodes, placement).

#include <cstddef>
#include <optional>
#include <span>

#include "trestle/base/fmt.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// Why a placement is not that of one component: a node has several parts. Requires: the nodes of
/// the placement exist, its parts are in order.
[[nodiscard]] inline std::optional<Refusal> refuse_shared_nodes(std::span<const Node> nodes,
                                                                const Placement& placement) {
    for (std::size_t i = 1; i < placement.nodes.size(); ++i) {
        const NodePlacement& before = placement.nodes[i - 1];
        const NodePlacement& part = placement.nodes[i];
        if (before.node != part.node) continue;
        return Refusal{
            Constraint::invalid,
            fmt::format("node {}: the placement has parts for components {} and {}, "
                        "expected one, as component_placement() gives it",
                        nodes[part.node.value()].name, before.component, part.component)};
    }
    return std::nullopt;
}

}  // namespace trestle::detail
