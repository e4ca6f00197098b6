// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rates: what happened between two readings of a group, a second and as shares.
//
// Layer: enforce. Main types: Rates, GpuRates, Grant; rates(), grant_of(), energy_between().
// Pitfall: nothing here divides by 0, wraps around or guesses. A rate is absent when a reading
// lacks it, and when no time passed. It is also absent when a counter went back, because the group
// was made anew meanwhile. A rate of 0 was measured.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/limits/limits.hpp"
#include "trestle/enforce/process/usage.hpp"

namespace trestle {

/// What a group may use: the whole of which its shares are parts.
struct Grant {
    MilliCpu cpus;                ///< 0: not limited
    std::optional<Bytes> memory;  ///< absent: not limited

    static constexpr auto fields(auto list) {
        return list(field("cpus", &Grant::cpus), field("memory", &Grant::memory));
    }
    friend bool operator==(const Grant&, const Grant&) = default;
};

/// The CPUs of the limits, or their CPU time where that is less; their memory.
[[nodiscard]] Grant grant_of(const Limits& limits);

/// What a GPU did between two readings.
struct GpuRates {
    std::string uuid;
    std::optional<BasisPoints> memory = {};       ///< used of all
    std::optional<BasisPoints> utilisation = {};  ///< as the driver told last
    /// By its counter of energy; without one, or without a first reading, as the driver told last.
    std::optional<Milliwatts> power = {};

    static constexpr auto fields(auto list) {
        return list(field("uuid", &GpuRates::uuid), field("memory", &GpuRates::memory),
                    field("utilisation", &GpuRates::utilisation), field("power", &GpuRates::power));
    }
    friend bool operator==(const GpuRates&, const GpuRates&) = default;
};

/// What a group did between two readings, rounded to the nearest.
struct Rates {
    std::optional<Microseconds> elapsed = {};
    std::optional<BasisPoints> cpu = {};          ///< of one CPU: two busy ones are 20000
    std::optional<BasisPoints> cpu_granted = {};  ///< of the CPUs granted
    std::optional<BasisPoints> throttled = {};    ///< of the periods of the CPU quota
    std::optional<BasisPoints> memory = {};       ///< the last working set, of the memory granted
    std::optional<Bytes> read_bytes = {};         ///< a second, as are the next three
    std::optional<Bytes> written_bytes = {};
    std::optional<Count> reads = {};
    std::optional<Count> writes = {};
    std::optional<Milliwatts> power = {};  ///< of the counters of energy together
    std::vector<GpuRates> gpus = {};       ///< those of the last reading

    static constexpr auto fields(auto list) {
        return list(field("elapsed", &Rates::elapsed), field("cpu", &Rates::cpu),
                    field("cpu_granted", &Rates::cpu_granted),
                    field("throttled", &Rates::throttled), field("memory", &Rates::memory),
                    field("read_bytes", &Rates::read_bytes),
                    field("written_bytes", &Rates::written_bytes), field("reads", &Rates::reads),
                    field("writes", &Rates::writes), field("power", &Rates::power),
                    field("gpus", &Rates::gpus));
    }
    friend bool operator==(const Rates&, const Rates&) = default;
};

namespace detail {

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

inline constexpr std::int64_t whole_share = 10'000;  ///< basis points
inline constexpr std::int64_t microseconds_per_second = 1'000'000;

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

[[nodiscard]] std::optional<Microjoules> grown_energy(const EnergyCounter& before,
                                                      const EnergyCounter& after);

[[nodiscard]] GpuRates gpu_rates(const GpuUsage* before, const GpuUsage& after,
                                 const std::optional<Microseconds>& elapsed);

}  // namespace detail

/// What all counters together counted between two readings. A counter that is lower than before has
/// started again once. So readings must be closer together than its range lasts (RAPL: 262 kJ are
/// 22 minutes at 200 W). Nothing when there is no counter, or when one was not there before or is
/// gone. The same when one went back though it has no range.
[[nodiscard]] std::optional<Microjoules> energy_between(const std::vector<EnergyCounter>& before,
                                                        const std::vector<EnergyCounter>& after);

/// What happened from `before` to `after`. GPUs are identified by their UUID.
[[nodiscard]] Rates rates(const ResourceUsage& before, const ResourceUsage& after,
                          const Grant& granted);

}  // namespace trestle
