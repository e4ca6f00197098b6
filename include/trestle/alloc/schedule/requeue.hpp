// SPDX-License-Identifier: Apache-2.0
#pragma once

// requeued: the conditions on which a job that has ended goes back into the queue.
//
// Layer: alloc. Main function: requeued(conditions, record, rules); main type: RequeueRules. The
// caller decides which jobs are requeued, drops the record and puts the job into the queue again.
// Pitfall: dependencies stay, and are checked anew. Jobs that depend on the requeued job wait for
// its next end.

#include <optional>

#include "trestle/alloc/schedule/start_conditions.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// When a job that was put back starts again.
struct RequeueRules {
    Seconds delay;                      ///< from its end on
    std::optional<Count> requeues_max;  ///< a job that comes back more often is held; absent: none

    static constexpr auto fields(auto list) {
        return list(field("delay", &RequeueRules::delay),
                    field("requeues_max", &RequeueRules::requeues_max));
    }
    friend bool operator==(const RequeueRules&, const RequeueRules&) = default;
};

/// The conditions of the job's next start: not before the delay has passed, and held where it has
/// come back too often. Errors: those of check() for both; InvalidArgument when they are not of one
/// owner; FailedPrecondition when the job still runs.
[[nodiscard]] StatusOr<StartConditions> requeued(StartConditions conditions,
                                                 const JobRecord& record,
                                                 const RequeueRules& rules = {});

}  // namespace trestle
