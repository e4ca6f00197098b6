// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exactly so many leaves with a sum of at least so much and as little over it as can be.
//
// Layer: alloc (detail). Leaves of one value are alike, so a choice is a number of leaves for each
// value. It is compared, leaf by leaf, with the largest leaves there are: what it falls short of
// them in all is at most their surplus, which is small where no fewer leaves would do. So the table
// is small however many leaves there are.
// Pitfall: values must fall, and the answer is one of several with that surplus.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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
    LeafSumTable(const std::vector<LeafClass>& classes, std::uint32_t leaves);

    /// Requires: leaves is what the table was made for.
    [[nodiscard]] std::optional<LeafSum> solve(std::uint32_t leaves, std::uint64_t asked);

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
                                          std::uint32_t value) const;

    /// Fewer leaves than there are of the values so far is a loss of at least the step to the next
    /// value for each: rows that would lose more than the slack are left out.
    void add_layer(std::size_t i, std::uint32_t leaves);

    void add_shifted(std::size_t to, std::size_t from, std::uint64_t by);

    /// In the only row of the last layer, where 0 always is: the largest leaves themselves.
    [[nodiscard]] std::uint64_t largest_shortfall() const;

    [[nodiscard]] bool has(std::size_t row_begin, std::uint64_t bit) const;

    /// A choice that ends at this shortfall.
    [[nodiscard]] std::vector<std::uint32_t> walk_back(std::uint32_t leaves,
                                                       std::uint64_t total) const;

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
[[nodiscard]] std::optional<LeafSum> least_surplus(const std::vector<LeafClass>& classes,
                                                   std::uint32_t leaves, std::uint64_t asked);

}  // namespace trestle::detail
