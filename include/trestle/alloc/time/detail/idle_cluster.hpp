// SPDX-License-Identifier: Apache-2.0
#pragma once

// IdleCluster: a cluster with nobody in it, of one that changes.
//
// Layer: alloc (detail). Main types: without_owners(cluster), IdleCluster, which follows a cluster
// and enters nodes that come to be in another class, as drained ones are. Who comes and goes is no
// matter.
// A reader would get wrong: a state of nodes that there has never been, or another partition, is a
// new description, by which all is made anew; the next node in that state is one node.

#include <utility>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/cluster/journal.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/cow/cow.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"

namespace trestle::detail {

/// The cluster with nobody in it. Complexity: linear in its allocations.
[[nodiscard]] inline Cluster without_owners(Cluster cluster) {
    for (const Allocation& one : cluster.allocations()) {
        const Status gone = cluster.release(one.owner).status();
        TRESTLE_EXPECTS(gone.ok(), "what is there can be released");
    }
    return cluster;
}

class IdleCluster {
  public:
    [[nodiscard]] const Cluster& cluster() const { return idle_; }

    /// Looks at a cluster. Complexity: the nodes that changed since the last time; that of
    /// without_owners() after a new description.
    void follow(const Cluster& cluster) {
        if (!description_.is_same_object(cluster.description())) {
            idle_ = without_owners(cluster);
            description_ = cluster.description();
            copied_from_ = cluster;
        } else if (const auto changed = cluster.journal().since(followed_)) {
            bool is_other = false;
            idle_.states_.tidy();
            for (const NodeId node : *changed) is_other |= enter(cluster, node);
            if (is_other) copied_from_ = cluster;
        } else {
            idle_.states_.tidy();
            cluster.for_each_different_node(copied_from_,
                                            [&](NodeId node) { enter(cluster, node); });
            copied_from_ = cluster;
        }
        followed_ = cluster.journal().position();
    }

  private:
    /// Puts the node into the class that it has in the cluster; true when that is another.
    bool enter(const Cluster& cluster, NodeId node) {
        const ClassId known = cluster.state(node).node_class;
        if (idle_.state(node).node_class == known) return false;
        idle_.put_state(node, idle_.states_.intern({known, 0, idle_.classes().known(known).idle}));
        return true;
    }

    Cluster idle_;
    Cluster copied_from_;  ///< with whoever was in it then, and the classes that idle_ has
    Cow<Description> description_;
    JournalPosition followed_;
};

}  // namespace trestle::detail
