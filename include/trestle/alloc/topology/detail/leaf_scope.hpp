// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the leaves of one domain have to offer: segments by leaf, as classes, less the leaves that
// are taken anyway.
//
// Layer: alloc (detail). Main types: LeafScope, LeafNeed.
// A reader would get wrong: a class holds leaves with as many segments, whose counts of nodes may
// differ by up to a segment less one.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/alloc/topology/detail/leaf_sum.hpp"
#include "trestle/alloc/topology/leaf_index.hpp"

namespace trestle::detail {

/// What is left to find beside the leaves that are taken anyway.
struct LeafNeed {
    std::uint64_t segments = 0;
    std::uint32_t segment_size = 1;
    std::vector<std::uint32_t> taken;  ///< leaves, rising
};

/// The fewest leaves that reach a number of segments.
struct FewestLeaves {
    std::uint32_t leaves = 0;
    std::uint64_t without_last = 0;  ///< segments that one leaf fewer has at most
};

/// The leaves of a domain by the segments that they can host, most first.
class LeafScope {
  public:
    LeafScope(const LeafIndex& index, const LeafNeed& need, std::uint32_t domain)
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

    [[nodiscard]] const std::vector<LeafClass>& classes() const { return classes_; }
    [[nodiscard]] Interval<std::uint32_t> leaves() const { return leaves_; }

    /// The most segments that so many leaves host.
    [[nodiscard]] std::uint64_t most_segments(std::uint64_t leaves) const {
        std::uint64_t segments = 0;
        for (const LeafClass& one : classes_) {
            const std::uint64_t here = std::min<std::uint64_t>(one.leaves, leaves);
            segments += here * one.value;
            leaves -= here;
        }
        return segments;
    }

    /// Nothing when all leaves together do not host what is needed.
    [[nodiscard]] std::optional<FewestLeaves> fewest_leaves() const {
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

    /// Leaves out what is too small to be among so few. Requires: fewest_leaves() of this or a
    /// larger scope gave it.
    void keep_useful(const FewestLeaves& fewest) {
        const std::uint64_t least =
            need_->segments - std::min(need_->segments, fewest.without_last);
        while (!classes_.empty() && classes_.back().value < least) classes_.pop_back();
    }

    /// The first leaf from `from` on that hosts so many segments and is not taken anyway.
    /// Requires: the scope has one.
    [[nodiscard]] std::uint32_t next_leaf(std::uint32_t from, std::uint32_t value) const {
        const std::uint32_t size = need_->segment_size;
        const auto next = [&] {
            return *index_->next_leaf(from, {value * size, (value + 1) * size});
        };
        std::uint32_t leaf = next();
        while (std::binary_search(need_->taken.begin(), need_->taken.end(), leaf)) {
            from = leaf + 1;
            leaf = next();
        }
        return leaf;
    }

  private:
    void leave_out(std::uint32_t value) {
        const auto at = std::find_if(classes_.begin(), classes_.end(),
                                     [&](const LeafClass& one) { return one.value == value; });
        if (at != classes_.end() && --at->leaves == 0) classes_.erase(at);
    }

    const LeafIndex* index_;
    const LeafNeed* need_;
    Interval<std::uint32_t> leaves_;
    std::vector<LeafClass> classes_;
};

}  // namespace trestle::detail
