// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/health/rates.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace trestle {

Grant grant_of(const Limits& limits) {
    const MilliCpu threads = cpus(static_cast<std::int64_t>(limits.cpus.count()));
    Grant grant{threads, limits.memory_max};
    if (limits.cpu_max && (threads.is_zero() || *limits.cpu_max < threads)) {
        grant.cpus = *limits.cpu_max;
    }
    return grant;
}

namespace detail {

std::optional<Microjoules> grown_energy(const EnergyCounter& before, const EnergyCounter& after) {
    if (before.energy <= after.energy) return after.energy - before.energy;
    if (!after.range || *after.range < before.energy) return std::nullopt;
    return checked_add(after.energy, *after.range - before.energy);
}

GpuRates gpu_rates(const GpuUsage* before, const GpuUsage& after,
                   const std::optional<Microseconds>& elapsed) {
    GpuRates found{after.uuid, share(after.memory_used, after.memory_total), after.utilisation,
                   after.power};
    if (before == nullptr) return found;
    if (const auto mean = power(growth(before->energy, after.energy), elapsed)) found.power = mean;
    return found;
}

}  // namespace detail

std::optional<Microjoules> energy_between(const std::vector<EnergyCounter>& before,
                                          const std::vector<EnergyCounter>& after) {
    if (after.empty() || before.size() != after.size()) return std::nullopt;
    std::optional<Microjoules> sum = Microjoules();
    for (const EnergyCounter& counter : after) {
        const EnergyCounter* earlier =
            detail::find_named(before, &EnergyCounter::name, counter.name);
        const auto grown = earlier ? detail::grown_energy(*earlier, counter) : std::nullopt;
        sum = sum && grown ? checked_add(*sum, *grown) : std::nullopt;
    }
    return sum;
}

Rates rates(const ResourceUsage& before, const ResourceUsage& after, const Grant& granted) {
    using detail::growth;
    using detail::per_second;
    Rates found;
    found.elapsed = growth(before.at, after.at);
    const auto cpu_time = growth(before.cpu_time, after.cpu_time);
    found.cpu = detail::share(cpu_time, found.elapsed);
    if (found.cpu && !granted.cpus.is_zero()) {
        // As granted CPU time rather than a share of `cpu`, which is rounded already.
        const Microseconds whole(
            detail::scaled(found.elapsed->value(), granted.cpus.value(), 1000));
        found.cpu_granted = detail::share(cpu_time, std::optional(whole));
    }
    found.throttled = detail::share(growth(before.throttled_periods, after.throttled_periods),
                                    growth(before.cpu_periods, after.cpu_periods));
    found.memory = detail::share(after.working_set, granted.memory);
    found.read_bytes = per_second(growth(before.read_bytes, after.read_bytes), found.elapsed);
    found.written_bytes =
        per_second(growth(before.written_bytes, after.written_bytes), found.elapsed);
    found.reads = per_second(growth(before.reads, after.reads), found.elapsed);
    found.writes = per_second(growth(before.writes, after.writes), found.elapsed);
    found.power = detail::power(energy_between(before.energy, after.energy), found.elapsed);
    for (const GpuUsage& gpu : after.gpus) {
        const GpuUsage* earlier = detail::find_named(before.gpus, &GpuUsage::uuid, gpu.uuid);
        found.gpus.push_back(detail::gpu_rates(earlier, gpu, found.elapsed));
    }
    return found;
}

}  // namespace trestle
