// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/schedule_pass.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/monotone.hpp"
#include "alloc/schedule/detail/time_limit.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

Discipline Discipline::strict(QueueOrder order) { return {order, Count(0)}; }

Discipline Discipline::easy(QueueOrder order) { return {order, Count(1)}; }

Discipline Discipline::conservative(QueueOrder order) { return {order}; }

namespace detail {

std::vector<std::size_t> turns(const Cluster& cluster, std::span<const QueuedJob> queue,
                               QueueOrder order) {
    std::vector<std::size_t> positions(queue.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    std::vector<std::int64_t> keys;  // lowest first
    keys.reserve(queue.size());
    for (const QueuedJob& job : queue) {
        const auto duration = job.duration ? job.duration : time_limit_of(cluster, *job.request);
        if (order == QueueOrder::by_priority) keys.push_back(~job.priority);  // the reverse order
        if (order == QueueOrder::shortest_first) {
            keys.push_back(duration.value_or(Seconds::max()).value());
        }
        if (order == QueueOrder::as_queued) keys.push_back(0);
    }
    std::stable_sort(positions.begin(), positions.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    return positions;
}

Status check_queue(const Timeline& timeline, std::span<const QueuedJob> queue) {
    std::vector<OwnerId> owners;
    owners.reserve(queue.size());
    for (const QueuedJob& job : queue) owners.push_back(job.owner);
    std::sort(owners.begin(), owners.end());
    const auto twice = std::adjacent_find(owners.begin(), owners.end());
    if (twice != owners.end()) {
        return failed_precondition("owner {} stands twice in the queue", twice->value());
    }
    for (const OwnerId owner : owners) {
        if (!timeline.period_of(owner)) continue;
        return failed_precondition("owner {} has something already", owner.value());
    }
    return {};
}

Pass::Pass(const Timeline& timeline, std::span<const QueuedJob> queue, const Discipline& discipline,
           StartFinder& finder)
    : plan_(timeline), queue_(queue), discipline_(discipline), finder_(finder) {
    if (!discipline.horizon) return;
    horizon_ = period_of(timeline.now(), discipline.horizon).end;
}

StatusOr<PassResult> Pass::run() {
    TRESTLE_TRY_STATUS(check_queue(plan_, queue_));
    const auto depth = static_cast<std::size_t>(discipline_.depth.value_or(Count::max()).value());
    for (const std::size_t position : turns(plan_.cluster(), queue_, discipline_.order)) {
        if (blocked_by_) {
            wait(position, fmt::format("waits behind owner {}", *blocked_by_));
        } else if (late_ >= depth) {
            wait(position, "the pass looks at no more jobs");
        } else {
            const Status status = look_at(position);
            if (!status.ok()) {
                return with_context(fmt::format("owner {}", queue_[position].owner), status);
            }
        }
    }
    return std::move(result_);
}

void Pass::wait(std::size_t position, std::string why) {
    result_.waiting.push_back({position, {Constraint::none, std::move(why)}, std::nullopt});
}

bool Pass::may_reserve() const {
    return !discipline_.reservations_max || static_cast<std::int64_t>(result_.reservations.size()) <
                                                discipline_.reservations_max->value();
}

Status Pass::look_at(std::size_t position) {
    const QueuedJob& job = queue_[position];
    const bool is_strict = discipline_.reservations_max == Count(0);
    if (auto never = finder_.why_never(plan_, job.request, job.duration)) {
        result_.waiting.push_back({position, *std::move(never), std::nullopt});
        result_.waiting.back().can_start = false;
        return {};
    }
    StartQuestion question{std::nullopt, job.duration, {}};
    if (!is_strict) question.not_beyond = horizon_;
    if (!is_strict && !may_reserve()) {
        question.not_beyond = plan_.now();
        if (auto why = why_not_now(job)) {
            result_.waiting.push_back({position, *std::move(why), std::nullopt});
            ++late_;
            return {};
        }
    }
    question.spares_idle = discipline_.spares_idle && !is_strict;
    TRESTLE_TRY_STATUS(enter_reservations());
    TRESTLE_TRY_STATUS(make_reservation_anew());
    auto found = finder_.earliest_start(plan_, job.request, question);
    if (!found) {
        if (found.refusal().constraint == Constraint::invalid) {
            return invalid_argument("{}", found.refusal().reason);
        }
        result_.waiting.push_back({position, found.refusal(), std::nullopt});
        ++late_;
        return {};
    }
    const bool is_now = found->period.first == plan_.now();
    if (!is_now) {
        result_.waiting.push_back({position, *found->waits_for, std::nullopt});
        ++late_;
    }
    if (!is_now && is_strict) {
        blocked_by_ = job.owner;
        return {};
    }
    TimedAllocation given{{job.owner, job.request, found->placement}, found->period};
    if (is_now) {
        TRESTLE_TRY_STATUS(plan_.reserve(given.allocation, given.period));
        has_started_behind_ = !result_.reservations.empty();
    } else {
        result_.waiting.back().until = given.period.first;
        result_.waiting.back().is_earliest = found->is_earliest;
        reserved_ = position;
    }
    (is_now ? result_.starts : result_.reservations).push_back(std::move(given));
    return {};
}

std::optional<Refusal> Pass::why_not_now(const QueuedJob& job) {
    const bool are_entered = entered_ == result_.reservations.size();
    if (are_entered || finder_.options().policy.may_refuse() ||
        !is_monotone(plan_.cluster(), *job.request)) {
        return std::nullopt;
    }
    const auto found =
        finder_.earliest_start(plan_, job.request, {std::nullopt, job.duration, plan_.now()});
    if (found) return std::nullopt;
    const Constraint constraint = found.refusal().constraint;
    const bool is_no = constraint != Constraint::gave_up && constraint != Constraint::invalid;
    return is_no ? std::optional(found.refusal()) : std::nullopt;
}

Status Pass::enter_reservations() {
    for (; entered_ < result_.reservations.size(); ++entered_) {
        const TimedAllocation& one = result_.reservations[entered_];
        TRESTLE_TRY_STATUS(plan_.reserve(one.allocation, one.period));
    }
    return {};
}

/// Without it the nodes that jobs behind have taken would be lost to those behind them, although
/// such a job may have ended when the reservation begins.
Status Pass::make_reservation_anew() {
    if (!discipline_.spares_idle || !has_started_behind_ || result_.reservations.size() != 1) {
        return {};
    }
    has_started_behind_ = false;
    TimedAllocation& one = result_.reservations.front();
    const QueuedJob& job = queue_[reserved_];
    TRESTLE_TRY_STATUS(plan_.cancel(job.owner).status());
    const StartQuestion question{std::nullopt, job.duration, one.period.first, true};
    auto found = finder_.earliest_start(plan_, job.request, question);
    if (found && found->period == one.period) {
        one.allocation.placement = std::move(found->placement);
    }
    return plan_.reserve(one.allocation, one.period);
}

}  // namespace detail

StatusOr<PassResult> schedule_pass(const Timeline& timeline, std::span<const QueuedJob> queue,
                                   const Discipline& discipline, StartFinder& finder) {
    return detail::Pass(timeline, queue, discipline, finder).run();
}

StatusOr<PassResult> schedule_pass(const Timeline& timeline, std::span<const QueuedJob> queue,
                                   const Discipline& discipline, const PlaceOptions& options) {
    StartFinder finder(options);
    return schedule_pass(timeline, queue, discipline, finder);
}

}  // namespace trestle
