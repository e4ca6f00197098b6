// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/ended_set.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace trestle {

namespace detail {

EndedSet::EndedSet(std::span<const PreemptionPlan::Victim> victims, Positions some)
    : positions(std::move(some)) {
    std::sort(positions.begin(), positions.end());
    for (const std::size_t one : positions) cost += victims[one].cost;
}

void EndedSet::insert(std::size_t position, std::int64_t its_cost) {
    positions.insert(std::lower_bound(positions.begin(), positions.end(), position), position);
    cost += its_cost;
}

void EndedSet::erase(std::size_t position, std::int64_t its_cost) {
    positions.erase(std::lower_bound(positions.begin(), positions.end(), position));
    cost -= its_cost;
}

void sort_by_cost(Positions& positions, std::span<const PreemptionPlan::Victim> victims) {
    std::sort(positions.begin(), positions.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(victims[a].cost, a) < std::pair(victims[b].cost, b);
    });
}

EndLimits::EndLimits(const PreemptionRules& rules) {
    if (rules.cost_max) cost_max = *rules.cost_max;
    if (rules.victims_max) victims_max = static_cast<std::size_t>(rules.victims_max->value());
}

bool Trials::spend(std::uint64_t things) {
    const std::uint64_t price = 1 + things / things_a_trial;
    is_over_ |= left_ < price;
    if (!is_over_) left_ -= price;
    return !is_over_;
}

}  // namespace detail

}  // namespace trestle
