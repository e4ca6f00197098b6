// SPDX-License-Identifier: Apache-2.0
#pragma once

// IdleCluster: a cluster without owners, of one that changes.
//
// Layer: alloc (detail). Main type: IdleCluster. It follows a cluster and enters nodes that come to
// be in another class, as drained ones are. Jobs that come and go change nothing.
// Pitfall: a state of nodes that there has never been, or another partition, is a new description,
// by which all is made anew; the next node in that state is one node.

#include "alloc/cluster/states/description.hpp"
#include "alloc/cluster/states/journal.hpp"
#include "base/cow/cow.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

class IdleCluster {
  public:
    /// The cluster with no owner in it. Complexity: the changes of class from a node to the next.
    [[nodiscard]] static Cluster without_owners(const Cluster& cluster);

    [[nodiscard]] const Cluster& cluster() const { return idle_; }

    /// Looks at a cluster. Complexity: the nodes that changed since the last time; that of
    /// without_owners() after a new description.
    void follow(const Cluster& cluster);

  private:
    /// Puts the node into the class that it has in the cluster; true when that is another.
    bool enter(const Cluster& cluster, NodeId node);

    Cluster idle_;
    Cluster copied_from_;  ///< with its owners then, and the classes that idle_ has
    Cow<Description> description_;
    JournalPosition followed_;
};

}  // namespace trestle::detail
