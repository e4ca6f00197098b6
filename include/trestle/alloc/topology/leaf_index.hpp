// SPDX-License-Identifier: Apache-2.0
#pragma once

// LeafIndex: how many eligible nodes each leaf has, kept so that choosing leaves need not walk
// them.
//
// Layer: alloc. Which nodes are eligible is the caller's business: he adds and removes them one by
// one. Kept are the leaves by count, as bitmaps, and for each domain of the LeafTree how many of
// its leaves have which count.
// A reader would get wrong: counts are of nodes; how many segments a leaf can host is count / size,
// and follows when it is asked.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/topology/leaf_tree.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/set/bit_index.hpp"

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
    explicit LeafIndex(Shared<LeafTree> tree)
        : tree_(std::move(tree)),
          counts_(tree_->leaf_count(), 0),
          totals_(tree_->domains().size(), 0),
          histograms_(tree_->domains().size()) {}

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
                                                         Interval<std::uint32_t> counts) const {
        std::optional<std::uint32_t> lowest;
        for (auto at = leaves_.lower_bound(counts.first);
             at != leaves_.end() && at->first < counts.last; ++at) {
            const auto leaf = at->second.next(from);
            if (leaf && (!lowest || *leaf < *lowest)) lowest = leaf;
        }
        return lowest;
    }

    /// One more, or one fewer, eligible node at the leaf. Complexity: domains above the leaf times
    /// the logarithm of the different counts, plus moving what lies behind them.
    void add(std::uint32_t leaf) { set_count(leaf, counts_[leaf] + 1); }
    /// Requires: there is one.
    void remove(std::uint32_t leaf) {
        TRESTLE_EXPECTS(counts_[leaf] != 0, "the leaf has an eligible node");
        set_count(leaf, counts_[leaf] - 1);
    }
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

inline void LeafIndex::set_count(std::uint32_t leaf, std::uint32_t count) {
    const std::uint32_t before = std::exchange(counts_[leaf], count);
    if (before == count) return;
    if (before != 0) take_away(leaf, before);
    if (count != 0) put(leaf, count);
    for (std::uint32_t d = tree_->parent_of_leaf(leaf); d != LeafDomain::none;
         d = tree_->domains()[d].parent) {
        totals_[d] += count - before;  // modulo 2^32
        move_one(histograms_[d], before, count);
    }
}

inline void LeafIndex::put(std::uint32_t leaf, std::uint32_t count) {
    auto at = leaves_.lower_bound(count);
    if (at == leaves_.end() || at->first != count) {
        if (spares_.empty()) spares_.emplace_back(tree_->leaf_count());
        at = leaves_.emplace_hint(at, count, std::move(spares_.back()));
        spares_.pop_back();
    }
    at->second.set(leaf);
}

inline void LeafIndex::take_away(std::uint32_t leaf, std::uint32_t count) {
    const auto at = leaves_.find(count);
    at->second.clear(leaf);
    if (!at->second.is_empty()) return;
    spares_.push_back(std::move(at->second));
    leaves_.erase(at);
}

inline void LeafIndex::move_one(LeafHistogram& histogram, std::uint32_t from, std::uint32_t to) {
    const auto find = [&](std::uint32_t count) {
        return std::lower_bound(
            histogram.begin(), histogram.end(), count,
            [](const LeavesOfCount& one, std::uint32_t c) { return one.count > c; });
    };
    if (from != 0) {
        const auto at = find(from);
        if (--at->leaves == 0) histogram.erase(at);
    }
    if (to != 0) {
        const auto at = find(to);
        if (at != histogram.end() && at->count == to) {
            ++at->leaves;
        } else {
            histogram.insert(at, {to, 1});
        }
    }
}

}  // namespace trestle
