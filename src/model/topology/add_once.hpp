// SPDX-License-Identifier: Apache-2.0
#pragma once

// add_once: a node takes its one place on a ring or a torus.
//
// Layer: model, private.

#include <string_view>

#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// Adds the node to those that have a place. `kind` and `name` are the topology's part that has it.
/// Errors: InvalidArgument for a number that no node has, and for a node with a place.
[[nodiscard]] inline Status add_once(std::string_view kind, std::string_view name, NodeId node,
                                     NodeSet& seen) {
    if (node.value() >= NodeSet::index_limit) {
        return invalid_argument("{} {}: node {}, expected a number below {}", kind, name,
                                node.value(), NodeSet::index_limit);
    }
    if (seen.contains(node)) {
        return invalid_argument("{} {}: node {} has a place already", kind, name, node.value());
    }
    seen.insert(node);
    return {};
}

}  // namespace trestle
