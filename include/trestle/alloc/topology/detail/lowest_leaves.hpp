// SPDX-License-Identifier: Apache-2.0
#pragma once

// Of all choices of leaves with one sum, the one with the lowest leaf numbers.
//
// Layer: alloc (detail). Of leaves alike the lowest are taken, so a choice is a number of leaves
// for each class. Leaf by leaf, the lowest one not looked at is taken if the rest can still be
// found; if not, no leaf of its class can be taken any more. A reader would get wrong: most steps
// need no search, because a choice that is known to exist (the witness) takes the leaf anyway.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/topology/detail/leaf_scope.hpp"
#include "trestle/alloc/topology/detail/leaf_sum.hpp"

namespace trestle::detail {

class LowestLeaves {
  public:
    /// Requires: `witness` is a choice among the leaves of `scope`.
    LowestLeaves(const LeafScope& scope, std::vector<std::uint32_t> witness)
        : scope_(scope), classes_(scope.classes()), witness_(std::move(witness)) {
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            missing_ += witness_[i];
            sum_ += std::uint64_t{witness_[i]} * classes_[i].value;
            heads_.push_back(scope.next_leaf(scope.leaves().first, classes_[i].value));
        }
    }

    /// As many leaves as the witness has, rising.
    [[nodiscard]] std::vector<std::uint32_t> run() {
        std::vector<std::uint32_t> chosen;
        while (missing_ > 0) {
            const std::size_t i = lowest_class();
            if (witness_[i] == 0 && !has_witness_with(i)) {
                classes_[i].leaves = 0;
                continue;
            }
            chosen.push_back(heads_[i]);
            --witness_[i];
            --missing_;
            sum_ -= classes_[i].value;
            if (--classes_[i].leaves != 0) {
                heads_[i] = scope_.next_leaf(heads_[i] + 1, classes_[i].value);
            }
        }
        return chosen;
    }

  private:
    [[nodiscard]] std::size_t lowest_class() const {
        std::size_t lowest = 0;
        for (std::size_t i = 1; i < classes_.size(); ++i) {
            if (classes_[i].leaves == 0) continue;
            if (classes_[lowest].leaves == 0 || heads_[i] < heads_[lowest]) lowest = i;
        }
        return lowest;
    }

    /// Looks for a choice of the same sum with a leaf of this class, and makes it the witness.
    [[nodiscard]] bool has_witness_with(std::size_t i) {
        const std::uint32_t value = classes_[i].value;
        if (missing_ == 1 || sum_ < value) return false;  // the last one is of the witness's class
        --classes_[i].leaves;
        auto rest = least_surplus(classes_, missing_ - 1, sum_ - value);
        ++classes_[i].leaves;
        if (!rest || rest->surplus != 0) return false;
        witness_ = std::move(rest->taken);
        ++witness_[i];
        return true;
    }

    const LeafScope& scope_;
    std::vector<LeafClass> classes_;      ///< with the leaves that may still be taken
    std::vector<std::uint32_t> witness_;  ///< leaves still to take, by class
    std::vector<std::uint32_t> heads_;    ///< the lowest leaf of each class that may be taken
    std::uint32_t missing_ = 0;
    std::uint64_t sum_ = 0;  ///< of the leaves still to take
};

}  // namespace trestle::detail
