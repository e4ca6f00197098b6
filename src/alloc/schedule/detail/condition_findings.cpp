// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/condition_findings.hpp"

#include <string>
#include <string_view>

#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

void Outcome::add(OwnerId owner, const KnownJob& known, Dependency::Kind kind) {
    if (!first) first = owner;
    if (known.record == nullptr) {
        if (known.position) turn(Answer::waits, owner);
        has_bad_end |= !known.position;  // it is gone, so it blocks nothing
        return;
    }
    const JobRecord& record = *known.record;
    const bool counts_start = kind == Dependency::Kind::after && record.started;
    if (!counts_start && !record.ended) return turn(Answer::waits, owner);
    const bool is_good = record.phase == JobRecord::Phase::completed;
    has_bad_end |= !is_good;
    if (kind == Dependency::Kind::afterok && !is_good) turn(Answer::never, owner);
    be_last(owner, counts_start ? *record.started : *record.ended);
}

void Outcome::add(const Outcome& other) {
    if (!first) first = other.first;
    if (other.who) turn(other.answer, *other.who);
    if (other.last) be_last(*other.last, other.last_at);
    has_bad_end |= other.has_bad_end;
}

void Outcome::turn(Answer to, OwnerId because_of) {
    if (to <= answer) return;
    answer = to;
    who = because_of;
}

void Outcome::be_last(OwnerId owner, Instant at) {
    if (last && at <= last_at) return;
    last = owner;
    last_at = at;
}

Finding finding_of(const Dependency& dependency, const Outcome& outcome) {
    Finding finding{outcome.answer, {}, &dependency, outcome.who.value_or(OwnerId())};
    if (outcome.answer != Answer::met || !outcome.first) return finding;
    finding.who = outcome.last.value_or(*outcome.first);
    if (outcome.last) {
        finding.from = saturating_add(outcome.last_at, Instant(dependency.delay.value()));
    }
    if (dependency.kind == Dependency::Kind::afternotok && !outcome.has_bad_end) {
        finding.answer = Answer::never;
        finding.who = *outcome.first;
    }
    return finding;
}

Finding combined(const Finding& a, const Finding& b, bool is_any_of) {
    if (a.answer != b.answer) return (a.answer < b.answer) == is_any_of ? a : b;
    if (a.answer != Answer::met || a.from == b.from) return a;
    return (a.from < b.from) == is_any_of ? a : b;
}

std::string words_of(const Finding& finding, const KnownJobs& jobs) {
    const std::string kind(to_text(finding.dependency->kind));
    if (finding.answer == Answer::met) {
        return fmt::format("{} of owner {}: not before {}", kind, finding.who, finding.from);
    }
    const KnownJob who = jobs.find(finding.who);
    const bool is_singleton = finding.dependency->kind == Dependency::Kind::singleton;
    std::string_view does = is_singleton ? "stands before it" : "waits itself";
    if (who.runs()) does = "runs";
    if (finding.answer == Answer::never) {
        using enum JobRecord::Phase;
        const JobRecord::Phase phase = who.record->phase;
        does = phase == completed ? "ended well" : phase == failed ? "failed" : "was cancelled";
    }
    return fmt::format("{} of owner {}, which {}", kind, finding.who, does);
}

}  // namespace detail

}  // namespace trestle
