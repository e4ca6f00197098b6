// SPDX-License-Identifier: Apache-2.0
#pragma once

// PlainJobs: the jobs of a queue in their turns, as far as they want nothing but nodes.
//
// Layer: alloc (detail). Main type: PlainJobs. A walk over all jobs reads one row of memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "alloc/schedule/kept/job_kinds.hpp"
#include "alloc/schedule/sets/set_pass.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"

namespace trestle::detail {

class PlainJobs {
  public:
    struct Row {
        Turn turn;
        SetJob job;
        const QueuedJob* queued = nullptr;
        // Of the last reservation.
        std::uint64_t reserved_by = 0;  ///< the number of the pass
        std::size_t reserved_at = 0;    ///< its place among those of the pass

        [[nodiscard]] bool is_gone() const { return job.nodes == gone; }
    };

    /// Requires: the queued job stays where it is, and no other has the turn.
    void add(const Turn& turn, const QueuedJob& queued, const JobKind& kind) {
        if (!kind.is_plain) {
            ++others_;
            return;
        }
        const auto at = rows_.insert(first_from(turn), {turn, {}, &queued, 0, 0});
        at->job = {queued.owner, kind.takes.nodes, kind.limit};
    }
    void remove(const Turn& turn, const JobKind& kind) {
        if (!kind.is_plain) {
            --others_;
            return;
        }
        first_from(turn)->job.nodes = gone;
        if (++gone_ <= rows_.size() / 2) return;
        std::erase_if(rows_, [](const Row& row) { return row.is_gone(); });
        gone_ = 0;
    }
    void clear() { *this = PlainJobs(); }

    /// True when there are no other jobs.
    [[nodiscard]] bool are_all() const { return others_ == 0; }
    /// In their turns, some of them gone.
    [[nodiscard]] std::vector<Row>& rows() { return rows_; }
    [[nodiscard]] Row& row_of(const Turn& turn) { return *first_from(turn); }
    /// True when a job behind the turn wants no more nodes than that.
    [[nodiscard]] bool has_behind(const Turn& turn, std::int64_t nodes) {
        return std::any_of(first_from(turn), rows_.end(), [&](const Row& row) {
            return row.turn != turn && row.job.nodes <= nodes;
        });
    }

  private:
    static constexpr std::int64_t gone = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] std::vector<Row>::iterator first_from(const Turn& turn) {
        if (rows_.empty() || rows_.back().turn < turn) return rows_.end();
        return std::lower_bound(
            rows_.begin(), rows_.end(), turn,
            [](const Row& row, const Turn& wanted) { return row.turn < wanted; });
    }

    std::vector<Row> rows_;
    std::size_t gone_ = 0;
    std::size_t others_ = 0;
};

}  // namespace trestle::detail
