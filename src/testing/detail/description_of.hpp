// SPDX-License-Identifier: Apache-2.0
#pragma once

// description_of: the inverse of make_node.
//
// Layer: testing. Every number is guessed from the obvious place. The guess counts only if
// make_node makes the given node of it.

#include <optional>

#include "trestle/model/node.hpp"
#include "trestle/model/node_builder.hpp"

namespace trestle::testing::detail {

/// The description that makes this node, or nullopt if the node is not regular enough or has what
/// the one-line text cannot express.
[[nodiscard]] std::optional<NodeDescription> description_of(const Node& node);

}  // namespace trestle::testing::detail
