// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fleets: sets of nodes with a name, of which no node is in two.
//
// Layer: model. Main type: Fleet. A plain description; that a node belongs to one fleet only is
// checked where fleets meet: by check(fleets), and by add_node when one joins.
// A reader would get wrong: the same node may be in two partitions, never in two fleets.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// Where the nodes of a fleet are wanted.
enum class FleetPlacement { any, cluster };

constexpr auto enum_names(FleetPlacement) {
    return std::array{named(FleetPlacement::any, "any"), named(FleetPlacement::cluster, "cluster")};
}

/// Nodes that belong together; no node is in two fleets.
struct Fleet {
    std::string name;
    NodeSet nodes;
    Range<Count> size;  ///< how many nodes it may have
    FleetPlacement placement = FleetPlacement::any;
    Count blocks{1};  ///< the equal parts that each node is cut into

    static constexpr auto fields(auto list) {
        return list(field("name", &Fleet::name), field("nodes", &Fleet::nodes),
                    field("size", &Fleet::size), field("placement", &Fleet::placement),
                    field("blocks", &Fleet::blocks));
    }
    friend bool operator==(const Fleet&, const Fleet&) = default;
};

/// Ok when no node is in two fleets and every fleet cuts into at least one block.
/// Errors: InvalidArgument that names both fleets and the node.
[[nodiscard]] inline Status check(const std::vector<Fleet>& fleets) {
    for (std::size_t i = 0; i < fleets.size(); ++i) {
        if (fleets[i].blocks.is_zero()) {
            return invalid_argument("fleet {}: blocks=0, expected 1 or more", fleets[i].name);
        }
        for (std::size_t j = 0; j < i; ++j) {
            const auto common = (fleets[i].nodes & fleets[j].nodes).first();
            if (common) {
                return invalid_argument("fleet {}: node {} belongs to fleet {} already",
                                        fleets[i].name, common->value(), fleets[j].name);
            }
        }
    }
    return {};
}

/// The fleet that the node belongs to, or null. Complexity: linear in the fleets.
[[nodiscard]] inline const Fleet* fleet_of(const std::vector<Fleet>& fleets, NodeId node) {
    const auto at = std::find_if(fleets.begin(), fleets.end(),
                                 [&](const Fleet& fleet) { return fleet.nodes.contains(node); });
    return at == fleets.end() ? nullptr : &*at;
}

namespace detail {

[[nodiscard]] inline StatusOr<Fleet*> find_fleet(std::vector<Fleet>& fleets,
                                                 std::string_view name) {
    const auto at = std::find_if(fleets.begin(), fleets.end(),
                                 [&](const Fleet& fleet) { return fleet.name == name; });
    if (at == fleets.end()) return not_found("there is no fleet {}", name);
    return &*at;
}

}  // namespace detail

/// Puts a node into the fleet called `name`; one that is there already stays. Errors: NotFound when
/// there is no such fleet; FailedPrecondition, naming the fleet, when another has the node or this
/// one has as many as it may. Nothing changes then. Complexity: linear in the fleets.
[[nodiscard]] inline Status add_node(std::vector<Fleet>& fleets, std::string_view name,
                                     NodeId node) {
    TRESTLE_TRY(Fleet* const fleet, detail::find_fleet(fleets, name));
    if (const Fleet* const owner = fleet_of(fleets, node)) {
        if (owner == fleet) return {};
        return failed_precondition("node {} belongs to fleet {} already", node.value(),
                                   owner->name);
    }
    const Count now(static_cast<std::int64_t>(fleet->nodes.count()));
    if (fleet->size.max && !(now < *fleet->size.max)) {
        return failed_precondition("fleet {} has {} nodes, as many as it may", name, now.value());
    }
    fleet->nodes.insert(node);
    return {};
}

/// Takes a node out of the fleet called `name`, which may then have fewer than it should: size is
/// about what is wanted. Errors: NotFound when there is no such fleet or the node is not in it;
/// nothing changes then. Complexity: linear in the fleets.
[[nodiscard]] inline Status remove_node(std::vector<Fleet>& fleets, std::string_view name,
                                        NodeId node) {
    TRESTLE_TRY(Fleet* const fleet, detail::find_fleet(fleets, name));
    if (!fleet->nodes.contains(node)) {
        return not_found("node {} is not in fleet {}", node.value(), name);
    }
    fleet->nodes.erase(node);
    return {};
}

}  // namespace trestle
