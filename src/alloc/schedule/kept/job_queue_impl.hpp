// SPDX-License-Identifier: Apache-2.0
#pragma once

// JobQueue::Impl: how a queue is kept from pass to pass.
//
// Layer: alloc (private). A call asks in one of three ways. schedule_pass() over all jobs, where
// the discipline or the finder needs that. A Pass over a plan that is followed, for jobs that may
// have another answer than before. Or a SetPass, where all jobs want nothing but a number of nodes
// and these are alike (job_queue_sets.cpp).

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "alloc/schedule/kept/followed_plan.hpp"
#include "alloc/schedule/kept/job_kinds.hpp"
#include "alloc/schedule/kept/plain_jobs.hpp"
#include "alloc/schedule/queue/pass.hpp"
#include "alloc/schedule/sets/set_pass.hpp"
#include "alloc/schedule/sets/set_timeline.hpp"
#include "trestle/alloc/schedule/queue/job_queue.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

class JobQueue::Impl {
  public:
    Impl(const Discipline& discipline, const JobQueue::Options& options)
        : discipline_(discipline), options_(options), set_pass_(discipline_) {
        shows_places_ = options.places_reservations;
        options_.places_reservations = shows_places_ || holds();
    }

    [[nodiscard]] const Discipline& discipline() const { return discipline_; }
    [[nodiscard]] std::size_t size() const { return jobs_.size(); }
    [[nodiscard]] bool contains(OwnerId owner) const { return turns_.contains(owner); }
    [[nodiscard]] std::vector<QueuedJob> jobs() const;
    [[nodiscard]] Status add(QueuedJob job, std::optional<std::uint64_t> place);
    [[nodiscard]] StatusOr<QueuedJob> remove(OwnerId owner);
    [[nodiscard]] StatusOr<JobQueue::Pass> schedule(const Timeline& timeline, StartFinder& finder);
    [[nodiscard]] std::optional<OwnerId> asked_last() const { return asked_last_; }
    /// Requires: write_reservations() was called, or sets did not say all.
    [[nodiscard]] std::span<const TimedAllocation> reservations() const;
    void forget_reservations();
    /// Makes reservations() those of the last call where they stand as sets.
    void write_reservations();
    /// The reservation with as much of its placement as the options want.
    [[nodiscard]] TimedAllocation shown(const TimedAllocation& reservation) const;

  private:
    /// A call of schedule() that goes on. If it fails, or the finder's policy throws, nothing of it
    /// stays.
    class Deciding {
      public:
        explicit Deciding(Impl& queue) : queue_(queue) {
            queue.is_deciding_ = true;
            queue.has_begun_ = false;
            queue.kept_ = queue.reservations_count();
            queue.first_kept_.reset();
        }
        Deciding(const Deciding&) = delete;
        Deciding& operator=(const Deciding&) = delete;
        ~Deciding() {
            queue_.is_deciding_ = false;
            if (!is_done_) queue_.take_back();
        }
        void finish() { is_done_ = true; }

      private:
        Impl& queue_;
        bool is_done_ = false;
    };

    struct Waiting {
        QueuedJob job;
        detail::JobKind* kind = nullptr;
    };
    /// A kind that is asked for when the turn of one of its jobs comes.
    using Next = std::map<detail::Turn, detail::JobKind*>;

    /// Errors: FailedPrecondition for a call from within the finder's policy.
    [[nodiscard]] Status check_idle() const;
    void forget_plan();
    /// The reservations are again those of the last call.
    void take_back();
    [[nodiscard]] StatusOr<JobQueue::Pass> decide(const Timeline& timeline, StartFinder& finder);
    /// True when the discipline or the finder needs a look at every job.
    [[nodiscard]] bool looks_at_all(const StartFinder& finder) const;
    [[nodiscard]] StatusOr<JobQueue::Pass> look_at_all(const Timeline& timeline,
                                                       StartFinder& finder);
    /// Errors: FailedPrecondition for an owner that waits and has something.
    [[nodiscard]] Status check_owners(const Timeline& timeline, bool are_all_new,
                                      std::span<const OwnerId> changed) const;
    /// True when all answers of the last call stand, so that only the added jobs are asked for.
    [[nodiscard]] bool goes_on(const Timeline& timeline, const StartFinder& finder) const;
    /// schedule_pass() over the jobs; remembers for which of them the finder's policy threw.
    [[nodiscard]] StatusOr<PassResult> pass_over(const std::vector<QueuedJob>& queue,
                                                 const Timeline& timeline, StartFinder& finder);
    /// Makes the plan that of the timeline, and forgets the answers.
    [[nodiscard]] Status begin(const Timeline& timeline, StartFinder& finder);

    /// True when all jobs want nothing but nodes, and these are alike: then sets of them say all.
    [[nodiscard]] bool find_sets(const Timeline& timeline, StartFinder& finder);
    /// What each of the nodes gives to a job that wants nothing else; false when they differ.
    [[nodiscard]] bool find_part(const Timeline& timeline, StartFinder& finder);
    [[nodiscard]] StatusOr<JobQueue::Pass> decide_by_sets(const Timeline& timeline,
                                                          StartFinder& finder);
    [[nodiscard]] bool goes_on_by_sets(Instant now) const;
    /// Asks for the job by sets; false when the pass ends there.
    [[nodiscard]] bool ask_by_sets(detail::PlainJobs::Row& row, JobQueue::Pass& pass);
    void note_answer(detail::PlainJobs::Row& row, detail::SetPass::Answer answer,
                     JobQueue::Pass& pass);
    /// Of the reservations from kept_ on those that are other than in the pass before.
    [[nodiscard]] std::vector<TimedAllocation> changed_by_sets();
    [[nodiscard]] TimedAllocation reservation_by_sets(std::size_t at, const QueuedJob& job,
                                                      bool is_placed) const;
    [[nodiscard]] Placement placement_on(detail::NodeWords nodes) const;
    [[nodiscard]] std::size_t reservations_count() const;

    /// Gives the jobs their turns by what the cluster says of their time.
    void enter_anew(const Cluster& cluster);

    /// Asks in turn, from the first of each kind on or for the added jobs alone.
    [[nodiscard]] Status walk(bool over_added);
    /// Asks for the job; true when others of its kind may have another answer.
    [[nodiscard]] StatusOr<bool> ask(detail::Turn turn, detail::JobKind& kind);
    /// Reserves a start without nodes for a job that has to wait; false where that is not enough.
    [[nodiscard]] bool reserve_unplaced(detail::Turn turn, const detail::JobKind& kind);
    [[nodiscard]] StatusOr<bool> ask_beside(detail::Turn turn, detail::JobKind& kind);
    void note_move(detail::Turn turn);
    bool note_start(detail::Turn turn);
    bool note_refusal(detail::JobKind& kind, bool gave_up);
    /// The kinds that were refused before the reservation was moved may be asked for again.
    void ask_again(detail::Turn behind);
    /// As schedule_pass() has it: the reservation is made anew for jobs behind the last that
    /// starts.
    [[nodiscard]] Status make_reservation_anew();
    /// The reservations that are other than before the call.
    [[nodiscard]] std::vector<TimedAllocation> changed_reservations() const;
    [[nodiscard]] JobQueue::Pass finish(std::vector<TimedAllocation> changed);
    void forget(detail::Turn turn);

    /// True when reservations are kept from call to call.
    [[nodiscard]] bool holds() const;
    /// True when one of before_ would be later. Requires: `starts` are those of this call.
    [[nodiscard]] bool is_any_put_off(std::span<const TimedAllocation> starts) const;
    /// A call that holds what is in before_.
    [[nodiscard]] StatusOr<JobQueue::Pass> decide_around(const Timeline& timeline,
                                                         StartFinder& finder);
    /// Makes the reservation an earlier one where there is one in the plan.
    void move_up(const Timeline& plan, const QueuedJob& job, TimedAllocation& held,
                 StartFinder& finder) const;
    [[nodiscard]] std::optional<Instant> first_start() const;
    /// The jobs of before_ have their reservations as if a pass by sets had made them.
    void enter_before_into_sets();
    /// Whether the job that has this reservation is still the one that waits.
    [[nodiscard]] bool is_held(const TimedAllocation& one) const {
        return contains(one.allocation.owner) && !ended_holds_.contains(one.allocation.owner);
    }
    /// True when the job had an earlier reservation in the pass before than in this one.
    [[nodiscard]] bool is_put_off(const detail::PlainJobs::Row& row) const;
    void decide_around_by_sets(JobQueue::Pass& pass);

    bool is_deciding_ = false;
    std::optional<OwnerId> asked_last_;  ///< in the last call
    Discipline discipline_;
    JobQueue::Options options_;  ///< with places where the queue itself needs them
    bool shows_places_ = true;   ///< as the caller has it
    std::map<detail::Turn, Waiting> jobs_;
    std::unordered_map<OwnerId, detail::Turn> turns_;
    detail::JobKinds kinds_;
    std::uint64_t places_ = 0;  ///< the lowest one behind all that were given
    std::uint64_t numbers_ = 0;
    std::vector<detail::Turn> added_;  ///< since the last call

    detail::FollowedPlan plan_;
    std::optional<detail::Pass> pass_;
    std::weak_ptr<StartFinder::Impl> finder_;    ///< of the one asked last
    bool holds_none_ = false;                    ///< in the next call
    const StartFinder* finder_place_ = nullptr;  ///< where it was: pass_ looks for it there
    // Where sets say all.
    detail::PlainJobs plain_;
    detail::SetTimeline nodes_;
    detail::SetPass set_pass_;
    std::optional<NodePlacement> part_;                   ///< of each node
    bool is_by_sets_ = false;                             ///< the last call
    bool are_written_ = false;                            ///< the reservations by sets, in all_
    std::uint64_t set_passes_ = 1;                        ///< and one; a row knows of none as 0
    std::vector<detail::PlainJobs::Row*> reserved_rows_;  ///< in the last call, from kept_ on
    bool is_ended_ = false;                               ///< the pass, by a job that waits
    std::size_t sets_rest_ = 0;                           ///< calls until sets are tried again
    // Of the walk.
    Next next_;
    std::vector<detail::Turn> started_;
    std::vector<detail::JobKind*> refused_;  ///< for which a place was looked for in vain
    // Of the last call.
    bool are_answers_sure_ = false;  ///< nothing started, and each no stands until a change
    std::optional<detail::Turn>
        last_in_plan_;                  ///< of a job with a reservation, or that ended the pass
    std::optional<detail::Turn> last_;  ///< of all jobs
    // What a call that fails is taken back to.
    bool has_begun_ = false;                     ///< all reservations are in before_
    std::size_t kept_ = 0;                       ///< reservations; those behind are new
    std::optional<TimedAllocation> first_kept_;  ///< as it was before it was moved
    std::vector<TimedAllocation> before_;
    /// Owners whose jobs left the queue with a reservation since the last call. A later job of the
    /// same owner has no hold.
    std::set<OwnerId> ended_holds_;
    std::vector<TimedAllocation> all_;  ///< the reservations of a pass over all jobs
};

}  // namespace trestle
