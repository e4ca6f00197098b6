// SPDX-License-Identifier: Apache-2.0
#pragma once

// KnownJobs: everything about an owner in one place, after it was checked.
//
// Layer: alloc (detail). Main types: KnownJob, KnownJobs. What stands in several lists, by owner,
// stands together here.
// A reader would get wrong: somebody of whom there are nothing but terms has gone, as has a
// stranger. It points into the lists, which have to outlive it.

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>

#include "trestle/alloc/queue/terms.hpp"
#include "trestle/alloc/time/schedule_pass.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

struct KnownJob {
    std::optional<std::size_t> position;  ///< in the queue
    const JobRecord* record = nullptr;    ///< null for who is in the queue, and for who has gone
    const JobTerms* terms = nullptr;

    [[nodiscard]] bool runs() const {
        return record != nullptr && record->phase == JobPhase::running;
    }
};

class KnownJobs {
  public:
    /// Errors: those of eligible_jobs(), but for cycles.
    [[nodiscard]] static StatusOr<KnownJobs> create(std::span<const QueuedJob> queue,
                                                    const QueueState& state, Instant now) {
        KnownJobs jobs;
        jobs.by_owner_.reserve(queue.size() + state.records.size());
        TRESTLE_TRY_STATUS(jobs.add(queue));
        for (const JobRecord& one : state.records) TRESTLE_TRY_STATUS(jobs.add(one, now));
        for (const JobTerms& one : state.terms) TRESTLE_TRY_STATUS(jobs.add(one));
        return jobs;
    }

    /// Requires: the owner is in the queue or has a record or terms.
    [[nodiscard]] const KnownJob& at(OwnerId owner) const { return by_owner_.find(owner)->second; }
    /// Nothing known for a stranger.
    [[nodiscard]] KnownJob find(OwnerId owner) const {
        const auto found = by_owner_.find(owner);
        return found == by_owner_.end() ? KnownJob{} : found->second;
    }

  private:
    [[nodiscard]] Status add(std::span<const QueuedJob> queue) {
        for (std::size_t i = 0; i < queue.size(); ++i) {
            KnownJob& known = by_owner_[queue[i].owner];
            if (known.position) {
                return failed_precondition("owner {} stands twice in the queue",
                                           queue[i].owner.value());
            }
            known.position = i;
        }
        return {};
    }
    [[nodiscard]] Status add(const JobRecord& record, Instant now) {
        TRESTLE_TRY_STATUS(check(record));
        const Instant latest = record.ended ? *record.ended : *record.started;
        if (now < latest) {
            return invalid_argument("owner {}: {} at {}: expected by now, {}", record.owner.value(),
                                    to_text(record.phase), latest.value(), now.value());
        }
        KnownJob& known = by_owner_[record.owner];
        if (known.position || known.record != nullptr) {
            return failed_precondition("owner {}: {}, but it {}", record.owner.value(),
                                       to_text(record.phase),
                                       known.position ? "stands in the queue" : "has a record");
        }
        known.record = &record;
        return {};
    }
    [[nodiscard]] Status add(const JobTerms& terms) {
        TRESTLE_TRY_STATUS(check(terms));
        KnownJob& known = by_owner_[terms.owner];
        if (known.terms != nullptr) {
            return failed_precondition("owner {} has terms twice", terms.owner.value());
        }
        known.terms = &terms;
        return {};
    }

    std::unordered_map<OwnerId, KnownJob> by_owner_;
};

}  // namespace trestle::detail
