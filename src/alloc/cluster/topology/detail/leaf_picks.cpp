// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/detail/leaf_picks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace trestle {

namespace detail {

LeafPicks::LeafPicks(const LeafTree& tree, const LeafSupply& supply, const LeafLimits& limits,
                     StepBudget& budget)
    : tree_(tree), supply_(supply), limits_(limits), budget_(budget) {
    const std::int64_t nodes = limits.nodes;
    add_bound({supply.nodes.begin(), supply.nodes.end()}, nodes);
    for (const LeafAmount& amount : supply.amounts) {
        std::vector<std::int64_t> most(tree.leaf_count(), 0);
        for (const LeafAmount::Level& level : amount.levels) {
            for (std::size_t leaf = 0; leaf < most.size(); ++leaf) {
                most[leaf] += level.more * std::min<std::int64_t>(nodes, level.nodes[leaf]);
            }
        }
        add_bound(std::move(most), amount.wanted);
    }
}

void LeafPicks::add_bound(std::vector<std::int64_t> most, std::int64_t wanted) {
    Bound bound;
    bound.wanted = wanted;
    std::vector<std::int64_t> falling = most;
    std::sort(falling.begin(), falling.end(), std::greater<>());
    bound.best_sum.push_back(0);
    for (const std::int64_t one : falling) bound.best_sum.push_back(bound.best_sum.back() + one);
    bound.best_later = most;
    for (std::size_t leaf = most.size(); leaf-- > 1;) {
        bound.best_later[leaf - 1] = std::max(bound.best_later[leaf - 1], bound.best_later[leaf]);
    }
    bound.most = std::move(most);
    bounds_.push_back(std::move(bound));
}

void LeafPicks::run(Visit visit) {
    const std::size_t leaves = tree_.leaf_count();
    const std::size_t most = std::min<std::size_t>(limits_.leaves_max.value_or(leaves), leaves);
    for (std::size_t size = 1; size <= most && !has_given_up_; ++size) {
        if (may_do(size) && run_size(size, visit)) return;
    }
}

bool LeafPicks::may_do(std::size_t size) const {
    const bool has_sums = std::all_of(bounds_.begin(), bounds_.end(), [&](const Bound& one) {
        return one.best_sum[size] >= one.wanted;
    });
    return has_sums && std::all_of(supply_.amounts.begin(), supply_.amounts.end(),
                                   [&](const LeafAmount& amount) {
                                       std::int64_t sum = 0;
                                       for (const LeafAmount::Level& level : amount.levels) {
                                           sum += level.more * most_nodes(level, size);
                                       }
                                       return sum >= amount.wanted;
                                   });
}

std::int64_t LeafPicks::most_nodes(const LeafAmount::Level& level, std::size_t size) const {
    std::vector<std::uint32_t> falling = level.nodes;
    const auto end = falling.begin() + static_cast<std::ptrdiff_t>(size);
    std::partial_sort(falling.begin(), end, falling.end(), std::greater<>());
    const std::int64_t sum = std::accumulate(falling.begin(), end, std::int64_t{0});
    return std::min<std::int64_t>(sum, limits_.nodes);
}

bool LeafPicks::run_size(std::size_t size, Visit visit) {
    while (!pick_.empty()) pop();
    std::uint32_t next = 0;
    bool is_new = true;  // the beginning was not continued yet
    while (true) {
        const std::size_t more = size - pick_.size();
        if (more > 0 && may_go_on(next, more)) {
            push(next++);
            is_new = true;
            continue;
        }
        if (is_new && !budget_.spend()) {
            has_given_up_ = true;
            return false;
        }
        if (more == 0 && has_enough() && visit(pick_)) return true;
        if (pick_.empty()) return false;
        next = pop() + 1;
        is_new = false;
    }
}

bool LeafPicks::may_go_on(std::uint32_t next, std::size_t more) const {
    const std::uint32_t end = pick_.empty() ? tree_.leaf_count() : end_of(pick_.front());
    if (next + more > end) return false;
    return std::all_of(bounds_.begin(), bounds_.end(), [&](const Bound& one) {
        const std::int64_t later = static_cast<std::int64_t>(more) * one.best_later[next];
        return one.sum + std::min(one.best_sum[more], later) >= one.wanted;
    });
}

bool LeafPicks::has_enough() const {
    return std::all_of(supply_.amounts.begin(), supply_.amounts.end(),
                       [&](const LeafAmount& amount) {
                           std::int64_t sum = 0;
                           for (const LeafAmount::Level& level : amount.levels) {
                               std::int64_t nodes = 0;
                               for (const std::uint32_t leaf : pick_) nodes += level.nodes[leaf];
                               sum += level.more * std::min<std::int64_t>(nodes, limits_.nodes);
                           }
                           return sum >= amount.wanted;
                       });
}

std::uint32_t LeafPicks::end_of(std::uint32_t leaf) const {
    if (!limits_.height_max) return tree_.leaf_count();
    std::uint32_t end = leaf + 1;
    std::uint32_t domain = tree_.parent_of_leaf(leaf);
    while (domain != LeafDomain::none && tree_.domains()[domain].height <= *limits_.height_max) {
        end = tree_.domains()[domain].leaves.end;
        domain = tree_.domains()[domain].parent;
    }
    return end;
}

void LeafPicks::push(std::uint32_t leaf) {
    pick_.push_back(leaf);
    for (Bound& one : bounds_) one.sum += one.most[leaf];
}

std::uint32_t LeafPicks::pop() {
    const std::uint32_t leaf = pick_.back();
    pick_.pop_back();
    for (Bound& one : bounds_) one.sum -= one.most[leaf];
    return leaf;
}

}  // namespace detail

}  // namespace trestle
