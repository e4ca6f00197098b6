// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/device_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace trestle {

namespace detail {

DeviceSearch::DeviceSearch(const FitProblem& problem, const FreeState& free,
                           const DeviceMatches& matches)
    : problem_(problem),
      state_(free),
      demands_(problem.demand().devices),
      slices_(problem, free, matches) {
    for (std::size_t i = 0; i < demands_.size(); ++i) {
        DeviceList giving;
        for (const DeviceId device : matches[i]) {
            if (can_give(device, i)) giving.push_back(device);
        }
        groups_.push_back(grouped(giving));
        candidates_.push_back(std::move(giving));
    }
}

std::int64_t DeviceSearch::available(std::size_t i) const {
    return wants_instances(i) ? slices_.available(i)
                              : static_cast<std::int64_t>(candidates_[i].size());
}

bool DeviceSearch::can_give(DeviceId device, std::size_t i) const {
    const DeviceRequest& request = demands_[i].request;
    const Count free = state_.shares[device.value()];
    if (wants_instances(i)) return false;
    if (request.shares.is_zero()) return free == shape_of(device).shares;
    return request.shares_per == Per::node ? !free.is_zero() : free >= request.shares;
}

std::vector<DeviceList> DeviceSearch::grouped(const DeviceList& devices) const {
    std::vector<DeviceList> groups;
    for (const DeviceId device : devices) {
        const auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
            return are_alike(group.front(), device);
        });
        if (at == groups.end()) {
            groups.push_back({device});
        } else {
            at->push_back(device);
        }
    }
    return groups;
}

bool DeviceSearch::are_alike(DeviceId a, DeviceId b) const {
    return problem_.class_of(a) == problem_.class_of(b) &&
           state_.shares[a.value()] == state_.shares[b.value()];
}

std::size_t DeviceSearch::left_from(std::size_t i, std::size_t g) const {
    std::size_t left = 0;
    for (; g < groups_[i].size(); ++g) {
        for (const DeviceId device : groups_[i][g]) {
            left += pick_.set.contains(device) ? 0U : 1U;
        }
    }
    return left;
}

bool DeviceSearch::may_leave_to_slices(DeviceId device, std::size_t i) const {
    return !slices_.demands().empty() && slices_.demands().front() < i &&
           shape_of(device).slicing.has_value();
}

void DeviceSearch::take(DeviceId device, std::size_t i) {
    const Count asked = demands_[i].request.shares;
    const Count shares = asked.is_zero() ? shape_of(device).shares : asked;
    pick_.entries.push_back({device, static_cast<std::uint32_t>(i), shares});
    pick_.set.insert(device);
}

void DeviceSearch::untake() {
    const DeviceId device = pick_.entries.back().device;
    pick_.entries.pop_back();
    pick_.set.erase(device);
}

bool DeviceSearch::settle_shares(std::size_t i) {
    std::vector<PickEntry*> mine;
    for (PickEntry& entry : pick_.entries) {
        if (entry.demand == i) mine.push_back(&entry);
    }
    std::sort(mine.begin(), mine.end(),
              [](const PickEntry* a, const PickEntry* b) { return a->device < b->device; });
    const Count asked = demands_[i].request.shares;
    const Count each(static_cast<std::int64_t>(mine.size()));
    if (mine.empty() || asked < each) return false;
    Count rest = asked - each;
    for (PickEntry* entry : mine) {
        const Count more = std::min(rest, state_.shares[entry->device.value()] - Count(1));
        entry->shares = Count(1) + more;
        rest -= more;
    }
    return rest.is_zero();
}

}  // namespace detail

}  // namespace trestle
