// SPDX-License-Identifier: Apache-2.0
#pragma once

// JobQueue: jobs that wait, for pass after pass over them.
//
// Layer: alloc. Main types: JobQueue, JobQueue::Options, JobQueue::Pass. The decisions are those of
// schedule_pass() for the same jobs. A call costs about what changed since the one before. Of jobs
// that ask the same only the first is looked at. A job that takes more nodes or cores than are free
// is not looked at. Where only jobs were added, only these are looked at.
// Pitfall: the result has no reasons why jobs wait; schedule_pass() for jobs() has them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

/// Jobs that wait, with a plan that is kept from pass to pass. Two threads must not use one object
/// at the same time, and a finder's policy cannot change the queue that asks it.
class JobQueue {
  public:
    /// Options of a JobQueue.
    struct Options {
        /// Where what is reserved will be. false: only as far as starts depend on it, and
        /// placements of reservations are empty.
        bool places_reservations = true;
        /// Pass::reservations has those that are other than before. false: only those of jobs
        /// that had none before.
        bool reports_moves = true;
        /// Where a discipline reserves for all jobs (no `reservations_max`, not slack-based), none
        /// starts later than the call before had it. If schedule_pass() has a job later, all
        /// reservations of the call before are held. Then each job in its turn moves to the
        /// earliest start that the others leave it. Reservations are placed. A hold ends when the
        /// job leaves the queue, when the nodes are taken by others, and by forget_reservations().
        bool keeps_reservations = false;

        static constexpr auto fields(auto list) {
            return list(field("places_reservations", &Options::places_reservations),
                        field("reports_moves", &Options::reports_moves),
                        field("keeps_reservations", &Options::keeps_reservations));
        }
        friend bool operator==(const Options&, const Options&) = default;
    };

    /// Starts and reservations of one call of JobQueue::schedule().
    struct Pass {
        std::vector<TimedAllocation> starts;        ///< from now on, in the order of their turns
        std::vector<TimedAllocation> reservations;  ///< those that are new, or other than before
        /// When a reservation begins that is held though nothing may end then. schedule() has to be
        /// called at that time. Absent: calls when something changes are enough.
        std::optional<Instant> wake_at;

        static constexpr auto fields(auto list) {
            return list(field("starts", &Pass::starts), field("reservations", &Pass::reservations),
                        field("wake_at", &Pass::wake_at));
        }
        friend bool operator==(const Pass&, const Pass&) = default;
    };

    explicit JobQueue(const Discipline& discipline = {});
    JobQueue(const Discipline& discipline, const Options& options);
    JobQueue(JobQueue&&) noexcept;
    JobQueue& operator=(JobQueue&&) noexcept;
    ~JobQueue();

    [[nodiscard]] const Discipline& discipline() const;
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] bool contains(OwnerId owner) const;
    /// All jobs, in the order of their turns in the last call of schedule(). Complexity: linear.
    [[nodiscard]] std::vector<QueuedJob> jobs() const;

    /// The job waits from now on. Among jobs that are equal in the discipline's order the lowest
    /// place comes first, then the one that was added first. Absent: a place behind all that were
    /// given. Errors: FailedPrecondition for an owner that waits already, InvalidArgument for a
    /// duration of 0. Complexity: logarithmic for the last in that order, else linear in the jobs.
    [[nodiscard]] Status add(QueuedJob job, std::optional<std::uint64_t> place = {});
    /// The job leaves the queue. Errors: NotFound for an owner that does not wait. Complexity:
    /// linear in the reservations and in the jobs that were added since the last call of
    /// schedule().
    [[nodiscard]] StatusOr<QueuedJob> remove(OwnerId owner);

    /// The same starts and reservations as schedule_pass(timeline, jobs(), discipline(), finder),
    /// but for JobQueue::Options::keeps_reservations.
    /// Jobs that start leave the queue; the caller reserves them in the timeline. Nothing is lost
    /// if the timeline is another one than before, but time. Errors: those of schedule_pass(); the
    /// queue then stays as it is. Complexity: logarithmic in the jobs for each that starts. There
    /// is a question for each kind of request and duration for which enough may be free. All jobs
    /// are asked for in two cases. One is a discipline with a depth, with lookahead or slack. The
    /// other is a finder whose policy is random or may refuse a node that fits
    /// (StartFinder::may_refuse()).
    [[nodiscard]] StatusOr<Pass> schedule(const Timeline& timeline, StartFinder& finder);
    /// The job that the last call of schedule() asked the finder for last, or none. After an
    /// exception of the finder's policy it is the job in question.
    [[nodiscard]] std::optional<OwnerId> asked_last() const;
    /// The next call of schedule() holds no reservation that was made before.
    void forget_reservations();
    /// All reservations as of the last call of schedule(), in the order of their turns.
    [[nodiscard]] std::vector<TimedAllocation> reservations() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace trestle
