// SPDX-License-Identifier: Apache-2.0
#pragma once

// A bit for each place of a torus, and questions to all places at once.
//
// Layer: alloc (detail). Main type: TorusGrid. A row of places along x is one or more words, x = 0
// the lowest bit; what wraps around along x is a rotation of the row, along y and z another row.
// Pitfall: all_along(axis, n) marks where n places *start*, and n may not exceed the length of the
// axis.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/model/topology/torus.hpp"
#include "trestle/set/detail/bits.hpp"

namespace trestle::detail {

enum class Axis { x, y, z };

/// A set of places of a torus.
class TorusGrid {
  public:
    explicit TorusGrid(const TorusTopology::Shape& shape)
        : shape_(shape), width_(words_for(shape.x)), words_(width_ * shape.y * shape.z, 0) {}

    [[nodiscard]] const TorusTopology::Shape& shape() const { return shape_; }
    [[nodiscard]] std::uint32_t length(Axis axis) const {
        return axis == Axis::x ? shape_.x : axis == Axis::y ? shape_.y : shape_.z;
    }
    void set(std::uint32_t place) { words_[word_of(place)] |= bit_of(place % shape_.x); }
    void clear(std::uint32_t place) { words_[word_of(place)] &= ~bit_of(place % shape_.x); }
    [[nodiscard]] bool test(std::uint32_t place) const {
        return (words_[word_of(place)] & bit_of(place % shape_.x)) != 0;
    }
    /// The lowest place of the set.
    [[nodiscard]] std::optional<std::uint32_t> first() const;

    TorusGrid& operator&=(const TorusGrid& other);
    TorusGrid& operator-=(const TorusGrid& other);
    /// The places outside.
    [[nodiscard]] TorusGrid complement() const;
    /// Adds one to the number of each place of the set; the grids are its bits, the lowest first.
    void add_one_to(std::array<TorusGrid, 3>& number) const;
    [[nodiscard]] bool contains_all(const TorusGrid& other) const;
    /// The places p for which p + by along the axis, around the torus, is in the set.
    /// Requires: by < length(axis).
    [[nodiscard]] TorusGrid shifted(Axis axis, std::uint32_t by) const;
    /// The places from which on `n` places along the axis are in the set.
    /// Requires: 1 <= n <= length(axis).
    [[nodiscard]] TorusGrid all_along(Axis axis, std::uint32_t n) const;

    friend bool operator==(const TorusGrid&, const TorusGrid&) = default;

  private:
    [[nodiscard]] std::size_t word_of(std::uint32_t place) const {
        return place / shape_.x * width_ + place % shape_.x / word_bits;
    }
    /// Clears what is no place behind the end of each row.
    void cut_ends();
    /// The word whose lowest bit is bit `begin` of a row; 0 beyond its ends.
    [[nodiscard]] std::uint64_t word_at(std::size_t row, std::int64_t begin) const;
    void rotate_rows(std::uint32_t by, TorusGrid& result) const;

    TorusTopology::Shape shape_;
    std::size_t width_;  ///< words of a row
    std::vector<std::uint64_t> words_;
};

}  // namespace trestle::detail
