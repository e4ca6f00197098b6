// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/detail/leaf_sum.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/set/detail/bits.hpp"

namespace trestle {

namespace detail {

LeafSumTable::LeafSumTable(const std::vector<LeafClass>& classes, std::uint32_t leaves)
    : classes_(classes) {
    largest_.reserve(leaves + std::size_t{1});
    largest_.push_back(0);
    for (const LeafClass& one : classes) {
        for (std::uint32_t i = 0; i < one.leaves && largest_.size() <= leaves; ++i) {
            largest_.push_back(largest_.back() + one.value);
        }
    }
    has_leaves_ = largest_.size() > leaves;
}

std::optional<LeafSum> LeafSumTable::solve(std::uint32_t leaves, std::uint64_t asked) {
    if (!has_leaves_ || largest_[leaves] < asked) return std::nullopt;
    slack_ = largest_[leaves] - asked;
    words_ = static_cast<std::size_t>(slack_ / word_bits + 1);
    layers_ = {{0, 0, 0}};
    rows_.assign(words_, 0);
    rows_[0] = 1;
    for (std::size_t i = 0; i < classes_.size(); ++i) add_layer(i, leaves);
    const std::uint64_t shortfall = largest_shortfall();
    return LeafSum{slack_ - shortfall, walk_back(leaves, shortfall)};
}

std::uint64_t LeafSumTable::shortfall(std::uint32_t from, std::uint32_t to,
                                      std::uint32_t value) const {
    return largest_[to] - largest_[from] - std::uint64_t{value} * (to - from);
}

void LeafSumTable::add_layer(std::size_t i, std::uint32_t leaves) {
    const Layer before = layers_.back();
    const LeafClass& one = classes_[i];
    const bool is_last = i + 1 == classes_.size();
    const std::uint32_t most =
        std::min(leaves, before.most + std::min(one.leaves, leaves - before.most));
    const std::uint64_t skipped = is_last ? 0 : slack_ / (one.value - classes_[i + 1].value);
    const auto fewest = static_cast<std::uint32_t>(most - std::min<std::uint64_t>(skipped, most));
    const Layer layer{fewest, most, rows_.size()};
    rows_.resize(rows_.size() + (std::size_t{most} - fewest + 1) * words_, 0);
    for (std::uint32_t from = before.fewest; from <= before.most; ++from) {
        const std::uint32_t last = from + std::min(one.leaves, most - from);
        for (std::uint32_t to = std::max(from, fewest); to <= last; ++to) {
            const std::uint64_t lost = shortfall(from, to, one.value);
            if (lost > slack_) break;
            add_shifted(row(layer, to), row(before, from), lost);
        }
    }
    layers_.push_back(layer);
}

void LeafSumTable::add_shifted(std::size_t to, std::size_t from, std::uint64_t by) {
    const auto skip = static_cast<std::size_t>(by / word_bits);
    const auto bits = static_cast<std::uint32_t>(by % word_bits);
    for (std::size_t w = words_; w-- != skip;) {
        rows_[to + w] |= rows_[from + w - skip] << bits;
        if (bits != 0 && w != skip) {
            rows_[to + w] |= rows_[from + w - skip - 1] >> (word_bits - bits);
        }
    }
}

std::uint64_t LeafSumTable::largest_shortfall() const {
    const std::size_t begin = layers_.back().begin;
    std::uint64_t mask = low_bits(static_cast<std::uint32_t>(slack_ % word_bits) + 1);
    for (std::size_t w = words_ - 1;; --w, mask = all_bits) {
        const std::uint64_t word = rows_[begin + w] & mask;
        if (word != 0) return std::uint64_t{w} * word_bits + highest_bit(word);
    }
}

bool LeafSumTable::has(std::size_t row_begin, std::uint64_t bit) const {
    return (rows_[row_begin + static_cast<std::size_t>(bit / word_bits)] >> (bit % word_bits) &
            1) != 0;
}

std::vector<std::uint32_t> LeafSumTable::walk_back(std::uint32_t leaves,
                                                   std::uint64_t total) const {
    std::vector<std::uint32_t> taken(classes_.size(), 0);
    for (std::size_t i = classes_.size(); i-- != 0;) {
        const Layer& before = layers_[i];
        for (std::uint32_t from = std::min(leaves, before.most);; --from) {
            const std::uint64_t lost = shortfall(from, leaves, classes_[i].value);
            if (lost > total || !has(row(before, from), total - lost)) continue;
            taken[i] = leaves - from;
            leaves = from;
            total -= lost;
            break;
        }
    }
    return taken;
}

std::optional<LeafSum> least_surplus(const std::vector<LeafClass>& classes, std::uint32_t leaves,
                                     std::uint64_t asked) {
    return LeafSumTable(classes, leaves).solve(leaves, asked);
}

}  // namespace detail

}  // namespace trestle
