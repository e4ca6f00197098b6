// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/queue/pass.hpp"

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
#include "alloc/schedule/queue/whole_nodes.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace detail {

std::int64_t turn_key(const Cluster& cluster, const QueuedJob& job, Discipline::Order order) {
    if (order == Discipline::Order::by_priority) return ~job.priority;  // the reverse order
    if (order == Discipline::Order::as_queued) return 0;
    const auto duration = job.duration ? job.duration : time_limit_of(cluster, *job.request);
    return duration.value_or(Seconds::max()).value();
}

std::vector<std::size_t> turns(const Cluster& cluster, std::span<const QueuedJob> queue,
                               Discipline::Order order) {
    std::vector<std::size_t> positions(queue.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    if (order == Discipline::Order::as_queued) return positions;
    std::vector<std::int64_t> keys;
    keys.reserve(queue.size());
    for (const QueuedJob& job : queue) keys.push_back(turn_key(cluster, job, order));
    std::stable_sort(positions.begin(), positions.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    return positions;
}

Pass::Pass(Timeline& plan, const Discipline& discipline, StartFinder& finder)
    : plan_(plan), discipline_(discipline), finder_(finder) {
    if (!discipline.horizon) return;
    horizon_ = period_of(plan.now(), discipline.horizon).end;
}

void Pass::wait(std::size_t position, std::string why) {
    result_.waiting.push_back({position, {Constraint::none, std::move(why)}, std::nullopt});
}

bool Pass::may_reserve() const {
    return !discipline_.reservations_max || static_cast<std::int64_t>(result_.reservations.size()) <
                                                discipline_.reservations_max->value();
}

Status Pass::look_at(const QueuedJob& job, std::size_t position) {
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
    TimedAllocation given{{job.owner, job.request, std::move(found->placement)}, found->period};
    if (is_now) {
        TRESTLE_TRY_STATUS(plan_.reserve(given.allocation, given.period));
        has_started_behind_ = !result_.reservations.empty();
    } else {
        result_.waiting.back().until = given.period.first;
        result_.waiting.back().is_earliest = found->is_earliest;
        reserved_ = job;
        is_of_whole_nodes_ =
            job.request->cluster_counts.empty() && wants_whole_nodes(plan_.cluster(), *job.request);
    }
    (is_now ? result_.starts : result_.reservations).push_back(std::move(given));
    return {};
}

std::optional<Refusal> Pass::why_not_now(const QueuedJob& job) {
    const bool are_entered = entered_ == result_.reservations.size();
    if (are_entered || finder_.may_refuse() || !is_monotone(plan_.cluster(), *job.request)) {
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

Status Pass::withdraw_reservations() {
    for (; entered_ > 0; --entered_) {
        const OwnerId owner = result_.reservations[entered_ - 1].allocation.owner;
        TRESTLE_TRY_STATUS(plan_.cancel(owner).status());
    }
    return {};
}

bool Pass::is_to_be_moved() const {
    return is_unplaced_ ||
           (discipline_.spares_idle && has_started_behind_ && result_.reservations.size() == 1);
}

void Pass::reserve_unplaced(const QueuedJob& job, const Period& period) {
    result_.reservations.push_back({{job.owner, job.request, {}}, period});
    reserved_ = job;
    is_of_whole_nodes_ = true;
    is_unplaced_ = true;
    ++late_;
}

bool Pass::can_never_start(const QueuedJob& job) {
    return finder_.why_never(plan_, job.request, job.duration).has_value();
}

/// Without it the nodes that jobs behind have taken would be lost to those behind them, although
/// such a job may have ended when the reservation begins.
Status Pass::make_reservation_anew() {
    if (!is_to_be_moved()) return {};
    has_started_behind_ = false;
    is_unplaced_ = false;
    TimedAllocation& one = result_.reservations.front();
    const bool is_entered = entered_ != 0;
    if (is_entered) TRESTLE_TRY_STATUS(plan_.cancel(one.allocation.owner).status());
    const StartQuestion question{std::nullopt, reserved_.duration, one.period.first,
                                 discipline_.spares_idle};
    auto found = finder_.earliest_start(plan_, reserved_.request, question);
    if (found && found->period == one.period && found->placement != one.allocation.placement) {
        one.allocation.placement = std::move(found->placement);
        ++moves_;
    }
    return is_entered ? plan_.reserve(one.allocation, one.period) : Status();
}

bool Pass::is_beside_whole_nodes() const {
    return discipline_.reservations_max == Count(1) && result_.reservations.size() == 1 &&
           entered_ == 0 && is_of_whole_nodes_;
}

bool Pass::meets_reservation(std::optional<Seconds> duration) const {
    return overlap(period_of(plan_.now(), duration), result_.reservations.front().period);
}

StatusOr<bool> Pass::start_beside(const QueuedJob& job, bool meets_reservation, bool& gave_up) {
    NodeFilter filter;
    NodeSet others;
    if (meets_reservation) {
        others.insert_range({0, plan_.cluster().node_count()});
        for (const NodePlacement& part : result_.reservations.front().allocation.placement.nodes) {
            others.erase(part.node);
        }
        filter.candidates = &others;
    }
    auto found = finder_.earliest_start(plan_, job.request,
                                        {std::nullopt, job.duration, plan_.now()}, filter);
    if (!found && found.refusal().constraint == Constraint::invalid) {
        return invalid_argument("{}", found.refusal().reason);
    }
    gave_up = !found && found.refusal().constraint == Constraint::gave_up;
    if (!found || found->period.first != plan_.now()) return false;
    TimedAllocation given{{job.owner, job.request, std::move(found->placement)}, found->period};
    TRESTLE_TRY_STATUS(plan_.reserve(given.allocation, given.period));
    has_started_behind_ = true;
    result_.starts.push_back(std::move(given));
    return true;
}

}  // namespace detail

}  // namespace trestle
