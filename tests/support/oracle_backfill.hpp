// SPDX-License-Identifier: Apache-2.0
// Textbook backfilling by counting: nodes that are all alike and one job each, jobs that run
// exactly as long as they said, in the order in which they came. EASY: the first job that cannot
// start has the shadow time, at which enough nodes will be free, and what is free then beyond them
// are the extra nodes; a job behind it starts when it ends by the shadow time or takes extra nodes
// only. Conservative: each job has the earliest time at which the number of free nodes suffices for
// as long as it runs, given the jobs before it; that number is kept second by second.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace trestle {

struct CountedJob {
    std::int64_t submitted = 0;
    std::int64_t nodes = 1;
    std::int64_t seconds = 1;
};

class BackfillOracle {
  public:
    BackfillOracle(std::int64_t nodes, std::vector<CountedJob> jobs)
        : free_(nodes), nodes_(nodes), jobs_(std::move(jobs)), starts_(jobs_.size()) {}

    /// When each job starts, second by second. Requires: each has as many nodes as there are.
    [[nodiscard]] std::vector<std::int64_t> easy() { return run(&BackfillOracle::pass_easy); }
    [[nodiscard]] std::vector<std::int64_t> conservative() {
        return run(&BackfillOracle::pass_conservative);
    }

  private:
    using Starts = std::vector<std::optional<std::int64_t>>;

    [[nodiscard]] std::vector<std::int64_t> run(void (BackfillOracle::*pass)()) {
        std::size_t started = 0;
        for (now_ = 0; started < jobs_.size(); ++now_) {
            for (std::size_t i = 0; i < jobs_.size(); ++i) {
                if (starts_[i] && end_of(i) == now_) free_ += jobs_[i].nodes;
            }
            (this->*pass)();
            started = static_cast<std::size_t>(std::count_if(
                starts_.begin(), starts_.end(), [](const auto& one) { return one.has_value(); }));
        }
        std::vector<std::int64_t> all;
        for (const auto& one : starts_) all.push_back(*one);
        return all;
    }
    [[nodiscard]] std::int64_t end_of(std::size_t job) const {
        return *starts_[job] + jobs_[job].seconds;
    }
    [[nodiscard]] std::vector<std::size_t> waiting() const {
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            if (!starts_[i] && jobs_[i].submitted <= now_) all.push_back(i);
        }
        return all;
    }
    void start(std::size_t job) {
        starts_[job] = now_;
        free_ -= jobs_[job].nodes;
    }
    /// Free nodes at a moment if nothing more starts.
    [[nodiscard]] std::int64_t free_at(std::int64_t at) const {
        std::int64_t free = free_;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            if (starts_[i] && end_of(i) > now_ && end_of(i) <= at) free += jobs_[i].nodes;
        }
        return free;
    }

    void pass_easy() {
        std::optional<std::int64_t> shadow, extra;
        for (const std::size_t job : waiting()) {
            const CountedJob& one = jobs_[job];
            if (!shadow) {
                if (one.nodes <= free_) {
                    start(job);
                    continue;
                }
                shadow = now_;
                while (free_at(*shadow) < one.nodes) ++*shadow;
                extra = free_at(*shadow) - one.nodes;
                continue;
            }
            if (one.nodes > free_) continue;
            const bool is_over = now_ + one.seconds <= *shadow;
            if (!is_over && one.nodes > *extra) continue;
            if (!is_over) *extra -= one.nodes;
            start(job);
        }
    }

    void pass_conservative() {
        std::int64_t horizon = now_ + 1;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            horizon += jobs_[i].seconds;
            if (starts_[i]) horizon = std::max(horizon, end_of(i));
        }
        std::vector<std::int64_t> free;
        for (std::int64_t at = now_; at <= 2 * horizon; ++at) free.push_back(free_at(at));
        for (const std::size_t job : waiting()) {
            const CountedJob& one = jobs_[job];
            std::size_t from = 0;
            const auto fits = [&] {
                return std::all_of(free.begin() + static_cast<std::ptrdiff_t>(from),
                                   free.begin() + static_cast<std::ptrdiff_t>(from) + one.seconds,
                                   [&](std::int64_t count) { return count >= one.nodes; });
            };
            while (!fits()) ++from;
            for (std::int64_t i = 0; i < one.seconds; ++i) {
                free[from + static_cast<std::size_t>(i)] -= one.nodes;
            }
            if (from == 0) start(job);
        }
    }

    std::int64_t free_;
    std::int64_t nodes_;
    std::int64_t now_ = 0;
    std::vector<CountedJob> jobs_;
    Starts starts_;
};

}  // namespace trestle
