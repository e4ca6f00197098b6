// SPDX-License-Identifier: Apache-2.0
// Textbook backfilling by counting: nodes that are all alike and one job each, jobs that run
// exactly as long as they said, in the order in which they came. EASY: the first job that cannot
// start has the shadow time, at which enough nodes will be free, and what is free then beyond them
// are the extra nodes; a job behind it starts when it ends by the shadow time or takes extra nodes
// only. Conservative: each job has the earliest time at which the number of
// free nodes suffices for as long as it runs, given the jobs before it; that
// number is kept second by second. Reserving for a few: the same for the first
// that wait, and a job behind them starts if it delays none of them. Lookahead:
// EASY, and of all sets of jobs behind the first the best by the number of
// nodes starts. Slack: conservative, and a job starts ahead of its turn if that
// delays no job beyond its first reservation and the slack, or at all where it
// has passed, and all start earlier in sum.
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
    /// With reservations for so many.
    [[nodiscard]] std::vector<std::int64_t> reserving(std::size_t most) {
        most_ = most;
        return run(&BackfillOracle::pass_reserving);
    }
    [[nodiscard]] std::vector<std::int64_t> lookahead() {
        return run(&BackfillOracle::pass_lookahead);
    }
    [[nodiscard]] std::vector<std::int64_t> slack_based(std::int64_t slack) {
        slack_ = slack;
        start_by_.assign(jobs_.size(), std::nullopt);
        return run(&BackfillOracle::pass_slack);
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

    /// Free nodes from now on, until behind all that may happen.
    [[nodiscard]] std::vector<std::int64_t> free_from_now() const {
        std::int64_t horizon = now_ + 1;
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            horizon += jobs_[i].seconds;
            if (starts_[i]) horizon = std::max(horizon, end_of(i));
        }
        std::vector<std::int64_t> free;
        for (std::int64_t at = now_; at <= 2 * horizon; ++at) free.push_back(free_at(at));
        return free;
    }
    /// Seconds from now at which so many are free for as long as the job runs.
    [[nodiscard]] static std::size_t earliest(const std::vector<std::int64_t>& free,
                                              const CountedJob& one) {
        std::size_t from = 0;
        const auto fits = [&] {
            return std::all_of(free.begin() + static_cast<std::ptrdiff_t>(from),
                               free.begin() + static_cast<std::ptrdiff_t>(from) + one.seconds,
                               [&](std::int64_t count) { return count >= one.nodes; });
        };
        while (!fits()) ++from;
        return from;
    }
    static void take(std::vector<std::int64_t>& free, const CountedJob& one, std::size_t from) {
        for (std::int64_t i = 0; i < one.seconds; ++i) {
            free[from + static_cast<std::size_t>(i)] -= one.nodes;
        }
    }

    void pass_conservative() {
        most_ = jobs_.size();
        pass_reserving();
    }

    void pass_reserving() {
        std::vector<std::int64_t> free = free_from_now();
        std::size_t reserved = 0;
        for (const std::size_t job : waiting()) {
            const std::size_t from = earliest(free, jobs_[job]);
            if (from > 0 && reserved++ >= most_) continue;
            take(free, jobs_[job], from);
            if (from == 0) start(job);
        }
    }

    void pass_lookahead() {
        std::vector<std::size_t> behind = waiting();
        while (!behind.empty() && jobs_[behind.front()].nodes <= free_) {
            start(behind.front());
            behind.erase(behind.begin());
        }
        if (behind.empty()) return;
        const CountedJob& first = jobs_[behind.front()];
        std::int64_t shadow = now_;
        while (free_at(shadow) < first.nodes) ++shadow;
        const std::int64_t extra = free_at(shadow) - first.nodes;
        behind.erase(behind.begin());
        // The first job is the highest bit, so that of equal sets the highest
        // number is meant.
        std::uint64_t best = 0;
        std::int64_t most = 0;
        for (std::uint64_t set = 0; set < std::uint64_t{1} << behind.size(); ++set) {
            std::int64_t nodes = 0, over = 0;
            for (std::size_t i = 0; i < behind.size(); ++i) {
                if ((set >> (behind.size() - 1 - i) & 1) == 0) continue;
                const CountedJob& one = jobs_[behind[i]];
                nodes += one.nodes;
                if (now_ + one.seconds > shadow) over += one.nodes;
            }
            if (nodes > free_ || over > extra || nodes < most) continue;
            best = set;
            most = nodes;
        }
        for (std::size_t i = 0; i < behind.size(); ++i) {
            if ((best >> (behind.size() - 1 - i) & 1) != 0) start(behind[i]);
        }
    }

    /// When each job that waits starts at the earliest in its turn; those ahead
    /// start now.
    [[nodiscard]] std::vector<std::int64_t> plan_with(const std::vector<std::size_t>& ahead) const {
        std::vector<std::int64_t> free = free_from_now();
        std::vector<std::int64_t> plan(jobs_.size(), now_);
        for (const std::size_t job : ahead) take(free, jobs_[job], 0);
        for (const std::size_t job : waiting()) {
            if (std::count(ahead.begin(), ahead.end(), job) != 0) continue;
            const std::size_t from = earliest(free, jobs_[job]);
            take(free, jobs_[job], from);
            plan[job] += static_cast<std::int64_t>(from);
        }
        return plan;
    }

    void pass_slack() {
        const std::vector<std::size_t> jobs = waiting();
        std::vector<std::size_t> ahead;
        std::int64_t left = free_;
        std::vector<std::int64_t> plan = plan_with(ahead);
        for (const std::size_t job : jobs) {
            if (plan[job] == now_ || jobs_[job].nodes > left) continue;
            ahead.push_back(job);
            const std::vector<std::int64_t> other = plan_with(ahead);
            std::int64_t sum = 0;
            bool is_in_time = true;
            for (const std::size_t one : jobs) {
                sum += other[one] - plan[one];
                is_in_time &= other[one] <= std::max(plan[one], start_by_[one].value_or(plan[one]));
            }
            if (sum < 0 && is_in_time) {
                left -= jobs_[job].nodes;
                plan = other;
            } else {
                ahead.pop_back();
            }
        }
        for (const std::size_t job : jobs) {
            if (plan[job] == now_) {
                start(job);
            } else if (!start_by_[job]) {
                start_by_[job] = plan[job] + slack_;
            }
        }
    }

    std::int64_t free_;
    std::int64_t nodes_;
    std::int64_t now_ = 0;
    std::size_t most_ = 1;
    std::int64_t slack_ = 0;
    Starts start_by_;
    std::vector<CountedJob> jobs_;
    Starts starts_;
};

}  // namespace trestle
