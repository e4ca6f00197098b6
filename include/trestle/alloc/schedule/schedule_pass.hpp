// SPDX-License-Identifier: Apache-2.0
#pragma once

// schedule_pass: one pass over a queue: which jobs start now, which get a reservation, which wait
// and why.
//
// Layer: alloc. Main function: schedule_pass(timeline, queue, discipline, finder); main types:
// QueuedJob, Discipline, PassResult. Jobs are considered in the discipline's order. A job that can
// start now starts. A job that cannot is reserved the earliest start, as long as reservations are
// left, and later jobs may not use what was reserved. So a discipline is an order and a number of
// reservations. None: strict(), which ends with the first job that waits. One: easy(). One for each
// job: conservative(). For jobs of whole nodes that are alike, easy() starts each job
// when EASY as published does. That one counts nodes (Lifka, 1995: shadow time and extra nodes). In
// contrast, conservative() reserves nodes by name. In few cases a job then waits longer than where
// nodes are counted: enough nodes are free at each moment, but not the same ones. Two more:
// lookahead() is easy() that weighs the jobs behind the reservation together. slack_based() is
// conservative() that may put reservations off within limits. JobQueue in queue/job_queue.hpp makes
// pass after pass over one queue.
// Pitfall: a reservation holds for this pass. The next pass makes all of them anew, from what runs
// then. They may be in other places, and all but the first at other times, later ones too. To keep
// a reservation, reserve it in the timeline that is passed in. A policy that looks at free
// resources (best_fit, for example) may move a reservation to another node because of a job that
// the pass started. The next pass may then start one more job: to start all of them, call it until
// nothing starts. A job that can never start on the cluster as described delays no other job and is
// marked (`can_start`).

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
    /// Where the discipline is slack-based: its reservation may be put off until then, and no
    /// further; absent: not at all.
    std::optional<Instant> start_by = {};

    static constexpr auto fields(auto list) {
        return list(field("owner", &QueuedJob::owner), field("request", &QueuedJob::request),
                    field("duration", &QueuedJob::duration),
                    field("priority", &QueuedJob::priority),
                    field("start_by", &QueuedJob::start_by));
    }
    friend bool operator==(const QueuedJob&, const QueuedJob&) = default;
};

/// How a pass goes over a queue.
struct Discipline {
    /// The order of the jobs. as_queued: that of the queue. by_priority: highest priority first.
    /// shortest_first: shortest duration first. Equal ones keep the order of the queue.
    enum class Order { as_queued, by_priority, shortest_first };

    Order order = Order::as_queued;
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
    /// same time, when jobs behind it have started. `false`: the policy chooses among all nodes.
    bool spares_idle = true;
    /// Of the jobs behind the only reservation so many are weighed together: those that use most
    /// nodes now have the first turns. See lookahead(). 0: each job in its turn. At most as many
    /// jobs are weighed as 8 million divided by the free nodes, which bounds time and memory.
    Count lookahead_max = {};
    /// Reservations may be put off until QueuedJob::start_by. See slack_based().
    bool is_slack_based = false;

    [[nodiscard]] static Discipline strict(Order order = Order::as_queued);
    [[nodiscard]] static Discipline easy(Order order = Order::as_queued);
    [[nodiscard]] static Discipline conservative(Order order = Order::as_queued);
    /// easy(), and of 50 jobs behind the reservation those start that together use the most nodes
    /// now and leave the reservation where it is. Among equal sets the one with the first job in
    /// which they differ (E. Shmueli and D. G. Feitelson, "Backfilling with lookahead to optimize
    /// the packing of parallel jobs", 2005). Jobs that have whole nodes are weighed, by the number
    /// of nodes; others have their turns behind those. With more reservations than one nothing is
    /// weighed.
    [[nodiscard]] static Discipline lookahead(Order order = Order::as_queued);
    /// conservative(), but a job may start at once ahead of its turn under two conditions. No other
    /// job then has a later reservation than its `start_by`, or than without that start. And the
    /// starts of all come earlier in sum. So the caller gives a job a `start_by` with its first
    /// reservation: that start and its slack. A plain form of D. Talby and D. G. Feitelson,
    /// "Supporting priorities and improving utilization of the IBM SP scheduler using slack-based
    /// backfilling", 1999: one cost, and jobs are tried in their turns. Of the other fields only
    /// `order` and `spares_idle` count. Complexity: two passes of conservative() for each job that
    /// fits beside what runs.
    [[nodiscard]] static Discipline slack_based(Order order = Order::as_queued);

    static constexpr auto fields(auto list) {
        return list(field("order", &Discipline::order),
                    field("reservations_max", &Discipline::reservations_max),
                    field("depth", &Discipline::depth), field("horizon", &Discipline::horizon),
                    field("spares_idle", &Discipline::spares_idle),
                    field("lookahead_max", &Discipline::lookahead_max),
                    field("is_slack_based", &Discipline::is_slack_based));
    }
    friend bool operator==(const Discipline&, const Discipline&) = default;
};

constexpr auto enum_names(Discipline::Order) {
    using enum Discipline::Order;
    return std::array{named(as_queued, "as_queued"), named(by_priority, "by_priority"),
                      named(shortest_first, "shortest_first")};
}

/// What a pass says. Each job of the queue is in `starts` or in `waiting`.
struct PassResult {
    /// A job that does not start now.
    struct Waiting {
        std::size_t job = 0;           ///< position in the queue
        Refusal why;                   ///< what stands in its way now
        std::optional<Instant> until;  ///< the reserved start; absent: none was made
        bool is_earliest = true;       ///< Start::is_earliest of the reservation
        bool can_start = true;         ///< false: at no time, as StartFinder::why_never says

        static constexpr auto fields(auto list) {
            return list(field("job", &Waiting::job), field("why", &Waiting::why),
                        field("until", &Waiting::until),
                        field("is_earliest", &Waiting::is_earliest),
                        field("can_start", &Waiting::can_start));
        }
        friend bool operator==(const Waiting&, const Waiting&) = default;
    };

    /// From now on, in the order of their turns; slack-based: first those that others are put off
    /// for.
    std::vector<TimedAllocation> starts;
    std::vector<TimedAllocation> reservations;  ///< later, in the order of their turns
    std::vector<Waiting> waiting;               ///< in the order of their turns

    static constexpr auto fields(auto list) {
        return list(field("starts", &PassResult::starts),
                    field("reservations", &PassResult::reservations),
                    field("waiting", &PassResult::waiting));
    }
    friend bool operator==(const PassResult&, const PassResult&) = default;
};

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
