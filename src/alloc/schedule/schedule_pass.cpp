// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/schedule_pass.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "alloc/schedule/queue/lookahead.hpp"
#include "alloc/schedule/queue/pass.hpp"
#include "alloc/schedule/queue/slack_pass.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace {

/// Ok when each owner stands once and has nothing yet.
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

/// Each job in its turn.
StatusOr<PassResult> one_by_one(Timeline plan, std::span<const QueuedJob> queue,
                                const Discipline& discipline, StartFinder& finder) {
    detail::Pass pass(plan, discipline, finder);
    const auto depth = static_cast<std::size_t>(discipline.depth.value_or(Count::max()).value());
    std::vector<std::size_t> turns = detail::turns(plan.cluster(), queue, discipline.order);
    bool is_weighed = !detail::weighs_together(discipline);
    for (std::size_t turn = 0; turn < turns.size(); ++turn) {
        if (!is_weighed && !pass.may_reserve()) {
            is_weighed = true;
            const auto behind = std::span(turns).subspan(turn);
            detail::put_best_set_first(pass, queue, behind, discipline.lookahead_max);
        }
        const QueuedJob& job = queue[turns[turn]];
        if (pass.blocked_by()) {
            pass.wait(turns[turn], fmt::format("waits behind owner {}", *pass.blocked_by()));
        } else if (pass.late() >= depth) {
            pass.wait(turns[turn], "the pass looks at no more jobs");
        } else if (const Status status = pass.look_at(job, turns[turn]); !status.ok()) {
            return with_context(fmt::format("owner {}", job.owner), status);
        }
    }
    return std::move(pass.result());
}

}  // namespace

Discipline Discipline::strict(Discipline::Order order) { return {order, Count(0)}; }

Discipline Discipline::easy(Discipline::Order order) { return {order, Count(1)}; }

Discipline Discipline::conservative(Discipline::Order order) { return {order}; }

Discipline Discipline::lookahead(Discipline::Order order) {
    Discipline discipline = easy(order);
    discipline.lookahead_max = Count(50);
    return discipline;
}

Discipline Discipline::slack_based(Discipline::Order order) {
    Discipline discipline = conservative(order);
    discipline.is_slack_based = true;
    return discipline;
}

StatusOr<PassResult> schedule_pass(const Timeline& timeline, std::span<const QueuedJob> queue,
                                   const Discipline& discipline, StartFinder& finder) {
    TRESTLE_TRY_STATUS(check_queue(timeline, queue));
    if (discipline.is_slack_based) return detail::slack_pass(timeline, queue, discipline, finder);
    return one_by_one(timeline, queue, discipline, finder);
}

StatusOr<PassResult> schedule_pass(const Timeline& timeline, std::span<const QueuedJob> queue,
                                   const Discipline& discipline, const PlaceOptions& options) {
    StartFinder finder(options);
    return schedule_pass(timeline, queue, discipline, finder);
}

}  // namespace trestle
