// SPDX-License-Identifier: Apache-2.0
#pragma once

// eligible_jobs: which jobs of a queue may start now, whatever there is for them to start on.
//
// Layer: alloc. Main functions: eligible_jobs(queue, state, now); check_cycles(queue, state), for
// whoever enters jobs; main type: EligibleJobs. Looked at are dependencies, begin times, holds and
// throttles of arrays, and nothing else; who of the eligible ones starts says schedule_pass(),
// which takes them as they are. Everything is judged anew from the records, each time: nothing is
// remembered, and a job that was put back into the queue is waited for again. Starts count too
// (after): whoever lets jobs start asks once more.
// A reader would get wrong: positions in the answer are those in the whole queue, positions in the
// answer of a pass over the eligible ones are others.

#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "trestle/alloc/queue/detail/known_jobs.hpp"
#include "trestle/alloc/queue/detail/queue_findings.hpp"
#include "trestle/alloc/queue/terms.hpp"
#include "trestle/alloc/time/schedule_pass.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// Each job of the queue is in one of these, in the queue's order.
struct EligibleJobs {
    std::vector<QueuedJob> eligible;
    /// `until`: the moment from which the job may start if nothing but time passes; absent where
    /// that is not enough.
    std::vector<WaitingJob> waiting;
    /// With a dependency that cannot be met any more, however those end that have not, or by which
    /// the job waits for itself; with is_any_of all are such.
    std::vector<WaitingJob> never;

    static constexpr auto fields(auto list) {
        return list(field("eligible", &EligibleJobs::eligible),
                    field("waiting", &EligibleJobs::waiting), field("never", &EligibleJobs::never));
    }
    friend bool operator==(const EligibleJobs&, const EligibleJobs&) = default;
};

namespace detail {

/// Whose turn it is in an array: of those who come, in the queue's order, the first that are ready.
class Turns {
  public:
    /// Requires: the terms pass check().
    explicit Turns(Count at_once_max) : at_once_max_(at_once_max), left_(at_once_max.value()) {}

    [[nodiscard]] Count at_once_max() const { return at_once_max_; }
    /// One runs.
    void run() { --left_; }
    /// True when there is room for a task at the moment from which it is ready, if nothing but time
    /// passes. Complexity: logarithmic in those who have been here.
    [[nodiscard]] bool take(Instant ready);

  private:
    Count at_once_max_;
    std::int64_t left_;
    std::priority_queue<Instant>
        ready_;  ///< the first of all who came, as many as there is room for
};

/// One look at a queue.
class QueueReading {
  public:
    QueueReading(std::span<const QueuedJob> queue, const KnownJobs& jobs, QueueFindings& findings,
                 Instant now)
        : queue_(queue), jobs_(jobs), findings_(findings), now_(now) {}

    [[nodiscard]] StatusOr<EligibleJobs> run(const QueueState& state);

  private:
    [[nodiscard]] Status count_running(const QueueState& state);
    [[nodiscard]] Turns* turns_of(const JobTerms& terms);

    void answer(std::size_t position);

    std::span<const QueuedJob> queue_;
    const KnownJobs& jobs_;
    QueueFindings& findings_;
    Instant now_;
    std::unordered_map<ArrayId, Turns> turns_;
    EligibleJobs answer_;
};

}  // namespace detail

/// Which jobs may start now. A task is throttled behind all else: the first in the queue that may
/// start but for its array do, as long as the array runs fewer than it may at once. Jobs that wait
/// for each other in a circle, and have no other way, keep nobody but themselves and those who wait
/// for them: see check_cycles().
/// Errors: those of check() for terms and records; InvalidArgument for a record from after `now`;
/// FailedPrecondition for an owner that stands twice in the queue, has a record beside it, or has
/// terms or records twice, and for an array that has terms twice.
/// Complexity: linear in jobs, records and dependencies; n log n in tasks of arrays.
[[nodiscard]] StatusOr<EligibleJobs> eligible_jobs(std::span<const QueuedJob> queue,
                                                   const QueueState& state, Instant now);

/// Ok when the jobs of the queue can start one after the other, as far as they wait for each other;
/// asked before a job is entered, and its terms are refused. Dependencies that are met already do
/// not count; those of which one is enough all do.
/// Errors: those of eligible_jobs() for jobs, terms and records; InvalidArgument for a cycle, with
/// all its owners in order, from the first in the queue on, also one that leads over a name or an
/// array. Complexity: that of eligible_jobs().
[[nodiscard]] Status check_cycles(std::span<const QueuedJob> queue, const QueueState& state);

}  // namespace trestle
