// SPDX-License-Identifier: Apache-2.0
#pragma once

// eligible_jobs: which jobs of a queue may start now, regardless of free resources.
//
// Layer: alloc. Main functions: eligible_jobs(queue, state, now); check_cycles(queue, state), for
// use at submission; main type: EligibleJobs. Dependencies, begin times, holds and throttles of
// arrays are checked, and nothing else. schedule_pass() chooses which of the eligible jobs start.
// Each call judges everything anew from the records: nothing is remembered, and a job that was
// requeued is waited for again. Starts count too (after): call it again after jobs have started.
// Pitfall: positions in the answer are those in the whole queue, positions in the answer of a pass
// over the eligible ones are others.

#include <span>
#include <vector>

#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/start_conditions.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// Each job of the queue is in one of these, in the queue's order.
struct EligibleJobs {
    std::vector<QueuedJob> eligible;
    /// `until`: the moment from which the job may start if nothing but time passes; absent where
    /// that is not enough.
    std::vector<PassResult::Waiting> waiting;
    /// With a dependency that cannot be met any more, however the unfinished jobs end, or by which
    /// the job waits for itself. With is_any_of all are such.
    std::vector<PassResult::Waiting> never;

    static constexpr auto fields(auto list) {
        return list(field("eligible", &EligibleJobs::eligible),
                    field("waiting", &EligibleJobs::waiting), field("never", &EligibleJobs::never));
    }
    friend bool operator==(const EligibleJobs&, const EligibleJobs&) = default;
};

/// Which jobs may start now. A task is throttled after all other conditions. Of those that only
/// their array holds back, the first in the queue may start while the array runs fewer than it may
/// at once. Jobs that wait for each other in a circle, and have no other way, keep only themselves
/// and their dependents from starting: see check_cycles().
/// Errors: those of check() for conditions and records. InvalidArgument for a record from after
/// `now`. FailedPrecondition for an owner that stands twice in the queue, has a record beside it,
/// or has conditions or records twice. The same for an array that has conditions twice. Complexity:
/// linear in jobs, records and dependencies; n log n in tasks of arrays.
[[nodiscard]] StatusOr<EligibleJobs> eligible_jobs(std::span<const QueuedJob> queue,
                                                   const QueueState& state, Instant now);

/// Ok when the jobs of the queue can start one after the other, as far as they wait for each other.
/// Asked before a job is entered, and its conditions are refused. Dependencies that are met already
/// do not count; those of which one is enough all do. Errors: those of eligible_jobs() for jobs,
/// conditions and records. InvalidArgument for a cycle, with all its owners in order, from the
/// first in the queue on. A cycle may also lead over a name or an array. Complexity: that of
/// eligible_jobs().
[[nodiscard]] Status check_cycles(std::span<const QueuedJob> queue, const QueueState& state);

}  // namespace trestle
