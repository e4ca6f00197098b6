// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/start_conditions.hpp"

#include "trestle/base/status.hpp"

namespace trestle {

Status check(const StartConditions& conditions) {
    for (const Dependency& one : conditions.dependencies) {
        const bool is_singleton = one.kind == Dependency::Kind::singleton;
        const char* expected = nullptr;
        const bool has_jobs = !one.jobs.empty() || one.array;
        if (!is_singleton && !has_jobs) expected = "one job or more, or an array";
        if (is_singleton && conditions.name.empty()) expected = "a name that it goes by";
        if (is_singleton && (has_jobs || !one.delay.is_zero())) {
            expected = "neither jobs nor a delay";
        }
        if (expected == nullptr) continue;
        return invalid_argument("owner {}: {}: expected {}", conditions.owner.value(),
                                to_text(one.kind), expected);
    }
    return {};
}

Status check(const QueueState::Array& conditions) {
    if (!conditions.at_once_max.is_zero()) return {};
    return invalid_argument("array {}: 0 tasks at once: expected 1 or more",
                            conditions.array.value());
}

Status check(const JobRecord& record) {
    const auto wrong = [&](const char* expected) {
        return invalid_argument("owner {}: {}: expected {}", record.owner.value(),
                                to_text(record.phase), expected);
    };
    const bool runs = record.phase == JobRecord::Phase::running;
    if (runs == record.ended.has_value()) return wrong(runs ? "no end" : "the moment of its end");
    if (!record.started && (runs || record.phase == JobRecord::Phase::completed)) {
        return wrong("the moment of its start");
    }
    if (record.started && record.ended && *record.ended < *record.started) {
        return wrong("an end that is not before the start");
    }
    return {};
}

}  // namespace trestle
