// SPDX-License-Identifier: Apache-2.0
#pragma once

// LeafFollower: how many nodes that can take a part hang at each leaf, kept up to date.
//
// Layer: alloc. Main type: LeafFollower. It follows a cluster as PartAnswers does, so that a job of
// many nodes costs what changed since the last one, not what there is.
// A reader would get wrong: nodes that the topology does not cover are at no leaf and not counted.

#include <cstdint>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/place/answers.hpp"
#include "trestle/alloc/topology/leaf_index.hpp"
#include "trestle/alloc/topology/leaf_tree.hpp"
#include "trestle/base/shared.hpp"

namespace trestle {

class LeafFollower {
  public:
    explicit LeafFollower(Shared<LeafTree> tree) : tree_(std::move(tree)), index_(tree_) {}

    [[nodiscard]] const LeafIndex& index() const { return index_; }
    [[nodiscard]] const Shared<LeafTree>& tree() const { return tree_; }

    /// Requires: the answers follow the cluster already.
    void follow(const Cluster& cluster, const PartAnswers& answers) {
        const auto changed = cluster.journal().since(position_);
        if (changed && changed->empty()) return;
        position_ = cluster.journal().position();
        if (!changed) {
            index_ = LeafIndex(tree_);
            is_counted_.assign(cluster.node_count(), false);
            for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
                count(cluster, answers, NodeId(i));
            }
            return;
        }
        for (const NodeId node : *changed) count(cluster, answers, node);
    }

  private:
    void count(const Cluster& cluster, const PartAnswers& answers, NodeId node) {
        const auto leaf = tree_->leaf_of(node);
        const bool counts = leaf && answers.fits(cluster.states().of(node));
        if (counts == is_counted_[node.value()]) return;
        is_counted_[node.value()] = counts;
        if (counts) {
            index_.add(*leaf);
        } else {
            index_.remove(*leaf);
        }
    }

    Shared<LeafTree> tree_;
    LeafIndex index_;
    std::vector<bool> is_counted_;  ///< by node
    JournalPosition position_;
};

}  // namespace trestle
