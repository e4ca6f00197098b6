// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/health/rates.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
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

namespace {

__extension__ using Wide = unsigned __int128;

/// part * scale / whole, to the nearest; at most what a quantity holds. Requires: whole > 0.
[[nodiscard]] constexpr std::int64_t scaled(std::int64_t part, std::int64_t scale,
                                            std::int64_t whole) {
    const Wide divisor = static_cast<Wide>(whole);
    const Wide result =
        (static_cast<Wide>(part) * static_cast<Wide>(scale) + divisor / 2) / divisor;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return result > static_cast<Wide>(most) ? most : static_cast<std::int64_t>(result);
}

constexpr std::int64_t whole_share = 10'000;  ///< basis points

constexpr std::int64_t microseconds_per_second = 1'000'000;

/// How much a counter grew; nothing when it is not known at both ends or went back.
template <class Unit>
[[nodiscard]] constexpr std::optional<Quantity<Unit>> growth(
    const std::optional<Quantity<Unit>>& before, const std::optional<Quantity<Unit>>& after) {
    if (!before || !after || *after < *before) return std::nullopt;
    return *after - *before;
}

template <class Unit>
[[nodiscard]] constexpr std::optional<BasisPoints> share(
    const std::optional<Quantity<Unit>>& part, const std::optional<Quantity<Unit>>& whole) {
    if (!part || !whole || whole->is_zero()) return std::nullopt;
    return BasisPoints(scaled(part->value(), whole_share, whole->value()));
}

template <class Unit>
[[nodiscard]] constexpr std::optional<Quantity<Unit>> per_second(
    const std::optional<Quantity<Unit>>& amount, const std::optional<Microseconds>& elapsed) {
    if (!amount || !elapsed || elapsed->is_zero()) return std::nullopt;
    return Quantity<Unit>(scaled(amount->value(), microseconds_per_second, elapsed->value()));
}

/// Microjoules in microseconds are watts.
[[nodiscard]] constexpr std::optional<Milliwatts> power(
    const std::optional<Microjoules>& energy, const std::optional<Microseconds>& elapsed) {
    if (!energy || !elapsed || elapsed->is_zero()) return std::nullopt;
    return Milliwatts(scaled(energy->value(), 1000, elapsed->value()));
}

template <class Value, class Key>
[[nodiscard]] const Value* find_named(const std::vector<Value>& values, Key Value::*key,
                                      const Key& wanted) {
    const auto at = std::find_if(values.begin(), values.end(),
                                 [&](const Value& value) { return value.*key == wanted; });
    return at == values.end() ? nullptr : &*at;
}

std::optional<Microjoules> grown_energy(const EnergyCounter& before, const EnergyCounter& after) {
    if (before.energy <= after.energy) return after.energy - before.energy;
    if (!after.range || *after.range < before.energy) return std::nullopt;
    return checked_add(after.energy, *after.range - before.energy);
}

Rates::Gpu gpu_rates(const GpuUsage* before, const GpuUsage& after,
                     const std::optional<Microseconds>& elapsed) {
    Rates::Gpu found{after.uuid, share(after.memory_used, after.memory_total), after.utilisation,
                     after.power};
    if (before == nullptr) return found;
    if (const auto mean = power(growth(before->energy, after.energy), elapsed)) found.power = mean;
    return found;
}

}  // namespace

std::optional<Microjoules> energy_between(const std::vector<EnergyCounter>& before,
                                          const std::vector<EnergyCounter>& after) {
    if (after.empty() || before.size() != after.size()) return std::nullopt;
    std::optional<Microjoules> sum = Microjoules();
    for (const EnergyCounter& counter : after) {
        const EnergyCounter* earlier = find_named(before, &EnergyCounter::name, counter.name);
        const auto grown = earlier ? grown_energy(*earlier, counter) : std::nullopt;
        sum = sum && grown ? checked_add(*sum, *grown) : std::nullopt;
    }
    return sum;
}

Rates rates(const ResourceUsage& before, const ResourceUsage& after, const Grant& granted) {
    Rates found;
    found.elapsed = growth(before.at, after.at);
    const auto cpu_time = growth(before.cpu_time, after.cpu_time);
    found.cpu = share(cpu_time, found.elapsed);
    if (found.cpu && !granted.cpus.is_zero()) {
        // As granted CPU time rather than a share of `cpu`, which is rounded already.
        const Microseconds whole(scaled(found.elapsed->value(), granted.cpus.value(), 1000));
        found.cpu_granted = share(cpu_time, std::optional(whole));
    }
    found.throttled = share(growth(before.throttled_periods, after.throttled_periods),
                            growth(before.cpu_periods, after.cpu_periods));
    found.memory = share(after.working_set, granted.memory);
    found.read_bytes = per_second(growth(before.read_bytes, after.read_bytes), found.elapsed);
    found.written_bytes =
        per_second(growth(before.written_bytes, after.written_bytes), found.elapsed);
    found.reads = per_second(growth(before.reads, after.reads), found.elapsed);
    found.writes = per_second(growth(before.writes, after.writes), found.elapsed);
    found.power = power(energy_between(before.energy, after.energy), found.elapsed);
    for (const GpuUsage& gpu : after.gpus) {
        const GpuUsage* earlier = find_named(before.gpus, &GpuUsage::uuid, gpu.uuid);
        found.gpus.push_back(gpu_rates(earlier, gpu, found.elapsed));
    }
    return found;
}

}  // namespace trestle
