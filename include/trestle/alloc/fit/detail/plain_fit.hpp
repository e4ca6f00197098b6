// SPDX-License-Identifier: Apache-2.0
#pragma once

// The answer for a plain demand: no cores, and devices that nothing but what is free of them tells
// apart. There is nothing to search then.
//
// Layer: alloc, internal to fit. Main function: fit_plain(problem, state); see
// FitProblem::is_plain. Replays of container traces ask little else, a million times.
// A reader would get wrong: it is the order at fit(), not another one, and it does not say why
// nothing fits; FitSearch does.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "trestle/alloc/fit/detail/fit_problem.hpp"
#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

/// The devices for the one demand; nothing when there are too few. Those without a warning first,
/// then those that need not be opened, then the lowest.
[[nodiscard]] inline std::optional<DeviceSet> plain_devices(const FitProblem& problem,
                                                            const FreeState& state) {
    const DeviceDemand& demand = problem.demand().devices.front();
    const Count asked = demand.request.shares;
    const bool counts_warnings = problem.options().warning == WarningUse::last;
    std::array<DeviceSet, 4> ranks;
    std::uint32_t available = 0;
    for (const DeviceId id : problem.matches(0)) {
        const Device& device = problem.shape().devices[id.value()];
        if (state.shares[id.value()] < (asked.is_zero() ? device.shares : asked)) continue;
        const bool is_opened =
            !asked.is_zero() && asked < device.shares && state.is_untouched(id, device);
        const bool is_warned = counts_warnings && device.health == Health::warning;
        ranks[(is_warned ? 2U : 0U) + (is_opened ? 1U : 0U)].insert(id);
        ++available;
    }
    const Count most = std::min(demand.count.max.value_or(Count::max()), Count(available));
    if (most < demand.count.least()) return std::nullopt;
    const Count count = demand.request.prefer == Prefer::most ? most : demand.count.least();
    auto missing = static_cast<std::uint32_t>(count.value());
    DeviceSet chosen;
    for (const DeviceSet& rank : ranks) {
        if (missing == 0) break;
        for (const DeviceId id : rank) {
            if (missing == 0) break;
            chosen.insert(id);
            --missing;
        }
    }
    return chosen;
}

/// What fit() answers to a plain demand; nothing when it does not fit.
/// Requires: problem.is_plain().
[[nodiscard]] inline std::optional<NodePlacement> fit_plain(const FitProblem& problem,
                                                            const FreeState& state) {
    const NodeDemand& demand = problem.demand();
    NodePlacement result;
    result.tasks = demand.tasks;
    result.threads_per_core = demand.threads_per_core;
    result.milli_cpus = demand.all_milli_cpus();
    if (state.free_milli_cpus(problem.threads()) < result.milli_cpus) return std::nullopt;
    Bytes missing = demand.memory;
    for (const DomainId domain : problem.ordinary_domains()) {
        const Bytes part = std::min(missing, state.memory[domain.value()]);
        if (!part.is_zero()) result.memory.push_back({domain, part});
        missing -= part;
    }
    if (!missing.is_zero()) return std::nullopt;
    std::sort(result.memory.begin(), result.memory.end());
    if (demand.devices.empty()) return result;
    const auto devices = plain_devices(problem, state);
    if (!devices) return std::nullopt;
    const Count asked = demand.devices.front().request.shares;
    result.devices.reserve(devices->count());
    for (const DeviceId id : *devices) {
        const Count whole = problem.shape().devices[id.value()].shares;
        result.devices.push_back({id, asked.is_zero() ? whole : asked});
    }
    return result;
}

}  // namespace trestle::detail
