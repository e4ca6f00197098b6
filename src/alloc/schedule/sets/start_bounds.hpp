// SPDX-License-Identifier: Apache-2.0
#pragma once

// StartBounds: before which moment a job cannot start, by what was found for other jobs.
//
// Layer: alloc (detail). Main type: StartBounds. While nodes are only taken, a job starts no
// earlier than any that wants as much or less of both. Sizes and durations stand in a table
// with a row and a column for each, as far as there are few. Sizes are rounded beyond three binary
// digits, and durations to one of those that are known. Pitfall: a bound may be lower than what is
// known of all jobs, never higher.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/units.hpp"

namespace trestle::detail {

class StartBounds {
  public:
    /// Forgets all starts, and keeps durations that were asked for.
    void clear();
    /// Complexity: logarithmic in the rows times the columns.
    void note(std::int64_t nodes, std::optional<Seconds> duration, Instant start);
    /// The latest start that was found for so many nodes and so long, or less of both. Complexity:
    /// as of note().
    [[nodiscard]] Instant bound(std::int64_t nodes, std::optional<Seconds> duration);

  private:
    /// Columns: those of the durations, and one for what is longer than all of them.
    static constexpr std::size_t columns = 32;
    static constexpr std::size_t fresh_max = 8;

    /// The column of the shortest known duration that is not shorter.
    [[nodiscard]] std::size_t column_from(std::optional<Seconds> duration) const;
    [[nodiscard]] Instant& cell(std::size_t row, std::size_t column);

    // A tree of prefixes by row and by column (Fenwick): the latest starts of some.
    std::vector<Instant> cells_ = std::vector<Instant>(columns);
    std::size_t rows_ = 1;            ///< a power of two
    std::vector<Seconds> durations_;  ///< rising
    std::vector<Seconds> fresh_;      ///< others that were asked for, some of them
};

}  // namespace trestle::detail
