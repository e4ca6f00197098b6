// SPDX-License-Identifier: Apache-2.0
#pragma once

// LeafCountCache: how many nodes that can take a part hang at each leaf, kept up to date.
//
// Layer: alloc. Main type: LeafCountCache. It follows a cluster as NodeRanking does, so that a job
// of many nodes costs what changed since the last one, not what there is.
// Pitfall: nodes that the topology does not cover are at no leaf and not counted.

#include <utility>
#include <vector>

#include "alloc/cluster/place/node_ranking.hpp"
#include "alloc/cluster/states/journal.hpp"
#include "alloc/cluster/topology/leaf_index.hpp"
#include "alloc/cluster/topology/leaf_tree.hpp"
#include "trestle/base/shared.hpp"

namespace trestle {

class LeafCountCache {
  public:
    explicit LeafCountCache(Shared<LeafTree> tree) : tree_(std::move(tree)), index_(tree_) {}

    [[nodiscard]] const LeafIndex& index() const { return index_; }
    [[nodiscard]] const Shared<LeafTree>& tree() const { return tree_; }

    /// Requires: the answers follow the cluster already.
    void follow(const Cluster& cluster, const NodeRanking& ranking);

  private:
    void count(const Cluster& cluster, const NodeRanking& ranking, NodeId node);

    Shared<LeafTree> tree_;
    LeafIndex index_;
    std::vector<bool> is_counted_;  ///< by node
    JournalPosition position_;
};

}  // namespace trestle
