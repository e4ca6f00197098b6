// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the terms of one job say: met from a moment on, to be waited for, or never.
//
// Layer: alloc (detail). Main type: Finding; main functions: finding_of, one dependency; combined,
// all of a job's; words_of.
// A reader would get wrong: a job in the queue may still end in any way, also one that can never
// start itself: it may be cancelled. So never does not pass on from job to job.

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

struct Finding {
    Answer answer = Answer::met;
    Instant from;  ///< where it is met: from when on
    const Dependency* dependency = nullptr;
    OwnerId who;  ///< because of whom
};

/// What a dependency on other jobs says. Requires: it is not singleton, and has jobs.
[[nodiscard]] inline Finding finding_of(const Dependency& dependency, const KnownJobs& jobs) {
    const bool is_ok = dependency.kind == DependencyKind::afterok;
    const bool is_notok = dependency.kind == DependencyKind::afternotok;
    Finding finding{Answer::met, {}, &dependency, dependency.jobs.front()};
    bool has_bad_end = false;
    const auto turn = [&](Answer answer, OwnerId who) {
        if (answer <= finding.answer) return;
        finding.answer = answer;
        finding.who = who;
    };
    for (const OwnerId owner : dependency.jobs) {
        const KnownJob known = jobs.find(owner);
        if (known.record == nullptr) {
            if (known.position) turn(Answer::waits, owner);
            has_bad_end |= !known.position;  // it has gone, and gives way
            continue;
        }
        const JobRecord& record = *known.record;
        const bool counts_start = dependency.kind == DependencyKind::after && record.started;
        if (!counts_start && !record.ended) {
            turn(Answer::waits, owner);
            continue;
        }
        const bool is_good = record.phase == JobPhase::completed;
        has_bad_end |= !is_good;
        if (is_ok && !is_good) turn(Answer::never, owner);
        const Instant since = counts_start ? *record.started : *record.ended;
        const Instant from = saturating_add(since, Instant(dependency.delay.value()));
        if (finding.from < from) {
            finding.from = from;
            if (finding.answer == Answer::met) finding.who = owner;
        }
    }
    if (is_notok && !has_bad_end && finding.answer == Answer::met) finding.answer = Answer::never;
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
