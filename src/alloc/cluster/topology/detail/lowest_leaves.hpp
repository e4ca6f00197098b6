// SPDX-License-Identifier: Apache-2.0
#pragma once

// Of all choices of leaves with one sum, the one with the lowest leaf numbers.
//
// Layer: alloc (detail). Of leaves alike the lowest are taken, so a choice is a number of leaves
// for each class. Leaf by leaf, the lowest one not looked at is taken if the rest can still be
// found; if not, no leaf of its class can be taken any more.
// Pitfall: most steps need no search, because a choice that is known to exist (the witness) takes
// the leaf anyway.

#include <cstdint>
#include <vector>

#include "alloc/cluster/topology/detail/leaf_scope.hpp"
#include "alloc/cluster/topology/detail/leaf_sum.hpp"

namespace trestle::detail {

class LowestLeaves {
  public:
    /// Requires: `witness` is a choice among the leaves of `scope`.
    LowestLeaves(const LeafScope& scope, std::vector<std::uint32_t> witness);

    /// As many leaves as the witness has, rising.
    [[nodiscard]] std::vector<std::uint32_t> run();

  private:
    [[nodiscard]] std::size_t lowest_class() const;

    /// Looks for a choice of the same sum with a leaf of this class, and makes it the witness.
    [[nodiscard]] bool has_witness_with(std::size_t i);

    const LeafScope& scope_;
    std::vector<LeafClass> classes_;      ///< with the leaves that may still be taken
    std::vector<std::uint32_t> witness_;  ///< leaves still to take, by class
    std::vector<std::uint32_t> heads_;    ///< the lowest leaf of each class that may be taken
    std::uint32_t missing_ = 0;
    std::uint64_t sum_ = 0;  ///< of the leaves still to take
};

}  // namespace trestle::detail
