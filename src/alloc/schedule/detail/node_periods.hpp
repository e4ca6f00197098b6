// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodePeriods: for each node the owners that will have something of it, and when.
//
// Layer: alloc (detail). Main type: NodePeriods. The cluster has the owners of now; here are the
// later ones. A node for which no owner waits costs nothing.
// Pitfall: periods on one node may overlap, when each takes a part of it.

#include <absl/container/inlined_vector.h>

#include <span>

#include "base/cow/cow.hpp"
#include "base/cow/cow_array.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

class NodePeriods {
  public:
    /// By their start, then end, then owner.
    [[nodiscard]] std::span<const OwnerPeriod> on(NodeId node) const;
    /// Requires: the owner does not wait for the node yet.
    void add(NodeId node, const OwnerPeriod& one);
    /// Requires: it was added.
    void remove(NodeId node, const OwnerPeriod& one);

  private:
    using List = absl::InlinedVector<OwnerPeriod, 2>;

    CowArray<Cow<List>> by_node_;
};

}  // namespace trestle::detail
