// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/idle_cluster.hpp"

#include "alloc/cluster/cluster_impl.hpp"

namespace trestle {

namespace detail {

Cluster IdleCluster::without_owners(const Cluster& cluster) {
    return Cluster(cluster.impl().without_owners());
}

void IdleCluster::follow(const Cluster& cluster) {
    if (!description_.is_same_object(cluster.description())) {
        idle_ = without_owners(cluster);
        description_ = cluster.description();
        copied_from_ = cluster;
    } else if (const auto changed = cluster.journal().since(followed_)) {
        bool is_other = false;
        idle_.impl().states_.tidy();
        for (const NodeId node : *changed) is_other |= enter(cluster, node);
        if (is_other) copied_from_ = cluster;
    } else {
        idle_.impl().states_.tidy();
        cluster.for_each_different_node(copied_from_, [&](NodeId node) { enter(cluster, node); });
        copied_from_ = cluster;
    }
    followed_ = cluster.journal().position();
}

bool IdleCluster::enter(const Cluster& cluster, NodeId node) {
    const ClassId known = cluster.state(node).node_class;
    if (idle_.state(node).node_class == known) return false;
    idle_.impl().put_state(
        node, idle_.impl().states_.intern({known, 0, idle_.classes().known(known).idle}));
    return true;
}

}  // namespace detail

}  // namespace trestle
