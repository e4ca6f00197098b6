// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/preemption.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "alloc/schedule/detail/preemption_search.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace {

/// What the victims have, when each has something, stands once, and costs can be added up.
StatusOr<std::vector<const Allocation*>> find_victims(
    const Cluster& cluster, std::span<const PreemptionPlan::Victim> victims,
    const PreemptionRules& rules) {
    if (rules.cost_max && *rules.cost_max < 0) {
        return invalid_argument("cost_max {}, expected 0 or more", *rules.cost_max);
    }
    std::int64_t sum = 0;
    std::vector<OwnerId> owners;
    owners.reserve(victims.size());
    std::vector<const Allocation*> held;
    held.reserve(victims.size());
    for (const PreemptionPlan::Victim& one : victims) {
        held.push_back(cluster.find_allocation(one.owner));
        if (held.back() == nullptr) return not_found("victim {} has nothing", one.owner.value());
        if (one.cost < 0) {
            return invalid_argument("victim {} costs {}, expected 0 or more", one.owner.value(),
                                    one.cost);
        }
        if (__builtin_add_overflow(sum, one.cost, &sum)) {
            return invalid_argument("with victim {} the costs exceed 63 bits", one.owner.value());
        }
        owners.push_back(one.owner);
    }
    if (!std::is_sorted(owners.begin(), owners.end())) std::sort(owners.begin(), owners.end());
    const auto twice = std::adjacent_find(owners.begin(), owners.end());
    if (twice == owners.end()) return held;
    return invalid_argument("victim {} stands twice", twice->value());
}

}  // namespace

Verdict<PreemptionPlan> plan_preemption(const Cluster& cluster, const PreparedRequest& request,
                                        std::span<const PreemptionPlan::Victim> victims,
                                        const PreemptionRules& rules, const PlaceOptions& options,
                                        const NodeFilter& filter) {
    const auto held = find_victims(cluster, victims, rules);
    if (!held.ok()) return Refusal{Constraint::invalid, std::string(message(held.status()))};
    return detail::PreemptionSearch(cluster, request, victims, *held, rules, options, filter).run();
}

}  // namespace trestle
