// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitScore: the order of fit() as a value, and what of it follows from the devices alone.
//
// Layer: alloc, internal to fit. Main types: FitScore, LinkScore. The order itself is described at
// fit(); the members stand in the same order.
// A reader would get wrong: counts of devices are not here, because the search tries them in order
// of preference and stops at the first that fits.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/fit/detail/core_choice.hpp"
#include "trestle/alloc/fit/detail/device_search.hpp"
#include "trestle/alloc/fit/detail/fit_problem.hpp"
#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/alloc/fit/slices.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

/// What links make of a pick; more is better.
struct LinkScore {
    std::uint64_t inside = 0;     ///< sum between chosen devices
    std::uint32_t weakest = 0;    ///< between two chosen devices of one name
    std::uint64_t remaining = 0;  ///< sum between untouched devices that stay so

    friend auto operator<=>(const LinkScore&, const LinkScore&) = default;
};

[[nodiscard]] inline LinkScore score_links(const FitProblem& problem, const FreeState& state,
                                           const DevicePick& pick) {
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

/// Entries on devices that warn.
[[nodiscard]] inline std::uint32_t count_warnings(const FitProblem& problem,
                                                  const DevicePick& pick) {
    if (problem.options().warning != WarningUse::last) return 0;
    return static_cast<std::uint32_t>(
        std::count_if(pick.entries.begin(), pick.entries.end(), [&](const PickEntry& entry) {
            return problem.shape().devices[entry.device.value()].health == Health::warning;
        }));
}

[[nodiscard]] inline bool share_a_switch(const Device& a, const Device& b) {
    return std::any_of(a.switches.begin(), a.switches.end(), [&](std::uint32_t one) {
        return std::find(b.switches.begin(), b.switches.end(), one) != b.switches.end();
    });
}

/// Entries that are to lie near devices of earlier demands and do not; nothing when one is required
/// to.
[[nodiscard]] inline std::optional<std::uint32_t> count_far_devices(const FitProblem& problem,
                                                                    const DevicePick& pick) {
    const std::vector<Device>& devices = problem.shape().devices;
    std::uint32_t far = 0;
    for (const PickEntry& entry : pick.entries) {
        const Locality wish = problem.demand().devices[entry.demand].request.device_locality;
        if (entry.demand == 0 || wish == Locality::ignore) continue;
        const bool is_near =
            std::any_of(pick.entries.begin(), pick.entries.end(), [&](const PickEntry& other) {
                return other.demand < entry.demand &&
                       share_a_switch(devices[entry.device.value()], devices[other.device.value()]);
            });
        if (is_near) continue;
        if (wish == Locality::require) return std::nullopt;
        ++far;
    }
    return far;
}

/// Untouched devices that would be given in part.
[[nodiscard]] inline std::uint32_t count_opened(const FitProblem& problem, const FreeState& state,
                                                const DevicePick& pick) {
    DeviceSet opened;
    for (const PickEntry& entry : pick.entries) {
        const Device& device = problem.shape().devices[entry.device.value()];
        const bool is_part = entry.slice.has_value() || entry.shares < device.shares;
        if (is_part && state.is_untouched(entry.device, device)) opened.insert(entry.device);
    }
    return opened.count();
}

/// Less is better, except for slice_gain and links, first member first.
struct FitScore {
    std::uint32_t warnings = 0;
    std::uint64_t far_pairs = 0;
    std::uint32_t far_devices = 0;
    Bytes far_memory;
    std::uint32_t groups = 0;
    std::uint32_t opened = 0;
    std::uint32_t slice_changes = 0;
    SlicePotential slice_gain{};
    LinkScore links{};
    DeviceSet devices;
    CoreSet cores;
    std::vector<PickEntry> entries;

    /// What is settled before links are looked at.
    [[nodiscard]] auto costs() const {
        return std::tie(warnings, far_pairs, far_devices, far_memory, groups, opened,
                        slice_changes);
    }
    [[nodiscard]] bool beats(const FitScore& other) const {
        if (costs() != other.costs()) return costs() < other.costs();
        if (slice_gain != other.slice_gain) return slice_gain > other.slice_gain;
        if (links != other.links) return links > other.links;
        const auto names = [](const FitScore& s) { return std::tie(s.devices, s.cores); };
        if (names(*this) != names(other)) return names(*this) < names(other);
        return by_demand() < other.by_demand();
    }

  private:
    /// The devices of the first demand, of the second, ...; then the starts.
    [[nodiscard]] std::pair<std::vector<std::vector<DeviceId>>, std::vector<std::uint32_t>>
    by_demand() const {
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
};

}  // namespace trestle::detail
