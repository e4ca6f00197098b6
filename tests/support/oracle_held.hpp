// SPDX-License-Identifier: Apache-2.0
// Reservations that are held from pass to pass, without memory of anything but them. A pass is
// schedule_pass(). Where it has a job later than the pass before did, all that was reserved then
// stands in a plan. Each job in its turn is taken out and asked for alone, from the first moment to
// its reservation.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"

namespace trestle {

class HeldReservationsOracle {
  public:
    explicit HeldReservationsOracle(const Discipline& discipline) : discipline_(discipline) {}

    struct Decision {
        std::vector<TimedAllocation> starts;
        std::vector<TimedAllocation> reservations;
        bool is_around = false;  ///< of what was held
    };

    void forget() { held_.clear(); }
    /// The reservations of the last pass.
    [[nodiscard]] const std::map<OwnerId, TimedAllocation>& held() const { return held_; }

    [[nodiscard]] Decision pass(const Timeline& timeline, std::vector<QueuedJob> jobs) {
        if (discipline_.order == Discipline::Order::by_priority) {
            std::stable_sort(jobs.begin(), jobs.end(),
                             [](const auto& a, const auto& b) { return a.priority > b.priority; });
        }
        auto pass = *schedule_pass(timeline, jobs, discipline_);
        Decision decision{std::move(pass.starts), std::move(pass.reservations)};
        if (has_later(timeline.now(), jobs, decision)) decision = around(timeline, jobs);
        held_.clear();
        for (const TimedAllocation& one : decision.reservations) {
            held_.emplace(one.allocation.owner, one);
        }
        return decision;
    }

  private:
    [[nodiscard]] bool has_later(Instant now, const std::vector<QueuedJob>& jobs,
                                 const Decision& decision) const {
        return std::any_of(jobs.begin(), jobs.end(), [&](const QueuedJob& job) {
            const auto was = held_.find(job.owner);
            if (was == held_.end()) return false;
            Instant first = end_of_time;
            for (const auto& one : decision.starts) {
                if (one.allocation.owner == job.owner) first = now;
            }
            for (const auto& one : decision.reservations) {
                if (one.allocation.owner == job.owner) first = one.period.first;
            }
            return first != now && was->second.period.first < first;
        });
    }

    [[nodiscard]] Decision around(const Timeline& timeline, const std::vector<QueuedJob>& jobs) {
        Timeline plan = timeline;
        std::map<OwnerId, TimedAllocation> held;
        for (const QueuedJob& job : jobs) {
            const auto was = held_.find(job.owner);
            if (was == held_.end()) continue;
            const TimedAllocation& one = was->second;
            if (plan.reserve(one.allocation, one.period).ok()) held.emplace(job.owner, one);
        }
        Decision decision{{}, {}, true};
        for (const QueuedJob& job : jobs) {
            std::optional<TimedAllocation> best;
            if (const auto mine = held.find(job.owner); mine == held.end()) {
                const auto alone = *schedule_pass(plan, std::span(&job, 1), discipline_);
                if (!alone.starts.empty()) best = alone.starts.front();
                if (!alone.reservations.empty()) best = alone.reservations.front();
            } else {
                best = mine->second;
                static_cast<void>(plan.cancel(job.owner));
                if (best->period.first != plan.now()) {
                    StartQuestion question{{}, job.duration, {}, discipline_.spares_idle};
                    question.not_beyond = Instant(best->period.first.value() - 1);
                    if (const auto start = earliest_start(plan, job.request, question)) {
                        best->period = start->period;
                        best->allocation.placement = start->placement;
                    }
                }
            }
            if (!best) continue;
            static_cast<void>(plan.reserve(best->allocation, best->period));
            auto& all = best->period.first == plan.now() ? decision.starts : decision.reservations;
            all.push_back(*best);
        }
        return decision;
    }

    Discipline discipline_;
    std::map<OwnerId, TimedAllocation> held_;
};

}  // namespace trestle
