// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/detail/leaf_scope.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace trestle {

namespace detail {

LeafScope::LeafScope(const LeafIndex& index, const LeafNeed& need, std::uint32_t domain)
    : index_(&index), need_(&need), leaves_(index.tree().domains()[domain].leaves) {
    for (const LeavesOfCount& one : index.histogram_of(domain)) {
        const std::uint32_t value = one.count / need.segment_size;
        if (value == 0) break;
        if (!classes_.empty() && classes_.back().value == value) {
            classes_.back().leaves += one.leaves;
        } else {
            classes_.push_back({value, one.leaves});
        }
    }
    for (const std::uint32_t leaf : need.taken) {
        if (leaves_.contains(leaf)) leave_out(index.count(leaf) / need.segment_size);
    }
}

std::uint64_t LeafScope::most_segments(std::uint64_t leaves) const {
    std::uint64_t segments = 0;
    for (const LeafClass& one : classes_) {
        const std::uint64_t here = std::min<std::uint64_t>(one.leaves, leaves);
        segments += here * one.value;
        leaves -= here;
    }
    return segments;
}

std::optional<FewestLeaves> LeafScope::fewest_leaves() const {
    FewestLeaves fewest;
    if (need_->segments == 0) return fewest;
    std::uint64_t segments = 0;
    for (const LeafClass& one : classes_) {
        const std::uint64_t missing = need_->segments - segments;
        const std::uint64_t wanted = (missing + one.value - 1) / one.value;
        if (wanted <= one.leaves) {
            fewest.leaves += static_cast<std::uint32_t>(wanted);
            fewest.without_last = segments + (wanted - 1) * one.value;
            return fewest;
        }
        fewest.leaves += one.leaves;
        segments += std::uint64_t{one.leaves} * one.value;
    }
    return std::nullopt;
}

void LeafScope::keep_useful(const FewestLeaves& fewest) {
    const std::uint64_t least = need_->segments - std::min(need_->segments, fewest.without_last);
    while (!classes_.empty() && classes_.back().value < least) classes_.pop_back();
}

std::uint32_t LeafScope::next_leaf(std::uint32_t from, std::uint32_t value) const {
    const std::uint32_t size = need_->segment_size;
    const auto next = [&] { return *index_->next_leaf(from, {value * size, (value + 1) * size}); };
    std::uint32_t leaf = next();
    while (std::binary_search(need_->taken.begin(), need_->taken.end(), leaf)) {
        from = leaf + 1;
        leaf = next();
    }
    return leaf;
}

void LeafScope::leave_out(std::uint32_t value) {
    const auto at = std::find_if(classes_.begin(), classes_.end(),
                                 [&](const LeafClass& one) { return one.value == value; });
    if (at != classes_.end() && --at->leaves == 0) classes_.erase(at);
}

}  // namespace detail

}  // namespace trestle
