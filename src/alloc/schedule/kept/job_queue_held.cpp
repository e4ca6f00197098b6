// SPDX-License-Identifier: Apache-2.0
// Reservations that are held: no job starts later than was said before.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alloc/schedule/kept/job_queue_impl.hpp"
#include "alloc/schedule/kept/plain_jobs.hpp"
#include "alloc/schedule/sets/set_pass.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

using detail::Turn;

bool JobQueue::Impl::holds() const {
    return options_.keeps_reservations && !discipline_.reservations_max &&
           !discipline_.is_slack_based;
}

bool JobQueue::Impl::is_any_put_off(std::span<const TimedAllocation> starts) const {
    if (!holds() || holds_none_) return false;
    std::unordered_map<OwnerId, Instant> now;
    for (const TimedAllocation& one : starts) now.emplace(one.allocation.owner, Instant());
    for (const TimedAllocation& one : reservations()) {
        now.emplace(one.allocation.owner, one.period.first);
    }
    return std::any_of(before_.begin(), before_.end(), [&](const TimedAllocation& one) {
        if (!is_held(one)) return false;
        const auto found = now.find(one.allocation.owner);
        return found == now.end() || one.period.first < found->second;
    });
}

void JobQueue::Impl::forget_reservations() { holds_none_ = true; }

StatusOr<JobQueue::Pass> JobQueue::Impl::decide_around(const Timeline& timeline,
                                                       StartFinder& finder) {
    forget_plan();
    all_.clear();
    has_begun_ = true;
    Timeline plan = timeline;
    std::unordered_map<OwnerId, const TimedAllocation*> held;
    for (const TimedAllocation& one : before_) {
        const OwnerId owner = one.allocation.owner;
        if (!is_held(one) || !plan.reserve(one.allocation, one.period).ok()) continue;
        held.emplace(owner, &one);
    }
    std::vector<TimedAllocation> starts;
    for (const auto& [turn, waiting] : jobs_) {
        const OwnerId owner = waiting.job.owner;
        asked_last_ = owner;
        const auto found = held.find(owner);
        std::optional<TimedAllocation> best;
        if (found == held.end()) {
            TRESTLE_TRY(PassResult alone,
                        schedule_pass(plan, std::span(&waiting.job, 1), discipline_, finder));
            if (!alone.starts.empty()) best = std::move(alone.starts.front());
            if (!alone.reservations.empty()) best = std::move(alone.reservations.front());
        } else {
            TRESTLE_TRY_STATUS(plan.cancel(owner));
            best = *found->second;
            move_up(plan, waiting.job, *best, finder);
        }
        if (!best) continue;
        TRESTLE_TRY_STATUS(plan.reserve(best->allocation, best->period));
        const bool starts_now = best->period.first == plan.now();
        if (starts_now) started_.push_back(turn);
        (starts_now ? starts : all_).push_back(*std::move(best));
    }
    are_answers_sure_ = false;
    JobQueue::Pass pass = finish(changed_reservations());
    pass.starts = std::move(starts);
    pass.wake_at = first_start();
    return pass;
}

void JobQueue::Impl::move_up(const Timeline& plan, const QueuedJob& job, TimedAllocation& held,
                             StartFinder& finder) const {
    if (held.period.first == plan.now()) return;
    StartQuestion question;
    question.duration = job.duration;
    question.not_beyond = Instant(held.period.first.value() - 1);
    question.spares_idle = discipline_.spares_idle;
    const auto found = finder.earliest_start(plan, job.request, question);
    if (!found) return;
    held.period = found->period;
    held.allocation.placement = found->placement;
}

std::optional<Instant> JobQueue::Impl::first_start() const {
    const auto all = reservations();
    const auto first = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.period.first < b.period.first;
    });
    return first == all.end() ? std::nullopt : std::optional(first->period.first);
}

void JobQueue::Impl::enter_before_into_sets() {
    set_pass_.begin(nodes_);  // in which the pass before has none
    for (const TimedAllocation& one : before_) {
        const auto& parts = one.allocation.placement.nodes;
        const auto is_there = [&](const NodePlacement& part) {
            return part.node.value() < nodes_.calendar().node_count();
        };
        // Another timeline may have fewer nodes.
        if (!is_held(one) || !std::all_of(parts.begin(), parts.end(), is_there)) continue;
        detail::PlainJobs::Row& row = plain_.row_of(turns_.at(one.allocation.owner));
        row.reserved_by = set_passes_;
        row.reserved_at = set_pass_.reservations().size();
        detail::NodeBits nodes((std::size_t{nodes_.calendar().node_count()} + 63) / 64);
        for (const NodePlacement& part : parts) {
            detail::insert_run(nodes, part.node.value(), part.node.value() + 1);
        }
        set_pass_.enter({row.job, one.period}, nodes);
    }
}

bool JobQueue::Impl::is_put_off(const detail::PlainJobs::Row& row) const {
    if (row.is_gone() || holds_none_ || row.reserved_by + 1 != set_passes_) return false;
    if (!started_.empty() && started_.back() == row.turn) return false;
    if (reserved_rows_.empty() || reserved_rows_.back() != &row) return true;
    const detail::SetGrants& now = set_pass_.reservations();
    return set_pass_.reservations_before()[row.reserved_at].period.first <
           now[now.size() - 1].period.first;
}

void JobQueue::Impl::decide_around_by_sets(JobQueue::Pass& pass) {
    pass.starts.clear();
    started_.clear();
    reserved_rows_.clear();
    last_in_plan_.reset();
    const auto was_reserved = [&](const detail::PlainJobs::Row& row) {
        return !row.is_gone() && row.reserved_by + 1 == set_passes_;
    };
    std::vector<bool> is_held(set_pass_.reservations_before().size());
    for (const auto& row : plain_.rows()) {
        if (was_reserved(row)) is_held[row.reserved_at] = true;
    }
    set_pass_.begin_around(is_held);
    for (auto& row : plain_.rows()) {
        if (row.is_gone()) continue;
        std::optional<std::size_t> held;
        if (was_reserved(row) && is_held[row.reserved_at]) held = row.reserved_at;
        note_answer(row, set_pass_.ask_around(row.job, held), pass);
    }
    are_answers_sure_ = false;
    if (!set_pass_.reservations().empty()) pass.wake_at = set_pass_.first_start();
}

}  // namespace trestle
