// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/detail/torus_grid.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace trestle {

namespace detail {

std::optional<std::uint32_t> TorusGrid::first() const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
        if (words_[w] == 0) continue;
        const auto row = static_cast<std::uint32_t>(w / width_);
        const auto column = static_cast<std::uint32_t>(w % width_) * word_bits;
        return row * shape_.x + column + lowest_bit(words_[w]);
    }
    return std::nullopt;
}

TorusGrid& TorusGrid::operator&=(const TorusGrid& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    return *this;
}

TorusGrid& TorusGrid::operator-=(const TorusGrid& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
    return *this;
}

TorusGrid TorusGrid::complement() const {
    TorusGrid outside = *this;
    for (std::uint64_t& word : outside.words_) word = ~word;
    outside.cut_ends();
    return outside;
}

void TorusGrid::add_one_to(std::array<TorusGrid, 3>& number) const {
    auto& [low, middle, high] = number;
    for (std::size_t w = 0; w < words_.size(); ++w) {
        const std::uint64_t to_middle = low.words_[w] & words_[w];
        const std::uint64_t to_high = middle.words_[w] & to_middle;
        low.words_[w] ^= words_[w];
        middle.words_[w] ^= to_middle;
        high.words_[w] ^= to_high;
    }
}

bool TorusGrid::contains_all(const TorusGrid& other) const {
    std::uint64_t missing = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) missing |= other.words_[w] & ~words_[w];
    return missing == 0;
}

TorusGrid TorusGrid::shifted(Axis axis, std::uint32_t by) const {
    TorusGrid result = *this;
    if (by == 0) return result;
    if (axis == Axis::x) {
        rotate_rows(by, result);
        return result;
    }
    // Along y each plane is rotated by rows, along z all planes as one.
    const std::size_t row = width_;
    const std::size_t plane = row * shape_.y;
    const std::size_t length = axis == Axis::y ? plane : words_.size();
    const std::size_t middle = by * (axis == Axis::y ? row : plane);
    for (std::size_t begin = 0; begin < words_.size(); begin += length) {
        const auto from = words_.begin() + static_cast<std::ptrdiff_t>(begin);
        std::rotate_copy(from, from + static_cast<std::ptrdiff_t>(middle),
                         from + static_cast<std::ptrdiff_t>(length),
                         result.words_.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    return result;
}

TorusGrid TorusGrid::all_along(Axis axis, std::uint32_t n) const {
    TorusGrid result = *this;
    for (std::uint32_t have = 1; have < n;) {
        const std::uint32_t step = have < n - have ? have : n - have;
        result &= result.shifted(axis, step);
        have += step;
    }
    return result;
}

void TorusGrid::cut_ends() {
    const std::uint64_t mask = low_bits((shape_.x - 1) % word_bits + 1);
    for (std::size_t w = width_ - 1; w < words_.size(); w += width_) words_[w] &= mask;
}

std::uint64_t TorusGrid::word_at(std::size_t row, std::int64_t begin) const {
    const auto bits = static_cast<std::int64_t>(word_bits);
    const std::int64_t w = begin >= 0 ? begin / bits : -((bits - 1 - begin) / bits);
    const auto shift = static_cast<std::uint32_t>(begin - w * bits);
    const auto at = [&](std::int64_t i) {
        return i >= 0 && i < static_cast<std::int64_t>(width_)
                   ? words_[row * width_ + static_cast<std::size_t>(i)]
                   : 0;
    };
    return shift == 0 ? at(w) : at(w) >> shift | at(w + 1) << (word_bits - shift);
}

void TorusGrid::rotate_rows(std::uint32_t by, TorusGrid& result) const {
    if (width_ == 1) {
        const std::uint32_t back = shape_.x - by;
        for (std::size_t row = 0; row < words_.size(); ++row) {
            result.words_[row] = words_[row] >> by | words_[row] << back;
        }
    } else {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            const std::size_t row = w / width_;
            const auto begin = static_cast<std::int64_t>(w % width_ * word_bits + by);
            result.words_[w] = word_at(row, begin) | word_at(row, begin - shape_.x);
        }
    }
    result.cut_ends();
}

}  // namespace detail

}  // namespace trestle
