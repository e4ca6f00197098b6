// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/detail/lowest_leaves.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "alloc/cluster/states/node_classes.hpp"

namespace trestle {

namespace detail {

LowestLeaves::LowestLeaves(const LeafScope& scope, std::vector<std::uint32_t> witness)
    : scope_(scope), classes_(scope.classes()), witness_(std::move(witness)) {
    for (std::size_t i = 0; i < classes_.size(); ++i) {
        missing_ += witness_[i];
        sum_ += std::uint64_t{witness_[i]} * classes_[i].value;
        heads_.push_back(scope.next_leaf(scope.leaves().first, classes_[i].value));
    }
}

std::vector<std::uint32_t> LowestLeaves::run() {
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

std::size_t LowestLeaves::lowest_class() const {
    std::size_t lowest = 0;
    for (std::size_t i = 1; i < classes_.size(); ++i) {
        if (classes_[i].leaves == 0) continue;
        if (classes_[lowest].leaves == 0 || heads_[i] < heads_[lowest]) lowest = i;
    }
    return lowest;
}

bool LowestLeaves::has_witness_with(std::size_t i) {
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

}  // namespace detail

}  // namespace trestle
