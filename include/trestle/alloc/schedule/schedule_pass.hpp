// SPDX-License-Identifier: Apache-2.0
#pragma once

// schedule_pass: one pass over a queue: which jobs start now, which get a reservation, which wait
// and why.
//
// Layer: alloc. Main function: schedule_pass(timeline, queue, discipline, finder); main types:
// QueuedJob, Discipline, PassResult. Jobs are considered in the discipline's order. A job that can
// start now starts. A job that cannot is reserved the earliest start, as long as reservations are
// left, and later jobs may not use what was reserved. So a discipline is an order and a number of
// reservations: strict() has none and ends with the first job that waits, easy() has one,
// conservative() one for each job. For jobs of whole nodes that are alike, easy() starts each job
// when EASY as published does, which counts nodes (Lifka, 1995: shadow time and extra nodes).
// conservative() reserves nodes by name. In few cases a job then waits longer than where nodes are
// counted: enough nodes are free at each moment, but not the same ones.
// Pitfall: a reservation holds for this pass. The next pass makes all of them anew, from what runs
// then: in other places, and all but the first at other times, later ones too. To keep a
// reservation, reserve it in the timeline that is passed in. A policy that looks at free resources
// (best_fit, for example) may move a reservation to another node because of a job that the pass
// started. The next pass may then start one more job: to start all of them, call it until nothing
// starts. A job that can never start on the cluster as described delays no other job and is marked
// (`can_start`).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

/// A job that waits.
struct QueuedJob {
    OwnerId owner = {};
    PreparedRequest request = {};
    std::optional<Seconds> duration =
        {};                     ///< absent: the request's time limit, else its partition's
    std::int64_t priority = 0;  ///< the caller's; higher first, where that is the order

    static constexpr auto fields(auto list) {
        return list(field("owner", &QueuedJob::owner), field("request", &QueuedJob::request),
                    field("duration", &QueuedJob::duration),
                    field("priority", &QueuedJob::priority));
    }
    friend bool operator==(const QueuedJob&, const QueuedJob&) = default;
};

/// The order of the jobs. as_queued: that of the queue. by_priority: highest priority first.
/// shortest_first: shortest duration first. Equal ones keep the order of the queue.
enum class QueueOrder { as_queued, by_priority, shortest_first };

constexpr auto enum_names(QueueOrder) {
    using enum QueueOrder;
    return std::array{named(as_queued, "as_queued"), named(by_priority, "by_priority"),
                      named(shortest_first, "shortest_first")};
}

/// How a pass goes over a queue.
struct Discipline {
    QueueOrder order = QueueOrder::as_queued;
    /// Reservations for jobs that cannot start now; absent: for all. 0: the first such job ends the
    /// pass.
    std::optional<Count> reservations_max = {};
    /// Jobs that are looked at and do not start, at most; absent: all. Those that can never start
    /// do not count.
    std::optional<Count> depth = {};
    /// No reservation is made for a start later than now() plus this; such a job waits without one.
    std::optional<Seconds> horizon = {};
    /// Reservations are made on nodes that are busy now first, so that jobs behind can use the idle
    /// ones: StartQuestion::spares_idle. One that stands alone is made anew on other nodes, for the
    /// same time, when jobs behind it have started. false: the policy chooses among all nodes.
    bool spares_idle = true;

    [[nodiscard]] static Discipline strict(QueueOrder order = QueueOrder::as_queued);
    [[nodiscard]] static Discipline easy(QueueOrder order = QueueOrder::as_queued);
    [[nodiscard]] static Discipline conservative(QueueOrder order = QueueOrder::as_queued);

    static constexpr auto fields(auto list) {
        return list(field("order", &Discipline::order),
                    field("reservations_max", &Discipline::reservations_max),
                    field("depth", &Discipline::depth), field("horizon", &Discipline::horizon),
                    field("spares_idle", &Discipline::spares_idle));
    }
    friend bool operator==(const Discipline&, const Discipline&) = default;
};

/// A job that does not start now.
struct WaitingJob {
    std::size_t job = 0;           ///< position in the queue
    Refusal why;                   ///< what stands in its way now
    std::optional<Instant> until;  ///< the reserved start; absent: none was made
    bool is_earliest = true;       ///< Start::is_earliest of the reservation
    bool can_start = true;         ///< false: at no time, as StartFinder::why_never says

    static constexpr auto fields(auto list) {
        return list(field("job", &WaitingJob::job), field("why", &WaitingJob::why),
                    field("until", &WaitingJob::until),
                    field("is_earliest", &WaitingJob::is_earliest),
                    field("can_start", &WaitingJob::can_start));
    }
    friend bool operator==(const WaitingJob&, const WaitingJob&) = default;
};

/// What a pass says. Each job of the queue is in `starts` or in `waiting`.
struct PassResult {
    std::vector<TimedAllocation> starts;        ///< from now on, in the order of their turns
    std::vector<TimedAllocation> reservations;  ///< later, in the order of their turns
    std::vector<WaitingJob> waiting;            ///< in the order of their turns

    static constexpr auto fields(auto list) {
        return list(field("starts", &PassResult::starts),
                    field("reservations", &PassResult::reservations),
                    field("waiting", &PassResult::waiting));
    }
    friend bool operator==(const PassResult&, const PassResult&) = default;
};

namespace detail {

/// Positions in the queue in the order of their turns.
[[nodiscard]] std::vector<std::size_t> turns(const Cluster& cluster,
                                             std::span<const QueuedJob> queue, QueueOrder order);

/// Ok when each owner stands once and has nothing yet.
[[nodiscard]] Status check_queue(const Timeline& timeline, std::span<const QueuedJob> queue);

/// One pass.
class Pass {
  public:
    Pass(const Timeline& timeline, std::span<const QueuedJob> queue, const Discipline& discipline,
         StartFinder& finder);

    [[nodiscard]] StatusOr<PassResult> run();

  private:
    void wait(std::size_t position, std::string why);
    [[nodiscard]] bool may_reserve() const;
    [[nodiscard]] Status look_at(std::size_t position);
    /// Why a job that may have no reservation has no place now, even without what was reserved;
    /// nothing when it may have one.
    [[nodiscard]] std::optional<Refusal> why_not_now(const QueuedJob& job);
    /// Enters what was reserved into the plan.
    [[nodiscard]] Status enter_reservations();
    /// Moves the one reservation to nodes that are busy by now, at its time.
    [[nodiscard]] Status make_reservation_anew();

    Timeline plan_;  ///< with what starts and the first `entered_` of what was reserved
    std::size_t entered_ = 0;
    std::span<const QueuedJob> queue_;
    const Discipline& discipline_;
    StartFinder& finder_;
    std::optional<Instant> horizon_;
    std::optional<OwnerId> blocked_by_;
    std::size_t late_ = 0;             ///< jobs that were looked at, can start and do not start now
    std::size_t reserved_ = 0;         ///< the job of the last reservation, by position
    bool has_started_behind_ = false;  ///< a job, since that reservation was made
    PassResult result_;
};

}  // namespace detail

/// One pass. Errors: FailedPrecondition for an owner that stands twice or has something already;
/// InvalidArgument for a duration that earliest_start() refuses, naming the owner. Complexity: one
/// earliest_start() for each job that has a turn.
[[nodiscard]] StatusOr<PassResult> schedule_pass(const Timeline& timeline,
                                                 std::span<const QueuedJob> queue,
                                                 const Discipline& discipline, StartFinder& finder);
/// The same without a memory of earlier passes.
[[nodiscard]] StatusOr<PassResult> schedule_pass(const Timeline& timeline,
                                                 std::span<const QueuedJob> queue,
                                                 const Discipline& discipline,
                                                 const PlaceOptions& options = {});

}  // namespace trestle
