// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the leaves of one domain have to offer: segments by leaf, as classes, less the leaves that
// are taken anyway.
//
// Layer: alloc (detail). Main types: LeafScope, LeafNeed.
// Pitfall: a class holds leaves with as many segments, whose counts of nodes may differ by up to a
// segment less one.

#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/cluster/topology/detail/leaf_sum.hpp"
#include "alloc/cluster/topology/leaf_index.hpp"

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
    LeafScope(const LeafIndex& index, const LeafNeed& need, std::uint32_t domain);

    [[nodiscard]] const std::vector<LeafClass>& classes() const { return classes_; }
    [[nodiscard]] Interval<std::uint32_t> leaves() const { return leaves_; }

    /// The most segments that so many leaves host.
    [[nodiscard]] std::uint64_t most_segments(std::uint64_t leaves) const;

    /// Nothing when all leaves together do not host what is needed.
    [[nodiscard]] std::optional<FewestLeaves> fewest_leaves() const;

    /// Leaves out what is too small to be among so few. Requires: fewest_leaves() of this or a
    /// larger scope gave it.
    void keep_useful(const FewestLeaves& fewest);

    /// The first leaf from `from` on that hosts so many segments and is not taken anyway.
    /// Requires: the scope has one.
    [[nodiscard]] std::uint32_t next_leaf(std::uint32_t from, std::uint32_t value) const;

  private:
    void leave_out(std::uint32_t value);

    const LeafIndex* index_;
    const LeafNeed* need_;
    Interval<std::uint32_t> leaves_;
    std::vector<LeafClass> classes_;
};

}  // namespace trestle::detail
