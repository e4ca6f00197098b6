// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/sets/start_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace trestle {

namespace detail {

namespace {

constexpr Instant no_bound;

/// The row of a number of nodes, counted from 1: one for each up to 7, then four for each power of
/// two. `is_exact` tells whether the number is the lowest of the row.
std::size_t row_of(std::int64_t nodes, bool& is_exact) {
    const auto number = static_cast<std::uint64_t>(nodes);
    const auto width = static_cast<std::size_t>(std::bit_width(number));
    const std::size_t rest = width > 3 ? width - 3 : 0;
    is_exact = (number & ((std::uint64_t{1} << rest) - 1)) == 0;
    return 4 * rest + static_cast<std::size_t>(number >> rest);
}

/// Where a tree of prefixes has what is next, up or down.
std::size_t up(std::size_t at) { return at + (at & (~at + 1)); }
std::size_t down(std::size_t at) { return at & (at - 1); }

}  // namespace

void StartBounds::clear() {
    std::fill(cells_.begin(), cells_.end(), no_bound);
    if (fresh_.empty()) return;
    durations_.insert(durations_.end(), fresh_.begin(), fresh_.end());
    fresh_.clear();
    std::sort(durations_.begin(), durations_.end());
    durations_.erase(std::unique(durations_.begin(), durations_.end()), durations_.end());
    while (durations_.size() >= columns) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < durations_.size(); i += 2) durations_[kept++] = durations_[i];
        durations_.resize(kept);
    }
}

std::size_t StartBounds::column_from(std::optional<Seconds> duration) const {
    if (!duration) return durations_.size() + 1;
    const auto at = std::lower_bound(durations_.begin(), durations_.end(), *duration);
    return static_cast<std::size_t>(at - durations_.begin()) + 1;
}

Instant& StartBounds::cell(std::size_t row, std::size_t column) {
    return cells_[(row - 1) * columns + column - 1];
}

void StartBounds::note(std::int64_t nodes, std::optional<Seconds> duration, Instant start) {
    bool is_exact = false;
    const std::size_t first_row = row_of(nodes, is_exact) + (is_exact ? 0 : 1);
    const std::size_t first_column = column_from(duration);
    for (; rows_ < first_row; rows_ *= 2) {
        cells_.resize(2 * rows_ * columns, no_bound);
        for (std::size_t column = 1; column <= columns; ++column) {
            cell(2 * rows_, column) = cell(rows_, column);  // which has all rows up to it
        }
    }
    for (std::size_t row = first_row; row <= rows_; row = up(row)) {
        for (std::size_t column = first_column; column <= columns; column = up(column)) {
            Instant& latest = cell(row, column);
            latest = std::max(latest, start);
        }
    }
}

Instant StartBounds::bound(std::int64_t nodes, std::optional<Seconds> duration) {
    bool is_exact = false;
    const std::size_t last_row = std::min(row_of(nodes, is_exact), rows_);
    std::size_t last_column = column_from(duration);
    const bool is_known =
        last_column <= durations_.size() && durations_[last_column - 1] == *duration;
    if (duration && !is_known) {
        --last_column;
        if (fresh_.size() < fresh_max &&
            std::find(fresh_.begin(), fresh_.end(), *duration) == fresh_.end()) {
            fresh_.push_back(*duration);
        }
    }
    Instant latest = no_bound;
    for (std::size_t row = last_row; row > 0; row = down(row)) {
        for (std::size_t column = last_column; column > 0; column = down(column)) {
            latest = std::max(latest, cell(row, column));
        }
    }
    return latest;
}

}  // namespace detail

}  // namespace trestle
