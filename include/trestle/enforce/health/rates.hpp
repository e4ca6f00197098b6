// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rates: what happened between two readings of a group, a second and as shares.
//
// Layer: enforce. Main types: Rates, Rates::Gpu, Grant; rates(), grant_of(), energy_between().
// Pitfall: nothing here divides by 0, wraps around or guesses. A rate is absent when a reading
// lacks it, and when no time passed. It is also absent when a counter went back, because the group
// was made anew meanwhile. A rate of 0 was measured.

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

/// What a group did between two readings, rounded to the nearest.
struct Rates {
    /// What a GPU did between two readings.
    struct Gpu {
        std::string uuid;
        std::optional<BasisPoints> memory = {};       ///< used of all
        std::optional<BasisPoints> utilisation = {};  ///< as the driver told last
        /// By its counter of energy; without one, or without a first reading, as the driver told
        /// last.
        std::optional<Milliwatts> power = {};

        static constexpr auto fields(auto list) {
            return list(field("uuid", &Gpu::uuid), field("memory", &Gpu::memory),
                        field("utilisation", &Gpu::utilisation), field("power", &Gpu::power));
        }
        friend bool operator==(const Gpu&, const Gpu&) = default;
    };

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
    std::vector<Gpu> gpus = {};            ///< those of the last reading

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
