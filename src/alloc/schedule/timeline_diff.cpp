// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/timeline_diff.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace trestle {

TimelineDiff diff(const Timeline& before, const Timeline& after) {
    TimelineDiff all;
    all.cluster = diff(before.cluster(), after.cluster());
    if (before.now() != after.now()) all.now.emplace(before.now(), after.now());
    std::vector<OwnerId> owners;
    before.for_each_different_owner(after, [&](OwnerId owner) { owners.push_back(owner); });
    std::sort(owners.begin(), owners.end());
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    const auto of = [](const Timeline& timeline, OwnerId owner) -> std::optional<TimedAllocation> {
        const auto period = timeline.period_of(owner);
        if (!period) return std::nullopt;
        return TimedAllocation{*timeline.find_allocation(owner), *period};
    };
    for (const OwnerId owner : owners) {
        Change<OwnerId, TimedAllocation> change{owner, of(before, owner), of(after, owner)};
        if (change.before != change.after) all.reservations.push_back(std::move(change));
    }
    return all;
}

}  // namespace trestle
