// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/fit_score.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace trestle {

namespace detail {

LinkScore score_links(const FitProblem& problem, const FreeState& state, const DevicePick& pick) {
    LinkScore score;
    if (!problem.has_links()) return score;
    const std::vector<Device>& devices = problem.shape().devices;
    const auto stays = [&](DeviceId device) {
        return is_usable(devices[device.value()]) && !pick.set.contains(device) &&
               state.is_untouched(device, devices[device.value()]);
    };
    for (const DeviceLink& link : problem.shape().links) {
        if (pick.set.contains(link.a) && pick.set.contains(link.b)) {
            score.inside += link.strength;
        } else if (stays(link.a) && stays(link.b)) {
            score.remaining += link.strength;
        }
    }
    std::optional<std::uint32_t> weakest;
    for (const DeviceId a : pick.set) {
        for (const DeviceId b : pick.set) {
            if (!(a < b) || devices[a.value()].name != devices[b.value()].name) continue;
            weakest = std::min(weakest.value_or(problem.link(a, b)), problem.link(a, b));
        }
    }
    score.weakest = weakest.value_or(0);
    return score;
}

std::uint32_t count_warnings(const FitProblem& problem, const DevicePick& pick) {
    if (problem.options().warning != FitOptions::WarningUse::last) return 0;
    return static_cast<std::uint32_t>(
        std::count_if(pick.entries.begin(), pick.entries.end(), [&](const PickEntry& entry) {
            return problem.shape().devices[entry.device.value()].health == Health::warning;
        }));
}

bool share_a_switch(const Device& a, const Device& b) {
    return std::any_of(a.switches.begin(), a.switches.end(), [&](std::uint32_t one) {
        return std::find(b.switches.begin(), b.switches.end(), one) != b.switches.end();
    });
}

std::optional<std::uint32_t> count_far_devices(const FitProblem& problem, const DevicePick& pick) {
    const std::vector<Device>& devices = problem.shape().devices;
    std::uint32_t far = 0;
    for (const PickEntry& entry : pick.entries) {
        const Strictness wish = problem.demand().devices[entry.demand].request.device_locality;
        if (entry.demand == 0 || wish == Strictness::ignore) continue;
        const bool is_near =
            std::any_of(pick.entries.begin(), pick.entries.end(), [&](const PickEntry& other) {
                return other.demand < entry.demand &&
                       share_a_switch(devices[entry.device.value()], devices[other.device.value()]);
            });
        if (is_near) continue;
        if (wish == Strictness::require) return std::nullopt;
        ++far;
    }
    return far;
}

std::uint32_t count_opened(const FitProblem& problem, const FreeState& state,
                           const DevicePick& pick) {
    DeviceSet opened;
    for (const PickEntry& entry : pick.entries) {
        const Device& device = problem.shape().devices[entry.device.value()];
        const bool is_part = entry.slice.has_value() || entry.shares < device.shares;
        if (is_part && state.is_untouched(entry.device, device)) opened.insert(entry.device);
    }
    return opened.count();
}

bool FitScore::beats(const FitScore& other) const {
    if (costs() != other.costs()) return costs() < other.costs();
    if (slice_gain != other.slice_gain) return slice_gain > other.slice_gain;
    if (links != other.links) return links > other.links;
    const auto names = [](const FitScore& s) { return std::tie(s.devices, s.cores); };
    if (names(*this) != names(other)) return names(*this) < names(other);
    return by_demand() < other.by_demand();
}

std::pair<std::vector<std::vector<DeviceId>>, std::vector<std::uint32_t>> FitScore::by_demand()
    const {
    std::vector<PickEntry> order = entries;
    std::sort(order.begin(), order.end());
    std::vector<std::vector<DeviceId>> demands;
    std::vector<std::uint32_t> starts;
    for (const PickEntry& entry : order) {
        if (demands.size() <= entry.demand) demands.resize(entry.demand + 1);
        demands[entry.demand].push_back(entry.device);
        starts.push_back(entry.slice ? entry.slice->start : 0);
    }
    return {std::move(demands), std::move(starts)};
}

}  // namespace detail

}  // namespace trestle
