// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeFilter: the nodes that the caller admits for one decision.
//
// Layer: alloc. Main type: NodeFilter. For quotas, tenants and reservations of the host scheduler,
// which Trestle does not know. A default filter admits all nodes and costs nothing.
// Pitfall: the predicate is called again for each decision, and only for nodes that would otherwise
// be taken. Its answer for a node must not change during a decision.

#include <functional>

#include "trestle/base/ids.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// A node passes if it is in `candidates` and satisfies `predicate`; an absent filter accepts every
/// node.
struct NodeFilter {
    const NodeSet* candidates = nullptr;
    std::function<bool(NodeId)> predicate{};

    [[nodiscard]] bool passes(NodeId node) const {
        return (!candidates || candidates->contains(node)) && (!predicate || predicate(node));
    }
    [[nodiscard]] bool is_empty() const { return !candidates && !predicate; }
};

}  // namespace trestle
