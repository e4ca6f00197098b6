// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/queue/job_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alloc/schedule/candidates/start_finder_impl.hpp"
#include "alloc/schedule/kept/job_kinds.hpp"
#include "alloc/schedule/kept/job_queue_impl.hpp"
#include "alloc/schedule/queue/pass.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

using detail::JobKind;
using detail::JobKinds;
using detail::Pass;
using detail::Turn;

std::vector<QueuedJob> JobQueue::Impl::jobs() const {
    std::vector<QueuedJob> all;
    all.reserve(jobs_.size());
    for (const auto& [turn, one] : jobs_) all.push_back(one.job);
    return all;
}

Status JobQueue::Impl::add(QueuedJob job, std::optional<std::uint64_t> place) {
    TRESTLE_TRY_STATUS(check_idle());
    if (contains(job.owner)) {
        return failed_precondition("owner {} waits already", job.owner.value());
    }
    if (job.duration && !(Seconds() < *job.duration)) {
        return invalid_argument("owner {}: a duration of {} s, expected 1 or more",
                                job.owner.value(), *job.duration);
    }
    const std::uint64_t where = place.value_or(places_);
    places_ =
        std::max(places_, where == std::numeric_limits<std::uint64_t>::max() ? where : where + 1);
    const Turn turn{detail::turn_key(plan_.timeline().cluster(), job, discipline_.order), where,
                    numbers_++};
    turns_.emplace(job.owner, turn);
    JobKind& kind = kinds_.enter(job, turn, plan_.timeline().cluster());
    const auto at = jobs_.emplace(turn, Waiting{std::move(job), &kind}).first;
    plain_.add(turn, at->second.job, kind);
    added_.push_back(turn);
    return {};
}

StatusOr<QueuedJob> JobQueue::Impl::remove(OwnerId owner) {
    TRESTLE_TRY_STATUS(check_idle());
    const auto found = turns_.find(owner);
    if (found == turns_.end()) return not_found("owner {} does not wait", owner.value());
    const Turn turn = found->second;
    write_reservations();
    QueuedJob job = jobs_.at(turn).job;
    const auto has_reservation = [&](const TimedAllocation& one) {
        return one.allocation.owner == owner;
    };
    const auto reserved = reservations();
    const bool is_reserved = std::any_of(reserved.begin(), reserved.end(), has_reservation);
    if (is_reserved) ended_holds_.insert(owner);
    if (is_reserved || last_in_plan_ == turn) are_answers_sure_ = false;
    forget(turn);
    return job;
}

void JobQueue::Impl::forget(Turn turn) {
    const auto found = jobs_.find(turn);
    turns_.erase(found->second.job.owner);
    JobKind* const kind = found->second.kind;
    plain_.remove(turn, *kind);
    jobs_.erase(found);
    std::erase(added_, turn);
    if (kinds_.remove(*kind, turn)) std::erase(refused_, kind);
}

std::span<const TimedAllocation> JobQueue::Impl::reservations() const {
    return pass_ ? pass_->result().reservations : all_;
}

TimedAllocation JobQueue::Impl::shown(const TimedAllocation& reservation) const {
    if (shows_places_) return reservation;
    const Allocation& held = reservation.allocation;
    return {{held.owner, held.request, {}}, reservation.period};
}

bool JobQueue::Impl::looks_at_all(const StartFinder& finder) const {
    return discipline_.depth || discipline_.is_slack_based ||
           !discipline_.lookahead_max.is_zero() || finder.options().policy == Policy::random ||
           finder.may_refuse();
}

StatusOr<JobQueue::Pass> JobQueue::Impl::look_at_all(const Timeline& timeline,
                                                     StartFinder& finder) {
    if (discipline_.order == Discipline::Order::shortest_first) {
        refused_.clear();
        enter_anew(timeline.cluster());
    }
    const std::vector<QueuedJob> queue = jobs();
    TRESTLE_TRY(PassResult result, pass_over(queue, timeline, finder));
    before_.assign(reservations().begin(), reservations().end());
    forget_plan();
    all_ = std::move(result.reservations);
    if (is_any_put_off(result.starts)) return decide_around(timeline, finder);
    for (const TimedAllocation& one : result.starts)
        started_.push_back(turns_.at(one.allocation.owner));
    JobQueue::Pass pass = finish(changed_reservations());
    pass.starts = std::move(result.starts);
    return pass;
}

StatusOr<PassResult> JobQueue::Impl::pass_over(const std::vector<QueuedJob>& queue,
                                               const Timeline& timeline, StartFinder& finder) {
    const struct Remember {
        ~Remember() {
            for (const QueuedJob& job : queue) {
                if (&job.request == finder.last_request()) owner = job.owner;
            }
        }
        const std::vector<QueuedJob>& queue;
        const StartFinder& finder;
        std::optional<OwnerId>& owner;
    } remember{queue, finder, asked_last_};
    return schedule_pass(timeline, queue, discipline_, finder);
}

Status JobQueue::Impl::check_owners(const Timeline& timeline, bool are_all_new,
                                    std::span<const OwnerId> changed) const {
    const auto refuse = [&](OwnerId owner) {
        return failed_precondition("owner {} has something already", owner.value());
    };
    if (are_all_new) {
        for (const auto& [owner, turn] : turns_) {
            if (timeline.period_of(owner)) return refuse(owner);
        }
        return {};
    }
    for (const Turn& turn : added_) {
        const OwnerId owner = jobs_.at(turn).job.owner;
        if (timeline.period_of(owner)) return refuse(owner);
    }
    for (const TimedAllocation& one : reservations()) {
        const OwnerId owner = one.allocation.owner;
        if (contains(owner) && timeline.period_of(owner)) return refuse(owner);
    }
    for (const OwnerId owner : changed) {
        if (contains(owner) && timeline.period_of(owner)) return refuse(owner);
    }
    return {};
}

bool JobQueue::Impl::goes_on(const Timeline& timeline, const StartFinder& finder) const {
    const bool is_same = finder_.lock() == finder.impl_ && finder_place_ == &finder;
    const bool is_as_before = are_answers_sure_ && is_same;
    if (!pass_ || !is_as_before || !plan_.changed().empty()) return false;
    for (const TimedAllocation& one : reservations()) {
        if (one.period.first <= timeline.now()) return false;
    }
    const auto& limit = pass_->may_reserve() && !pass_->blocked_by() ? last_ : last_in_plan_;
    return std::all_of(added_.begin(), added_.end(),
                       [&](const Turn& turn) { return !limit || *limit < turn; });
}

Status JobQueue::Impl::begin(const Timeline& timeline, StartFinder& finder) {
    if (pass_) TRESTLE_TRY_STATUS(pass_->withdraw_reservations());
    before_ = std::move(pass_ ? pass_->result().reservations : all_);
    has_begun_ = true;
    for (const TimedAllocation& one : before_) plan_.stop_counting(one.allocation.owner);
    pass_.reset();
    const bool is_as_before = plan_.follow(timeline);
    if (!is_as_before) enter_anew(timeline.cluster());
    pass_.emplace(plan_.timeline(), discipline_, finder);
    finder_ = finder.impl_;
    finder_place_ = &finder;
    are_answers_sure_ = !discipline_.horizon;
    last_in_plan_.reset();
    refused_.clear();
    kinds_.forget_refusals();
    return {};
}

void JobQueue::Impl::enter_anew(const Cluster& cluster) {
    std::map<Turn, Waiting> jobs;
    std::swap(jobs, jobs_);
    kinds_.clear();
    plain_.clear();
    turns_.clear();
    added_.clear();
    for (auto& [turn, one] : jobs) {
        const Turn now{detail::turn_key(cluster, one.job, discipline_.order), turn.place,
                       turn.number};
        turns_.emplace(one.job.owner, now);
        JobKind& kind = kinds_.enter(one.job, now, cluster);
        const auto at = jobs_.emplace(now, Waiting{std::move(one.job), &kind}).first;
        plain_.add(now, at->second.job, kind);
    }
}

Status JobQueue::Impl::check_idle() const {
    if (!is_deciding_) return {};
    return failed_precondition("the queue is in schedule(): its policy cannot change it");
}

void JobQueue::Impl::forget_plan() {
    write_reservations();
    if (pass_) all_ = pass_->result().reservations;
    pass_.reset();
    plan_.forget();
    nodes_.forget();
    is_by_sets_ = false;
    started_.clear();
    added_.clear();  // owners of all jobs are checked next time
}

void JobQueue::Impl::take_back() {
    write_reservations();
    if (has_begun_) {
        pass_.reset();
        all_ = std::move(before_);
    } else {
        auto& reserved = pass_ ? pass_->result().reservations : all_;
        reserved.erase(reserved.begin() + static_cast<std::ptrdiff_t>(kept_), reserved.end());
        if (first_kept_) reserved.front() = *std::move(first_kept_);
    }
    forget_plan();
}

StatusOr<JobQueue::Pass> JobQueue::Impl::schedule(const Timeline& timeline, StartFinder& finder) {
    TRESTLE_TRY_STATUS(check_idle());
    Deciding scope(*this);
    asked_last_.reset();
    const bool looks_at_each = looks_at_all(finder);
    const bool is_by_sets = !looks_at_each && find_sets(timeline, finder);
    if (!is_by_sets) {
        write_reservations();
        nodes_.forget();
    }
    auto pass = looks_at_each ? look_at_all(timeline, finder)
                : is_by_sets  ? decide_by_sets(timeline, finder)
                              : decide(timeline, finder);
    if (pass.ok()) {  // else the scope takes back, which has to know of sets
        scope.finish();
        is_by_sets_ = is_by_sets;
        ended_holds_.clear();
    }
    return pass;
}

StatusOr<JobQueue::Pass> JobQueue::Impl::decide(const Timeline& timeline, StartFinder& finder) {
    const bool can_follow = plan_.find_changes(timeline);
    TRESTLE_TRY_STATUS(check_owners(timeline, !can_follow, plan_.changed()));
    if (!can_follow || !goes_on(timeline, finder)) {
        TRESTLE_TRY_STATUS(begin(timeline, finder));
        TRESTLE_TRY_STATUS(walk(false));
        if (is_any_put_off(pass_->result().starts)) return decide_around(timeline, finder);
        return finish(changed_reservations());
    }
    const std::size_t moves = pass_->moves();
    if (options_.places_reservations && kept_ > 0) first_kept_ = reservations().front();
    TRESTLE_TRY_STATUS(plan_.advance(timeline.now()));
    TRESTLE_TRY_STATUS(walk(true));
    std::vector<TimedAllocation> changed;
    if (moves != pass_->moves() && shows_places_ && options_.reports_moves) {
        changed.push_back(reservations().front());
    }
    for (const TimedAllocation& one : reservations().subspan(kept_)) changed.push_back(shown(one));
    return finish(std::move(changed));
}

Status JobQueue::Impl::walk(bool over_added) {
    pass_->result().starts.clear();
    pass_->result().waiting.clear();
    next_.clear();
    if (over_added) {
        for (const Turn& turn : added_) next_.emplace(turn, jobs_.at(turn).kind);
    }
    const Next none;
    const Next& fronts = over_added ? none : kinds_.fronts();
    auto front = fronts.begin();
    const bool is_strict = discipline_.reservations_max == Count(0);
    while (front != fronts.end() || !next_.empty()) {
        const bool is_front =
            front != fronts.end() && (next_.empty() || front->first < next_.begin()->first);
        const auto [turn, kind] = is_front ? *front++ : *next_.begin();
        if (!is_front) next_.erase(next_.begin());
        if (pass_->blocked_by()) break;
        if (kind->is_refused) continue;
        const bool may_wait_alone = !pass_->may_reserve() && !is_strict;
        if (may_wait_alone && plan_.lacks(kind->takes, kind->limit)) continue;
        TRESTLE_TRY(const bool asks_on, ask(turn, *kind));
        const auto behind = kind->turns.upper_bound(turn);
        if (asks_on && behind != kind->turns.end()) next_.emplace(*behind, kind);
    }
    return make_reservation_anew();
}

StatusOr<bool> JobQueue::Impl::ask(Turn turn, JobKind& kind) {
    const QueuedJob& job = jobs_.at(turn).job;
    asked_last_ = job.owner;
    if (kind.has_nodes_alone && pass_->is_beside_whole_nodes()) return ask_beside(turn, kind);
    if (kind.is_plain && reserve_unplaced(turn, kind)) return true;
    PassResult& result = pass_->result();
    const std::size_t starts = result.starts.size();
    const std::size_t reservations = result.reservations.size();
    const std::size_t moves = pass_->moves();
    const Status status = pass_->look_at(job, 0);
    if (!status.ok()) return with_context(fmt::format("owner {}", job.owner), status);
    if (moves != pass_->moves()) note_move(turn);
    if (result.starts.size() != starts) return note_start(turn);
    const PassResult::Waiting& wait = result.waiting.back();
    if (result.reservations.size() != reservations) {
        plan_.count(result.reservations.back());
        last_in_plan_ = turn;
        return true;
    }
    if (pass_->blocked_by()) last_in_plan_ = turn;
    if (!wait.can_start) return false;
    return note_refusal(kind, wait.why.constraint == Constraint::gave_up);
}

/// Only of the one reservation of an EASY pass, and where any nodes that are idle then serve the
/// job.
bool JobQueue::Impl::reserve_unplaced(Turn turn, const JobKind& kind) {
    const bool may = !options_.places_reservations && plan_.has_like_nodes() &&
                     discipline_.reservations_max == Count(1) && pass_->may_reserve() &&
                     !discipline_.horizon;
    const QueuedJob& job = jobs_.at(turn).job;
    if (!may || pass_->can_never_start(job)) return false;
    const Timeline& plan = plan_.timeline();
    const auto start = finder_.lock()->first_untouched(plan, kind.takes.nodes, kind.limit);
    if (!start || *start == plan.now()) return false;
    const Period period = period_of(*start, kind.limit);
    pass_->reserve_unplaced(job, period);
    plan_.count_nodes(job.owner, period, kind.takes.nodes);
    last_in_plan_ = turn;
    return true;
}

/// The reservation is of nodes and the job too, so that a set of nodes says all, and the
/// reservation is moved only where the answer may depend on its nodes, or they are shown.
StatusOr<bool> JobQueue::Impl::ask_beside(Turn turn, JobKind& kind) {
    const QueuedJob& job = jobs_.at(turn).job;
    const bool meets = pass_->meets_reservation(kind.limit);
    if (meets || !refused_.empty() || options_.places_reservations) {
        const std::size_t moves = pass_->moves();
        TRESTLE_TRY_STATUS(pass_->make_reservation_anew());
        if (moves != pass_->moves()) note_move(turn);
    }
    bool gave_up = false;
    auto started = pass_->start_beside(job, meets, gave_up);
    if (!started.ok()) return with_context(fmt::format("owner {}", job.owner), started.status());
    return *started ? note_start(turn) : note_refusal(kind, gave_up);
}

void JobQueue::Impl::note_move(Turn turn) {
    plan_.count(pass_->result().reservations.front());
    ask_again(turn);
}

bool JobQueue::Impl::note_start(Turn turn) {
    plan_.count(pass_->result().starts.back());
    started_.push_back(turn);
    return true;
}

bool JobQueue::Impl::note_refusal(JobKind& kind, bool gave_up) {
    if (!kind.is_monotone || gave_up) {
        are_answers_sure_ = false;
        return true;
    }
    kind.is_refused = true;
    refused_.push_back(&kind);
    return false;
}

void JobQueue::Impl::ask_again(Turn behind) {
    for (JobKind* const kind : refused_) {
        kind->is_refused = false;
        const auto next = kind->turns.upper_bound(behind);
        if (next != kind->turns.end()) next_.emplace(*next, kind);
    }
    refused_.clear();
}

Status JobQueue::Impl::make_reservation_anew() {
    if (!options_.places_reservations || !pass_->is_to_be_moved()) return {};
    for (auto at = jobs_.upper_bound(started_.back()); at != jobs_.end(); ++at) {
        if (pass_->can_never_start(at->second.job)) continue;
        const std::size_t moves = pass_->moves();
        TRESTLE_TRY_STATUS(pass_->make_reservation_anew());
        if (moves != pass_->moves()) plan_.count(pass_->result().reservations.front());
        break;
    }
    return {};
}

std::vector<TimedAllocation> JobQueue::Impl::changed_reservations() const {
    std::unordered_map<OwnerId, const TimedAllocation*> before;
    for (const TimedAllocation& one : before_) before.emplace(one.allocation.owner, &one);
    std::vector<TimedAllocation> changed;
    for (const TimedAllocation& one : reservations()) {
        const auto found = before.find(one.allocation.owner);
        const bool is_same =
            found != before.end() &&
            (!options_.reports_moves ||
             (shows_places_ ? *found->second == one : found->second->period == one.period));
        if (!is_same) changed.push_back(shown(one));
    }
    return changed;
}

JobQueue::Pass JobQueue::Impl::finish(std::vector<TimedAllocation> changed) {
    JobQueue::Pass pass{{}, std::move(changed), {}};
    holds_none_ = false;
    if (pass_) pass.starts = std::move(pass_->result().starts);
    added_.clear();
    for (const Turn turn : started_) forget(turn);
    are_answers_sure_ = are_answers_sure_ && started_.empty();
    started_.clear();
    last_ = jobs_.empty() ? std::nullopt : std::optional(jobs_.rbegin()->first);
    return pass;
}

JobQueue::JobQueue(const Discipline& discipline) : JobQueue(discipline, Options()) {}
JobQueue::JobQueue(const Discipline& discipline, const Options& options)
    : impl_(std::make_unique<Impl>(discipline, options)) {}
JobQueue::JobQueue(JobQueue&&) noexcept = default;
JobQueue& JobQueue::operator=(JobQueue&&) noexcept = default;
JobQueue::~JobQueue() = default;

const Discipline& JobQueue::discipline() const { return impl_->discipline(); }

std::size_t JobQueue::size() const { return impl_->size(); }

bool JobQueue::contains(OwnerId owner) const { return impl_->contains(owner); }

std::vector<QueuedJob> JobQueue::jobs() const { return impl_->jobs(); }

Status JobQueue::add(QueuedJob job, std::optional<std::uint64_t> place) {
    return impl_->add(std::move(job), place);
}

StatusOr<QueuedJob> JobQueue::remove(OwnerId owner) { return impl_->remove(owner); }

void JobQueue::forget_reservations() { impl_->forget_reservations(); }

StatusOr<JobQueue::Pass> JobQueue::schedule(const Timeline& timeline, StartFinder& finder) {
    return impl_->schedule(timeline, finder);
}

std::optional<OwnerId> JobQueue::asked_last() const { return impl_->asked_last(); }

std::vector<TimedAllocation> JobQueue::reservations() const {
    impl_->write_reservations();
    std::vector<TimedAllocation> all;
    for (const TimedAllocation& one : impl_->reservations()) all.push_back(impl_->shown(one));
    return all;
}

}  // namespace trestle
