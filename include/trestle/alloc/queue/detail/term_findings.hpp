// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the terms of one job say: met from a moment on, to be waited for, or never.
//
// Layer: alloc (detail). Main types: Outcome, of jobs that are waited for together; Finding; main
// functions: finding_of, one dependency; combined, all of a job's; words_of.
// A reader would get wrong: a job in the queue may still end in any way, also one that can never
// start itself: it may be cancelled. So never does not pass on from job to job.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "trestle/alloc/queue/detail/known_jobs.hpp"
#include "trestle/alloc/queue/terms.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

/// What a dependency says. By how bad it is.
enum class Answer { met, waits, never };

/// What became of jobs that are waited for together, in view of one kind of dependency.
struct Outcome {
    Answer answer = Answer::met;
    std::optional<OwnerId> who;    ///< because of whom, unless it is met
    std::optional<OwnerId> first;  ///< of all
    std::optional<OwnerId> last;   ///< whose start or end was the last
    Instant last_at;               ///< when
    bool has_bad_end = false;      ///< one failed, was cancelled, or has gone

    void add(OwnerId owner, const KnownJob& known, DependencyKind kind) {
        if (!first) first = owner;
        if (known.record == nullptr) {
            if (known.position) turn(Answer::waits, owner);
            has_bad_end |= !known.position;  // it has gone, and gives way
            return;
        }
        const JobRecord& record = *known.record;
        const bool counts_start = kind == DependencyKind::after && record.started;
        if (!counts_start && !record.ended) return turn(Answer::waits, owner);
        const bool is_good = record.phase == JobPhase::completed;
        has_bad_end |= !is_good;
        if (kind == DependencyKind::afterok && !is_good) turn(Answer::never, owner);
        be_last(owner, counts_start ? *record.started : *record.ended);
    }
    void add(const Outcome& other) {
        if (!first) first = other.first;
        if (other.who) turn(other.answer, *other.who);
        if (other.last) be_last(*other.last, other.last_at);
        has_bad_end |= other.has_bad_end;
    }

  private:
    void turn(Answer to, OwnerId because_of) {
        if (to <= answer) return;
        answer = to;
        who = because_of;
    }
    void be_last(OwnerId owner, Instant at) {
        if (last && at <= last_at) return;
        last = owner;
        last_at = at;
    }
};

struct Finding {
    Answer answer = Answer::met;
    Instant from;  ///< where it is met: from when on
    const Dependency* dependency = nullptr;
    OwnerId who;  ///< because of whom
};

/// What a dependency on other jobs says, of which that is the outcome. Requires: it is not
/// singleton.
[[nodiscard]] inline Finding finding_of(const Dependency& dependency, const Outcome& outcome) {
    Finding finding{outcome.answer, {}, &dependency, outcome.who.value_or(OwnerId())};
    if (outcome.answer != Answer::met || !outcome.first) return finding;
    finding.who = outcome.last.value_or(*outcome.first);
    if (outcome.last) {
        finding.from = saturating_add(outcome.last_at, Instant(dependency.delay.value()));
    }
    if (dependency.kind == DependencyKind::afternotok && !outcome.has_bad_end) {
        finding.answer = Answer::never;
        finding.who = *outcome.first;
    }
    return finding;
}

/// Both of two findings, or one of them: the first where they say the same.
[[nodiscard]] inline Finding combined(const Finding& a, const Finding& b, bool is_any_of) {
    if (a.answer != b.answer) return (a.answer < b.answer) == is_any_of ? a : b;
    if (a.answer != Answer::met || a.from == b.from) return a;
    return (a.from < b.from) == is_any_of ? a : b;
}

/// Why a job does not start now: `afterok of owner 5, which runs`.
[[nodiscard]] inline std::string words_of(const Finding& finding, const KnownJobs& jobs) {
    const std::string kind(to_text(finding.dependency->kind));
    if (finding.answer == Answer::met) {
        return fmt::format("{} of owner {}: not before {}", kind, finding.who, finding.from);
    }
    const KnownJob who = jobs.find(finding.who);
    const bool is_singleton = finding.dependency->kind == DependencyKind::singleton;
    std::string_view does = is_singleton ? "stands before it" : "waits itself";
    if (who.runs()) does = "runs";
    if (finding.answer == Answer::never) {
        using enum JobPhase;
        const JobPhase phase = who.record->phase;
        does = phase == completed ? "ended well" : phase == failed ? "failed" : "was cancelled";
    }
    return fmt::format("{} of owner {}, which {}", kind, finding.who, does);
}

}  // namespace trestle::detail
