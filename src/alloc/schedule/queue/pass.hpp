// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pass: what one pass over a queue does with a job whose turn it is.
//
// Layer: alloc (detail). Main type: Pass. schedule_pass() asks it for each job, JobQueue for those
// that may have another answer than before.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle::detail {

/// The number by which the job has its turn, lowest first.
[[nodiscard]] std::int64_t turn_key(const Cluster& cluster, const QueuedJob& job,
                                    Discipline::Order order);

/// Positions in the queue in the order of their turns.
[[nodiscard]] std::vector<std::size_t> turns(const Cluster& cluster,
                                             std::span<const QueuedJob> queue,
                                             Discipline::Order order);

class Pass {
  public:
    /// What starts, and what is reserved as soon as that matters, is entered into the plan.
    /// Requires: all three stay.
    Pass(Timeline& plan, const Discipline& discipline, StartFinder& finder);

    /// Asks for the job: it comes into the result. Errors: those of schedule_pass().
    [[nodiscard]] Status look_at(const QueuedJob& job, std::size_t position);
    /// The job waits without a question.
    void wait(std::size_t position, std::string why);
    /// Moves the only reservation to nodes that are busy by now, at its time, if a job has started
    /// since it was made.
    [[nodiscard]] Status make_reservation_anew();
    /// True when that may change it.
    [[nodiscard]] bool is_to_be_moved() const;
    /// How often it came to be elsewhere.
    [[nodiscard]] std::size_t moves() const { return moves_; }
    /// True for a job that waits whatever happens.
    [[nodiscard]] bool can_never_start(const QueuedJob& job);
    /// Takes what was reserved out of the plan again.
    [[nodiscard]] Status withdraw_reservations();

    /// True when the only reservation is of whole nodes and not entered into the plan: jobs that
    /// have nodes for themselves can be asked for by start_beside().
    [[nodiscard]] bool is_beside_whole_nodes() const;
    /// Reserves the period for a job that has its nodes for itself and that any nodes without
    /// owners serve then. Which ones is worked out when a start depends on it. Requires:
    /// may_reserve().
    void reserve_unplaced(const QueuedJob& job, const Period& period);
    /// True when a job that starts now and runs for so long meets the reservation. Requires:
    /// is_beside_whole_nodes(), here and below.
    [[nodiscard]] bool meets_reservation(std::optional<Seconds> duration) const;
    /// Starts a job that has its nodes for itself, on other nodes than are reserved where it meets
    /// the reservation. False where it cannot start now: a no, or, in `gave_up`, not even that.
    [[nodiscard]] StatusOr<bool> start_beside(const QueuedJob& job, bool meets_reservation,
                                              bool& gave_up);

    [[nodiscard]] bool may_reserve() const;
    /// Jobs that were looked at, can start and do not start now.
    [[nodiscard]] std::size_t late() const { return late_; }
    /// The job that ended a strict pass, or nothing.
    [[nodiscard]] std::optional<OwnerId> blocked_by() const { return blocked_by_; }
    [[nodiscard]] Timeline& plan() { return plan_; }
    [[nodiscard]] PassResult& result() { return result_; }
    [[nodiscard]] const PassResult& result() const { return result_; }

  private:
    /// Enters what was reserved into the plan.
    [[nodiscard]] Status enter_reservations();
    /// Why a job that may have no reservation has no place now, even without what was reserved;
    /// nothing when it may have one.
    [[nodiscard]] std::optional<Refusal> why_not_now(const QueuedJob& job);

    Timeline& plan_;  ///< with what starts and the first `entered_` of what was reserved
    std::size_t entered_ = 0;
    const Discipline& discipline_;
    StartFinder& finder_;
    std::optional<Instant> horizon_;
    std::optional<OwnerId> blocked_by_;
    std::size_t late_ = 0;
    std::size_t moves_ = 0;
    QueuedJob reserved_;               ///< that of the last reservation
    bool is_of_whole_nodes_ = false;   ///< that reservation
    bool is_unplaced_ = false;         ///< it has no nodes yet
    bool has_started_behind_ = false;  ///< a job, since that reservation was made
    PassResult result_;
};

}  // namespace trestle::detail
