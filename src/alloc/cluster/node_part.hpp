// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of a placement: sum, difference and search.
//
// Layer: alloc (private). Main functions: sum, subtract, find_part.

#include "trestle/base/status.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// `whole` and `more` together. Requires: both are of one node, and in one row.
[[nodiscard]] NodePlacement sum(NodePlacement whole, const NodePlacement& more);

/// Ok when one owner can have `more` beside `whole`: for one component, cores of one row and used
/// alike, and of a device that is not used up not more than there is. Requires: `more` is free.
[[nodiscard]] Status check_addable(const NodePlacement& whole, const NodePlacement& more,
                                   const NodeShape& shape);

/// `whole` without `part`, which it holds.
[[nodiscard]] NodePlacement subtract(NodePlacement whole, const NodePlacement& part);

[[nodiscard]] bool is_empty(const NodePlacement& part);

/// The part of a placement on one node, or nothing. Complexity: logarithmic in the nodes.
[[nodiscard]] const NodePlacement* find_part(const Placement& placement, NodeId node);

}  // namespace trestle::detail
