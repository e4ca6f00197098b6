// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/leaf_index.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "trestle/base/contract.hpp"

namespace trestle {

LeafIndex::LeafIndex(Shared<LeafTree> tree)
    : tree_(std::move(tree)),
      counts_(tree_->leaf_count(), 0),
      totals_(tree_->domains().size(), 0),
      histograms_(tree_->domains().size()) {}

std::optional<std::uint32_t> LeafIndex::next_leaf(std::uint32_t from,
                                                  Interval<std::uint32_t> counts) const {
    std::optional<std::uint32_t> lowest;
    for (auto at = leaves_.lower_bound(counts.first); at != leaves_.end() && at->first < counts.end;
         ++at) {
        const auto leaf = at->second.next(from);
        if (leaf && (!lowest || *leaf < *lowest)) lowest = leaf;
    }
    return lowest;
}

void LeafIndex::remove(std::uint32_t leaf) {
    TRESTLE_EXPECTS(counts_[leaf] != 0, "the leaf has an eligible node");
    set_count(leaf, counts_[leaf] - 1);
}

void LeafIndex::set_count(std::uint32_t leaf, std::uint32_t count) {
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

void LeafIndex::put(std::uint32_t leaf, std::uint32_t count) {
    auto at = leaves_.lower_bound(count);
    if (at == leaves_.end() || at->first != count) {
        if (spares_.empty()) spares_.emplace_back(tree_->leaf_count());
        at = leaves_.emplace_hint(at, count, std::move(spares_.back()));
        spares_.pop_back();
    }
    at->second.set(leaf);
}

void LeafIndex::take_away(std::uint32_t leaf, std::uint32_t count) {
    const auto at = leaves_.find(count);
    at->second.clear(leaf);
    if (!at->second.is_empty()) return;
    spares_.push_back(std::move(at->second));
    leaves_.erase(at);
}

void LeafIndex::move_one(LeafHistogram& histogram, std::uint32_t from, std::uint32_t to) {
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
