// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exactly so many leaves with a sum of at least so much and as little over it as can be.
//
// Layer: alloc (detail). Leaves of one value are alike, so a choice is a number of leaves for each
// value. It is compared, leaf by leaf, with the largest leaves there are: what it falls short of
// them in all is at most their surplus, which is small where no fewer leaves would do. So the table
// is small however many leaves there are.
// A reader would get wrong: values must fall, and the answer is one of several with that surplus.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/set/detail/bits.hpp"

namespace trestle::detail {

/// Leaves of one value.
struct LeafClass {
    std::uint32_t value = 0;   ///< not 0
    std::uint32_t leaves = 0;  ///< there are

    friend bool operator==(const LeafClass&, const LeafClass&) = default;
};

struct LeafSum {
    std::uint64_t surplus = 0;         ///< the sum minus what was asked
    std::vector<std::uint32_t> taken;  ///< leaves, by class
};

/// Which sums can be reached, value by value. For the first values of the list and j leaves taken
/// of them, a row of bits says which shortfalls are possible against the j largest leaves.
class LeafSumTable {
  public:
    LeafSumTable(const std::vector<LeafClass>& classes, std::uint32_t leaves) : classes_(classes) {
        largest_.reserve(leaves + std::size_t{1});
        largest_.push_back(0);
        for (const LeafClass& one : classes) {
            for (std::uint32_t i = 0; i < one.leaves && largest_.size() <= leaves; ++i) {
                largest_.push_back(largest_.back() + one.value);
            }
        }
        has_leaves_ = largest_.size() > leaves;
    }

    /// Requires: leaves is what the table was made for.
    [[nodiscard]] std::optional<LeafSum> solve(std::uint32_t leaves, std::uint64_t asked) {
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

  private:
    /// After some of the values, for which numbers of leaves there are rows and where.
    struct Layer {
        std::uint32_t fewest;
        std::uint32_t most;
        std::size_t begin;
    };

    [[nodiscard]] std::size_t row(const Layer& layer, std::uint32_t leaves) const {
        return layer.begin + (leaves - layer.fewest) * words_;
    }
    /// How much is lost when the leaves from `from` to `to` have this value.
    [[nodiscard]] std::uint64_t shortfall(std::uint32_t from, std::uint32_t to,
                                          std::uint32_t value) const {
        return largest_[to] - largest_[from] - std::uint64_t{value} * (to - from);
    }

    /// Fewer leaves than there are of the values so far is a loss of at least the step to the next
    /// value for each: rows that would lose more than the slack are left out.
    void add_layer(std::size_t i, std::uint32_t leaves) {
        const Layer before = layers_.back();
        const LeafClass& one = classes_[i];
        const bool is_last = i + 1 == classes_.size();
        const std::uint32_t most =
            std::min(leaves, before.most + std::min(one.leaves, leaves - before.most));
        const std::uint64_t skipped = is_last ? 0 : slack_ / (one.value - classes_[i + 1].value);
        const auto fewest =
            static_cast<std::uint32_t>(most - std::min<std::uint64_t>(skipped, most));
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

    void add_shifted(std::size_t to, std::size_t from, std::uint64_t by) {
        const auto skip = static_cast<std::size_t>(by / word_bits);
        const auto bits = static_cast<std::uint32_t>(by % word_bits);
        for (std::size_t w = words_; w-- != skip;) {
            rows_[to + w] |= rows_[from + w - skip] << bits;
            if (bits != 0 && w != skip) {
                rows_[to + w] |= rows_[from + w - skip - 1] >> (word_bits - bits);
            }
        }
    }

    /// In the only row of the last layer, where 0 always is: the largest leaves themselves.
    [[nodiscard]] std::uint64_t largest_shortfall() const {
        const std::size_t begin = layers_.back().begin;
        std::uint64_t mask = low_bits(static_cast<std::uint32_t>(slack_ % word_bits) + 1);
        for (std::size_t w = words_ - 1;; --w, mask = all_bits) {
            const std::uint64_t word = rows_[begin + w] & mask;
            if (word != 0) return std::uint64_t{w} * word_bits + highest_bit(word);
        }
    }

    [[nodiscard]] bool has(std::size_t row_begin, std::uint64_t bit) const {
        return (rows_[row_begin + static_cast<std::size_t>(bit / word_bits)] >> (bit % word_bits) &
                1) != 0;
    }

    /// A choice that ends at this shortfall.
    [[nodiscard]] std::vector<std::uint32_t> walk_back(std::uint32_t leaves,
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

    const std::vector<LeafClass>& classes_;
    std::vector<std::uint64_t> largest_;  ///< the sum of the j largest leaves, by j
    bool has_leaves_ = false;
    std::uint64_t slack_ = 0;
    std::size_t words_ = 1;      ///< of a row
    std::vector<Layer> layers_;  ///< before the first value, after it, ...
    std::vector<std::uint64_t> rows_;
};

/// The least surplus over `asked` of exactly `leaves` leaves; nothing when no choice reaches it.
/// Requires: values fall. Complexity: values times the square of the surplus of the largest leaves
/// (or of `leaves`, if that is fewer), in words of 64.
[[nodiscard]] inline std::optional<LeafSum> least_surplus(const std::vector<LeafClass>& classes,
                                                          std::uint32_t leaves,
                                                          std::uint64_t asked) {
    return LeafSumTable(classes, leaves).solve(leaves, asked);
}

}  // namespace trestle::detail
