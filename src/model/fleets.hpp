// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which fleet a node is in, and putting nodes in and out.
//
// Layer: model. Main functions: fleet_of, add_node, remove_node.

#include <string_view>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/model/fleet.hpp"

namespace trestle {

/// The fleet that the node belongs to, or null. Complexity: linear in the fleets.
[[nodiscard]] const Fleet* fleet_of(const std::vector<Fleet>& fleets, NodeId node);

/// Puts a node into the fleet called `name`; one that is there already stays. Errors: NotFound when
/// there is no such fleet; FailedPrecondition, naming the fleet, when another has the node or this
/// one has as many as it may. Nothing changes then. Complexity: linear in the fleets.
[[nodiscard]] Status add_node(std::vector<Fleet>& fleets, std::string_view name, NodeId node);

/// Takes a node out of the fleet called `name`, which may then have fewer than it should: size is
/// about what is wanted. Errors: NotFound when there is no such fleet or the node is not in it;
/// nothing changes then. Complexity: linear in the fleets.
[[nodiscard]] Status remove_node(std::vector<Fleet>& fleets, std::string_view name, NodeId node);

}  // namespace trestle
