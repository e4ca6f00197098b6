// SPDX-License-Identifier: Apache-2.0
#pragma once

// What Python gives to leave nodes out of a decision about a cluster.

#include <functional>
#include <optional>

#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "unchanged.hpp"

namespace trestle::python {

/// Lives as long as its arguments: for the decision.
[[nodiscard]] inline NodeFilter filter_of(const Cluster& cluster,
                                          const std::optional<NodeSet>& candidates,
                                          const std::function<bool(NodeId)>& predicate) {
    NodeFilter filter{candidates ? &*candidates : nullptr, {}};
    if (!predicate) return filter;
    filter.predicate = [&](NodeId node) {
        const Unchanged cluster_is(cluster);
        const bool may_take = predicate(node);
        cluster_is.check();
        return may_take;
    };
    return filter;
}

}  // namespace trestle::python
