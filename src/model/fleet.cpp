// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/fleet.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/fleets.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

Status check(const std::vector<Fleet>& fleets) {
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

const Fleet* fleet_of(const std::vector<Fleet>& fleets, NodeId node) {
    const auto at = std::find_if(fleets.begin(), fleets.end(),
                                 [&](const Fleet& fleet) { return fleet.nodes.contains(node); });
    return at == fleets.end() ? nullptr : &*at;
}

namespace {

StatusOr<Fleet*> find_fleet(std::vector<Fleet>& fleets, std::string_view name) {
    const auto at = std::find_if(fleets.begin(), fleets.end(),
                                 [&](const Fleet& fleet) { return fleet.name == name; });
    if (at == fleets.end()) return not_found("there is no fleet {}", name);
    return &*at;
}

}  // namespace

Status add_node(std::vector<Fleet>& fleets, std::string_view name, NodeId node) {
    TRESTLE_TRY(Fleet* const fleet, find_fleet(fleets, name));
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

Status remove_node(std::vector<Fleet>& fleets, std::string_view name, NodeId node) {
    TRESTLE_TRY(Fleet* const fleet, find_fleet(fleets, name));
    if (!fleet->nodes.contains(node)) {
        return not_found("node {} is not in fleet {}", node.value(), name);
    }
    fleet->nodes.erase(node);
    return {};
}

}  // namespace trestle
