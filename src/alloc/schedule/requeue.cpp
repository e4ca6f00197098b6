// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/requeue.hpp"

#include <algorithm>

#include "trestle/base/status.hpp"

namespace trestle {

StatusOr<StartConditions> requeued(StartConditions conditions, const JobRecord& record,
                                   const RequeueRules& rules) {
    TRESTLE_TRY_STATUS(check(conditions));
    TRESTLE_TRY_STATUS(check(record));
    if (conditions.owner != record.owner) {
        return invalid_argument("conditions of owner {}, record of owner {}: expected one owner",
                                conditions.owner.value(), record.owner.value());
    }
    if (!record.ended) return failed_precondition("owner {} still runs", conditions.owner.value());
    const Instant begin = saturating_add(*record.ended, Instant(rules.delay.value()));
    conditions.begin = std::max(begin, conditions.begin.value_or(begin));
    conditions.requeues = saturating_add(conditions.requeues, Count(1));
    conditions.is_held |= rules.requeues_max && *rules.requeues_max < conditions.requeues;
    return conditions;
}

}  // namespace trestle
