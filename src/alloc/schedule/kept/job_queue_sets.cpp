// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/schedule/candidates/start_finder_impl.hpp"
#include "alloc/schedule/kept/job_kinds.hpp"
#include "alloc/schedule/kept/job_queue_impl.hpp"
#include "alloc/schedule/kept/plain_jobs.hpp"
#include "alloc/schedule/sets/node_calendar.hpp"
#include "alloc/schedule/sets/set_pass.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

using detail::Turn;

bool JobQueue::Impl::find_sets(const Timeline& timeline, StartFinder& finder) {
    constexpr std::uint64_t bits_max = std::uint64_t{1} << 32;
    const std::size_t moments = 2 * (timeline.size() + jobs_.size()) + 1;
    const bool may = plain_.are_all() && timeline.now() < Instant(std::int64_t{1} << 61) &&
                     moments < bits_max / (std::uint64_t{timeline.cluster().node_count()} + 1);
    if (sets_rest_ > 0) {
        --sets_rest_;
        return false;
    }
    if (may && nodes_.follow(timeline) && find_part(timeline, finder)) return true;
    if (may || is_by_sets_) sets_rest_ = timeline.size();  // to begin anew costs so much
    return false;
}

bool JobQueue::Impl::find_part(const Timeline& timeline, StartFinder& finder) {
    const auto impl = finder.impl_;
    const bool is_same = finder_.lock() == impl && finder_place_ == &finder;
    if (is_same && is_by_sets_ && !nodes_.is_anew()) return true;
    const Count all(static_cast<std::int64_t>(timeline.cluster().node_count()));
    Request request;
    request.nodes = Range<Count>::exactly(all);
    request.exclusivity = Exclusivity::whole_node;
    auto found = impl->place_on_idle(timeline, std::move(request));
    if (!found || static_cast<std::int64_t>(found->nodes.size()) != all.value()) return false;
    part_ = found->nodes.front();
    for (std::uint32_t node = 0; node < found->nodes.size(); ++node) {
        part_->node = NodeId(node);
        if (found->nodes[node] != *part_) return false;
    }
    finder_ = impl;
    finder_place_ = &finder;
    return true;
}

Placement JobQueue::Impl::placement_on(detail::NodeWords nodes) const {
    Placement placement;
    placement.nodes.reserve(static_cast<std::size_t>(detail::count_of(nodes)));
    detail::for_each_bit(nodes, [&](std::uint32_t node) {
        placement.nodes.push_back(*part_);
        placement.nodes.back().node = NodeId(node);
    });
    return placement;
}

std::size_t JobQueue::Impl::reservations_count() const {
    return is_by_sets_ ? set_pass_.reservations().size() : reservations().size();
}

TimedAllocation JobQueue::Impl::reservation_by_sets(std::size_t at, const QueuedJob& job,
                                                    bool is_placed) const {
    const detail::SetGrants& reserved = set_pass_.reservations();
    TimedAllocation one{{job.owner, job.request, {}}, reserved[at].period};
    if (is_placed) one.allocation.placement = placement_on(reserved.nodes(at));
    return one;
}

void JobQueue::Impl::write_reservations() {
    if (!is_by_sets_ || are_written_) return;
    are_written_ = true;
    all_.clear();
    for (std::size_t i = 0; i < set_pass_.reservations().size(); ++i) {
        const Turn turn = turns_.at(set_pass_.reservations()[i].job.owner);
        all_.push_back(reservation_by_sets(i, jobs_.at(turn).job, options_.places_reservations));
    }
}

bool JobQueue::Impl::goes_on_by_sets(Instant now) const {
    if (!are_answers_sure_ || nodes_.is_anew() || !nodes_.changed().empty()) return false;
    if (set_pass_.has_begun_by(now)) return false;
    const auto& limit = set_pass_.may_reserve() && !is_ended_ ? last_ : last_in_plan_;
    return std::all_of(added_.begin(), added_.end(),
                       [&](const Turn& turn) { return !limit || *limit < turn; });
}

StatusOr<JobQueue::Pass> JobQueue::Impl::decide_by_sets(const Timeline& timeline,
                                                        StartFinder& finder) {
    const bool is_new = !is_by_sets_ || nodes_.is_anew();
    TRESTLE_TRY_STATUS(check_owners(timeline, is_new, nodes_.changed()));
    finder.impl_->call_watch();
    // From here on nothing fails.
    if (is_new) {
        write_reservations();
        if (pass_) all_ = std::move(pass_->result().reservations);
        before_ = std::exchange(all_, {});
        pass_.reset();
        plan_ = {};
        enter_anew(timeline.cluster());
        is_by_sets_ = true;
        if (holds()) enter_before_into_sets();
    }
    const bool goes_on = !is_new && goes_on_by_sets(timeline.now());
    are_written_ = false;
    all_.clear();
    reserved_rows_.clear();
    bool is_any_late = false;
    detail::NodeBits first_before;
    JobQueue::Pass pass;
    if (goes_on) {
        if (kept_ > 0) {
            const auto nodes = set_pass_.reservations().nodes(0);
            first_before.assign(nodes.begin(), nodes.end());
        }
        set_pass_.go_on();
        std::sort(added_.begin(), added_.end());
        for (const Turn& turn : added_) {
            if (is_ended_ || !ask_by_sets(plain_.row_of(turn), pass)) break;
        }
    } else {
        kept_ = 0;
        ++set_passes_;
        are_answers_sure_ = !discipline_.horizon;
        last_in_plan_.reset();
        is_ended_ = false;
        set_pass_.begin(nodes_);
        for (auto& row : plain_.rows()) {
            if (set_pass_.is_full() || !ask_by_sets(row, pass)) break;
            is_any_late = holds() && is_put_off(row);
            if (is_any_late) break;
        }
        if (is_any_late) decide_around_by_sets(pass);
    }
    if (options_.places_reservations) {
        const std::int64_t most = nodes_.calendar().node_count();
        const bool starts = !is_any_late && !started_.empty();
        if (starts && plain_.has_behind(started_.back(), most)) set_pass_.finish();
        if (options_.reports_moves && shows_places_ && !first_before.empty() &&
            !std::equal(first_before.begin(), first_before.end(),
                        set_pass_.reservations().nodes(0).begin())) {
            const Turn turn = turns_.at(set_pass_.reservations()[0].job.owner);
            pass.reservations.push_back(reservation_by_sets(0, jobs_.at(turn).job, true));
        }
    }
    for (TimedAllocation& one : changed_by_sets()) pass.reservations.push_back(std::move(one));
    if (is_new) {
        write_reservations();
        pass.reservations = changed_reservations();
    }
    const std::optional<Instant> wake_at = pass.wake_at;
    auto starts = std::move(pass.starts);
    pass = finish(std::move(pass.reservations));
    pass.starts = std::move(starts);
    pass.wake_at = wake_at;
    return pass;
}

std::vector<TimedAllocation> JobQueue::Impl::changed_by_sets() {
    const detail::SetGrants& now = set_pass_.reservations();
    const detail::SetGrants& before = set_pass_.reservations_before();
    std::vector<TimedAllocation> changed;
    for (std::size_t at = kept_; at < now.size(); ++at) {
        detail::PlainJobs::Row& row = *reserved_rows_[at - kept_];
        const bool was_reserved = row.reserved_by + 1 == set_passes_;
        bool is_same = was_reserved && (!options_.reports_moves ||
                                        before[row.reserved_at].period == now[at].period);
        if (is_same && shows_places_ && options_.reports_moves) {
            const auto was = before.nodes(row.reserved_at);
            is_same = std::equal(was.begin(), was.end(), now.nodes(at).begin());
        }
        if (!is_same) changed.push_back(reservation_by_sets(at, *row.queued, shows_places_));
        row.reserved_by = set_passes_;
        row.reserved_at = at;
    }
    return changed;
}

bool JobQueue::Impl::ask_by_sets(detail::PlainJobs::Row& row, JobQueue::Pass& pass) {
    if (row.is_gone() || !set_pass_.may_matter(row.job.nodes)) return true;
    asked_last_ = row.job.owner;
    note_answer(row, set_pass_.ask(row.job), pass);
    return !is_ended_;
}

void JobQueue::Impl::note_answer(detail::PlainJobs::Row& row, detail::SetPass::Answer answer,
                                 JobQueue::Pass& pass) {
    using Answer = detail::SetPass::Answer;
    if (answer == Answer::starts) {
        const Period& period = set_pass_.started().period;
        pass.starts.push_back({{row.job.owner, row.queued->request, {}}, period});
        pass.starts.back().allocation.placement = placement_on(set_pass_.started_on());
        started_.push_back(row.turn);
    }
    if (answer == Answer::is_reserved) reserved_rows_.push_back(&row);
    is_ended_ = answer == Answer::ends_pass;
    if (answer == Answer::is_reserved || is_ended_) last_in_plan_ = row.turn;
}

}  // namespace trestle
