// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/known_jobs.hpp"

#include <cstddef>
#include <span>

#include "trestle/base/status.hpp"

namespace trestle {

namespace detail {

StatusOr<KnownJobs> KnownJobs::create(std::span<const QueuedJob> queue, const QueueState& state,
                                      Instant now) {
    KnownJobs jobs;
    jobs.by_owner_.reserve(queue.size() + state.records.size());
    TRESTLE_TRY_STATUS(jobs.add(queue));
    for (const JobRecord& one : state.records) TRESTLE_TRY_STATUS(jobs.add(one, now));
    for (const StartConditions& one : state.conditions) TRESTLE_TRY_STATUS(jobs.add(one));
    return jobs;
}

KnownJob KnownJobs::find(OwnerId owner) const {
    const auto found = by_owner_.find(owner);
    return found == by_owner_.end() ? KnownJob{} : found->second;
}

Status KnownJobs::add(std::span<const QueuedJob> queue) {
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

Status KnownJobs::add(const JobRecord& record, Instant now) {
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

Status KnownJobs::add(const StartConditions& conditions) {
    TRESTLE_TRY_STATUS(check(conditions));
    KnownJob& known = by_owner_[conditions.owner];
    if (known.conditions != nullptr) {
        return failed_precondition("owner {} has conditions twice", conditions.owner.value());
    }
    known.conditions = &conditions;
    return {};
}

}  // namespace detail

}  // namespace trestle
