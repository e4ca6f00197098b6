// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeFilter: nodes that the caller leaves in question for one decision.
//
// Layer: alloc. Main type: NodeFilter. Quotas, tenants, reservations of the host scheduler: what
// Trestle does not know of. A default filter leaves all nodes and costs nothing.
// Pitfall: the predicate is asked again for each decision, and only for nodes that would otherwise
// be taken; it has to say the same of a node as long as the decision takes.

#include <functional>

#include "trestle/base/ids.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// A node passes when it is a candidate and the predicate says so; what is absent says so of all.
struct NodeFilter {
    const NodeSet* candidates = nullptr;
    std::function<bool(NodeId)> predicate{};

    [[nodiscard]] bool passes(NodeId node) const {
        return (!candidates || candidates->contains(node)) && (!predicate || predicate(node));
    }
    [[nodiscard]] bool is_empty() const { return !candidates && !predicate; }
};

}  // namespace trestle
