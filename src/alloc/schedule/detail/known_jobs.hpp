// SPDX-License-Identifier: Apache-2.0
#pragma once

// KnownJobs: everything about an owner in one place, after it was checked.
//
// Layer: alloc (detail). Main types: KnownJob, KnownJobs. What stands in several lists, by owner,
// stands together here.
// Pitfall: an owner of which only conditions are known counts as gone, as an unknown owner does. It
// points into the lists, which have to outlive it.

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>

#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/start_conditions.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

struct KnownJob {
    std::optional<std::size_t> position;  ///< in the queue
    const JobRecord* record = nullptr;  ///< null for jobs in the queue, and for jobs that are gone
    const StartConditions* conditions = nullptr;

    [[nodiscard]] bool runs() const {
        return record != nullptr && record->phase == JobRecord::Phase::running;
    }
};

class KnownJobs {
  public:
    /// Errors: those of eligible_jobs(), but for cycles.
    [[nodiscard]] static StatusOr<KnownJobs> create(std::span<const QueuedJob> queue,
                                                    const QueueState& state, Instant now);

    /// Requires: the owner is in the queue or has a record or conditions.
    [[nodiscard]] const KnownJob& at(OwnerId owner) const { return by_owner_.find(owner)->second; }
    /// Nothing known for a stranger.
    [[nodiscard]] KnownJob find(OwnerId owner) const;

  private:
    [[nodiscard]] Status add(std::span<const QueuedJob> queue);
    [[nodiscard]] Status add(const JobRecord& record, Instant now);
    [[nodiscard]] Status add(const StartConditions& conditions);

    std::unordered_map<OwnerId, KnownJob> by_owner_;
};

}  // namespace trestle::detail
