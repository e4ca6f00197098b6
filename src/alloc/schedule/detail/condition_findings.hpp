// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the conditions of one job say: met from a moment on, to be waited for, or never.
//
// Layer: alloc (detail). Main types: Outcome, of jobs that are waited for together; Finding; main
// functions: finding_of, one dependency; combined, all of a job's; words_of.
// Pitfall: a job in the queue may still end in any way, also one that can never start itself: it
// may be cancelled. So never does not pass on from job to job.

#include <optional>
#include <string>

#include "alloc/schedule/detail/known_jobs.hpp"
#include "trestle/alloc/schedule/start_conditions.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

/// What a dependency says. By how bad it is.
enum class Answer { met, waits, never };

/// What became of jobs that are waited for together, in view of one kind of dependency.
struct Outcome {
    Answer answer = Answer::met;
    std::optional<OwnerId> who;    ///< the owner that it waits for, unless it is met
    std::optional<OwnerId> first;  ///< of all
    std::optional<OwnerId> last;   ///< whose start or end was the last
    Instant last_at;               ///< when
    bool has_bad_end = false;      ///< one failed, was cancelled, or has gone

    void add(OwnerId owner, const KnownJob& known, Dependency::Kind kind);
    void add(const Outcome& other);

  private:
    void turn(Answer to, OwnerId because_of);
    void be_last(OwnerId owner, Instant at);
};

struct Finding {
    Answer answer = Answer::met;
    Instant from;  ///< where it is met: from when on
    const Dependency* dependency = nullptr;
    OwnerId who;  ///< the owner that it waits for
};

/// What a dependency on other jobs says, of which that is the outcome. Requires: it is not
/// singleton.
[[nodiscard]] Finding finding_of(const Dependency& dependency, const Outcome& outcome);

/// Both of two findings, or one of them: the first where they say the same.
[[nodiscard]] Finding combined(const Finding& a, const Finding& b, bool is_any_of);

/// Why a job does not start now: `afterok of owner 5, which runs`.
[[nodiscard]] std::string words_of(const Finding& finding, const KnownJobs& jobs);

}  // namespace trestle::detail
