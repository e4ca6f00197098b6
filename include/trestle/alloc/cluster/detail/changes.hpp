// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a cluster gives and takes: the member functions of Cluster that change who has what.
//
// Layer: alloc (detail). Included by alloc/cluster.hpp. An operation first works out what every
// node would be afterwards, which is where it can fail, and then puts all of that in place.
// A reader would get wrong: put_state, put_owner, remove_owner, put_description and put_free_counts
// are all the ways there are to change a cluster; undo() knows them and no others.

#include <string>

#include "trestle/alloc/cluster/cluster.hpp"

namespace trestle {

/// One line a node. Requires: the nodes exist in the cluster, and as for to_text(part, node).
[[nodiscard]] std::string to_text(const Placement& placement, const Cluster& cluster);

namespace detail {

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

}  // namespace detail

}  // namespace trestle
