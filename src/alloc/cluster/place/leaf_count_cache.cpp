// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/leaf_count_cache.hpp"

#include <cstdint>

namespace trestle {

void LeafCountCache::follow(const Cluster& cluster, const NodeRanking& ranking) {
    const auto changed = cluster.journal().since(position_);
    if (changed && changed->empty()) return;
    position_ = cluster.journal().position();
    if (!changed) {
        index_ = LeafIndex(tree_);
        is_counted_.assign(cluster.node_count(), false);
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
            count(cluster, ranking, NodeId(i));
        }
        return;
    }
    for (const NodeId node : *changed) count(cluster, ranking, node);
}

void LeafCountCache::count(const Cluster& cluster, const NodeRanking& ranking, NodeId node) {
    const auto leaf = tree_->leaf_of(node);
    const bool counts = leaf && ranking.fits(cluster.states().of(node));
    if (counts == is_counted_[node.value()]) return;
    is_counted_[node.value()] = counts;
    if (counts) {
        index_.add(*leaf);
    } else {
        index_.remove(*leaf);
    }
}

}  // namespace trestle
