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

Placement JobQueue::Impl::placement_on(const detail::NodeBits& nodes) const {
    Placement placement;
    placement.nodes.reserve(static_cast<std::size_t>(detail::count_of(nodes)));
    detail::for_each_bit(nodes, [&](std::uint32_t node) {
        placement.nodes.push_back(*part_);
        placement.nodes.back().node = NodeId(node);
    });
    return placement;
}

bool JobQueue::Impl::goes_on_by_sets(Instant now) const {
    if (!are_answers_sure_ || nodes_.is_anew() || !nodes_.changed().empty()) return false;
    const auto has_come = [&](const TimedAllocation& one) { return one.period.first <= now; };
    if (std::any_of(all_.begin(), all_.end(), has_come)) return false;
    const auto& limit = set_pass_.may_reserve() && !is_ended_ ? last_ : last_in_plan_;
    return std::all_of(added_.begin(), added_.end(),
                       [&](const Turn& turn) { return !limit || *limit < turn; });
}

StatusOr<QueuePass> JobQueue::Impl::decide_by_sets(const Timeline& timeline, StartFinder& finder) {
    const bool is_new = !is_by_sets_ || nodes_.is_anew();
    TRESTLE_TRY_STATUS(check_owners(timeline, is_new, nodes_.changed()));
    if (is_new) {
        if (pass_) all_ = std::move(pass_->result().reservations);
        kept_ = all_.size();
        pass_.reset();
        plan_ = {};
        enter_anew(timeline.cluster());
    }
    finder.impl_->call_watch();
    const bool goes_on = !is_new && goes_on_by_sets(timeline.now());
    QueuePass pass;
    if (goes_on) {
        if (options_.places_reservations && kept_ > 0) first_kept_ = all_.front();
        set_pass_.go_on();
        std::sort(added_.begin(), added_.end());
        for (const Turn& turn : added_) {
            if (is_ended_ || !ask_by_sets(plain_.row_of(turn), pass)) break;
        }
    } else {
        before_ = std::exchange(all_, {});
        has_begun_ = true;
        are_answers_sure_ = !discipline_.horizon;
        last_in_plan_.reset();
        is_ended_ = false;
        set_pass_.begin(nodes_);
        for (const auto& row : plain_.rows()) {
            if (set_pass_.is_full() || !ask_by_sets(row, pass)) break;
        }
    }
    if (options_.places_reservations) {
        const std::int64_t most = nodes_.calendar().node_count();
        if (!started_.empty() && plain_.has_behind(started_.back(), most)) set_pass_.finish();
        const auto reserved = set_pass_.reservations();
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (i > 0 && goes_on && i < kept_) continue;
            all_[i].allocation.placement = placement_on(reserved[i].nodes);
        }
    }
    if (!goes_on) {
        pass.reservations = changed_reservations();
    } else {
        if (first_kept_ && *first_kept_ != all_.front()) pass.reservations.push_back(all_.front());
        for (std::size_t i = kept_; i < all_.size(); ++i) pass.reservations.push_back(all_[i]);
    }
    auto starts = std::move(pass.starts);
    pass = finish(std::move(pass.reservations));
    pass.starts = std::move(starts);
    return pass;
}

bool JobQueue::Impl::ask_by_sets(const detail::PlainJobs::Row& row, QueuePass& pass) {
    if (row.is_gone() || !set_pass_.may_matter(row.job.nodes)) return true;
    asked_last_ = row.job.owner;
    const auto add_to = [&](std::vector<TimedAllocation>& all, const Period& period) {
        all.push_back({{row.job.owner, row.queued->request, {}}, period});
    };
    using Answer = detail::SetPass::Answer;
    const Answer answer = set_pass_.ask(row.job);
    if (answer == Answer::starts) {
        const detail::SetGrant& grant = set_pass_.started();
        add_to(pass.starts, grant.period);
        pass.starts.back().allocation.placement = placement_on(grant.nodes);
        started_.push_back(row.turn);
    }
    if (answer == Answer::is_reserved) add_to(all_, set_pass_.reservations().back().period);
    is_ended_ = answer == Answer::ends_pass;
    if (answer == Answer::is_reserved || is_ended_) last_in_plan_ = row.turn;
    return !is_ended_;
}

}  // namespace trestle
