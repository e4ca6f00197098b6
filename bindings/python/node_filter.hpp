// SPDX-License-Identifier: Apache-2.0
#pragma once

// What Python gives to leave nodes out of a decision.

#include <functional>
#include <optional>

#include "trestle/alloc/place/node_filter.hpp"

namespace trestle::python {

/// Lives as long as its arguments: for the decision.
[[nodiscard]] inline NodeFilter filter_of(const std::optional<NodeSet>& candidates,
                                          const std::function<bool(NodeId)>& predicate) {
    return {candidates ? &*candidates : nullptr, predicate};
}

}  // namespace trestle::python
