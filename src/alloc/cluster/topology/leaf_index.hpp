// SPDX-License-Identifier: Apache-2.0
#pragma once

// LeafIndex: how many eligible nodes each leaf has, kept so that choosing leaves need not walk
// them.
//
// Layer: alloc. Which nodes are eligible is the caller's business: he adds and removes them one by
// one. Kept are the leaves by count, as bitmaps, and for each domain of the LeafTree how many of
// its leaves have which count.
// Pitfall: counts are of nodes; how many segments a leaf can host is count / size, and follows when
// it is asked.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "alloc/cluster/topology/leaf_tree.hpp"
#include "set/bit_index.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/shared.hpp"

namespace trestle {

/// So many leaves have so many eligible nodes.
struct LeavesOfCount {
    std::uint32_t count = 0;   ///< of eligible nodes, not 0
    std::uint32_t leaves = 0;  ///< not 0

    friend bool operator==(const LeavesOfCount&, const LeavesOfCount&) = default;
};

/// Counts of eligible nodes, falling, and how many leaves have each.
using LeafHistogram = std::vector<LeavesOfCount>;

/// Eligible nodes by leaf.
class LeafIndex {
  public:
    LeafIndex() = default;
    /// Without eligible nodes.
    explicit LeafIndex(Shared<LeafTree> tree);

    [[nodiscard]] const LeafTree& tree() const { return *tree_; }
    /// Of all leaves together.
    [[nodiscard]] std::uint32_t total() const { return totals_.empty() ? 0 : totals_.back(); }

    /// Requires, here and below: the leaf or domain exists.
    [[nodiscard]] std::uint32_t count(std::uint32_t leaf) const { return counts_[leaf]; }
    [[nodiscard]] std::uint32_t total_of(std::uint32_t domain) const { return totals_[domain]; }
    [[nodiscard]] const LeafHistogram& histogram_of(std::uint32_t domain) const {
        return histograms_[domain];
    }
    /// The first leaf from `from` on whose count, which is not 0, lies in `counts`. Complexity: the
    /// different counts there.
    [[nodiscard]] std::optional<std::uint32_t> next_leaf(std::uint32_t from,
                                                         Interval<std::uint32_t> counts) const;

    /// One more, or one fewer, eligible node at the leaf. Complexity: domains above the leaf times
    /// the logarithm of the different counts, plus moving what lies behind them.
    void add(std::uint32_t leaf) { set_count(leaf, counts_[leaf] + 1); }
    /// Requires: there is one.
    void remove(std::uint32_t leaf);
    /// By the node; nothing happens when the topology does not cover it.
    void add(NodeId node) {
        if (const auto leaf = tree_->leaf_of(node)) add(*leaf);
    }
    void remove(NodeId node) {
        if (const auto leaf = tree_->leaf_of(node)) remove(*leaf);
    }
    /// Many at once, at the cost of one.
    void set_count(std::uint32_t leaf, std::uint32_t count);

    friend bool operator==(const LeafIndex& a, const LeafIndex& b) {
        return a.tree_ == b.tree_ && a.counts_ == b.counts_ && a.totals_ == b.totals_ &&
               a.histograms_ == b.histograms_ && a.leaves_ == b.leaves_;
    }

  private:
    void put(std::uint32_t leaf, std::uint32_t count);
    void take_away(std::uint32_t leaf, std::uint32_t count);
    static void move_one(LeafHistogram& histogram, std::uint32_t from, std::uint32_t to);

    Shared<LeafTree> tree_;
    std::vector<std::uint32_t> counts_;         ///< by leaf
    std::vector<std::uint32_t> totals_;         ///< by domain
    std::vector<LeafHistogram> histograms_;     ///< by domain
    std::map<std::uint32_t, BitIndex> leaves_;  ///< by count, which is not 0; none is empty
    std::vector<BitIndex> spares_;              ///< empty ones: making one costs more than a change
};

}  // namespace trestle
