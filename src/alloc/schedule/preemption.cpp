// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/preemption.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alloc/cluster/kept_allocation.hpp"
#include "alloc/schedule/detail/preemption_search.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace {

/// The lowest of the owners that stand twice, or nothing.
std::optional<OwnerId> first_that_stands_twice(std::span<const PreemptionPlan::Victim> victims) {
    const auto is_not_above = [](const auto& before, const auto& one) {
        return one.owner <= before.owner;
    };
    if (std::adjacent_find(victims.begin(), victims.end(), is_not_above) == victims.end()) {
        return std::nullopt;
    }
    std::vector<OwnerId> owners;
    owners.reserve(victims.size());
    for (const PreemptionPlan::Victim& one : victims) owners.push_back(one.owner);
    std::sort(owners.begin(), owners.end());
    const auto twice = std::adjacent_find(owners.begin(), owners.end());
    return twice == owners.end() ? std::nullopt : std::optional(*twice);
}

/// What the victims have, when each has something, stands once, and costs can be added up.
StatusOr<std::vector<const Allocation*>> find_victims(
    const Cluster& cluster, std::span<const PreemptionPlan::Victim> victims,
    const PreemptionRules& rules) {
    if (rules.cost_max && *rules.cost_max < 0) {
        return invalid_argument("cost_max {}, expected 0 or more", *rules.cost_max);
    }
    std::int64_t sum = 0;
    detail::AllocationFinder allocations(cluster);
    std::vector<const Allocation*> held;
    held.reserve(victims.size());
    for (const PreemptionPlan::Victim& one : victims) {
        held.push_back(allocations.find(one.owner));
        if (held.back() == nullptr) return not_found("victim {} has nothing", one.owner.value());
        if (one.cost < 0) {
            return invalid_argument("victim {} costs {}, expected 0 or more", one.owner.value(),
                                    one.cost);
        }
        if (__builtin_add_overflow(sum, one.cost, &sum)) {
            return invalid_argument("with victim {} the costs exceed 63 bits", one.owner.value());
        }
    }
    if (const auto twice = first_that_stands_twice(victims)) {
        return invalid_argument("victim {} stands twice", twice->value());
    }
    return held;
}

}  // namespace

Verdict<PreemptionPlan> plan_preemption(const Cluster& cluster, const PreparedRequest& request,
                                        std::span<const PreemptionPlan::Victim> victims,
                                        const PreemptionRules& rules, const PlaceOptions& options,
                                        const NodeFilter& filter) {
    const Cluster asked = cluster;  // what the filter calls may change the caller's
    const auto held = find_victims(asked, victims, rules);
    if (!held.ok()) return Refusal{Constraint::invalid, std::string(message(held.status()))};
    return detail::PreemptionSearch(asked, request, victims, *held, rules, options, filter).run();
}

}  // namespace trestle
