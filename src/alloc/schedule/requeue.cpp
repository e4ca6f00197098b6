// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/requeue.hpp"

#include <algorithm>

#include "trestle/base/status.hpp"

namespace trestle {

StatusOr<JobTerms> requeued(JobTerms terms, const JobRecord& record, const RequeueRules& rules) {
    TRESTLE_TRY_STATUS(check(terms));
    TRESTLE_TRY_STATUS(check(record));
    if (terms.owner != record.owner) {
        return invalid_argument("terms of owner {}, record of owner {}: expected one owner",
                                terms.owner.value(), record.owner.value());
    }
    if (!record.ended) return failed_precondition("owner {} still runs", terms.owner.value());
    const Instant begin = saturating_add(*record.ended, Instant(rules.delay.value()));
    terms.begin = std::max(begin, terms.begin.value_or(begin));
    terms.requeues = saturating_add(terms.requeues, Count(1));
    terms.is_held |= rules.requeues_max && *rules.requeues_max < terms.requeues;
    return terms;
}

}  // namespace trestle
