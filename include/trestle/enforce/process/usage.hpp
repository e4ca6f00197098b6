// SPDX-License-Identifier: Apache-2.0
#pragma once

// ResourceUsage: what a group uses and has used.
//
// Layer: enforce. Main types: ResourceUsage, Pressure, EnergyCounter, GpuUsage.
// Pitfall: absent is not 0; it means unknown. An enforcer reads the group's own files. Energy and
// GPUs are read from the machine (os/readings.hpp) and added by the caller, which knows which of
// them are the group's.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

using Microseconds = Quantity<struct MicrosecondsUnit>;
using Microjoules = Quantity<struct MicrojoulesUnit>;
using Milliwatts = Quantity<struct MilliwattsUnit>;
using BasisPoints = Quantity<struct BasisPointsUnit>;  ///< hundredths of a percent
using Celsius = Quantity<struct CelsiusUnit>;          ///< a device below 0 reads as 0

/// A counter of energy, such as that of a processor package (RAPL), which starts again at 0 when it
/// has reached its range.
struct EnergyCounter {
    std::string name;  ///< `package-0`, `package-0/dram`; the same at every reading
    Microjoules energy;
    std::optional<Microjoules> range = {};  ///< absent: it never starts again

    static constexpr auto fields(auto list) {
        return list(field("name", &EnergyCounter::name), field("energy", &EnergyCounter::energy),
                    field("range", &EnergyCounter::range));
    }
    friend bool operator==(const EnergyCounter&, const EnergyCounter&) = default;
};

/// The use of a GPU, or of an instance of one, by all processes together.
struct GpuUsage {
    std::string uuid;
    std::optional<Bytes> memory_used = {};
    std::optional<Bytes> memory_total = {};
    std::optional<BasisPoints> utilisation = {};  ///< of the time since the driver last looked
    std::optional<Celsius> temperature = {};
    std::optional<Milliwatts> power = {};
    std::optional<Microjoules> energy = {};  ///< since the driver was loaded

    static constexpr auto fields(auto list) {
        return list(field("uuid", &GpuUsage::uuid), field("memory_used", &GpuUsage::memory_used),
                    field("memory_total", &GpuUsage::memory_total),
                    field("utilisation", &GpuUsage::utilisation),
                    field("temperature", &GpuUsage::temperature), field("power", &GpuUsage::power),
                    field("energy", &GpuUsage::energy));
    }
    friend bool operator==(const GpuUsage&, const GpuUsage&) = default;
};

/// What a group uses and has used. Absent: not known here.
struct ResourceUsage {
    /// How much of the last ten seconds some process, or all of them at once, waited for a resource
    /// (the kernel's pressure stall information).
    struct Pressure {
        std::optional<BasisPoints> some = {};
        std::optional<BasisPoints> full = {};

        static constexpr auto fields(auto list) {
            return list(field("some", &Pressure::some), field("full", &Pressure::full));
        }
        friend bool operator==(const Pressure&, const Pressure&) = default;
    };

    std::optional<Bytes> memory = {};  ///< with the file cache
    std::optional<Bytes> memory_peak = {};
    std::optional<Count> oom_kills = {};
    std::optional<Microseconds> cpu_time = {};
    std::optional<Microseconds> throttled_time = {};  ///< waited for the CPU quota, over all CPUs
    std::optional<Count> pids = {};                   ///< threads count
    std::optional<Count> pids_peak = {};
    /// When this was read, by a clock that only goes forward and is the same at every reading.
    std::optional<Microseconds> at = {};
    std::optional<Microseconds> cpu_user = {};
    std::optional<Microseconds> cpu_system = {};
    std::optional<Count> cpu_periods = {};  ///< of the CPU quota, in which something ran
    std::optional<Count> throttled_periods = {};
    std::optional<Bytes> working_set = {};  ///< memory without file pages that are not in use
    std::optional<Bytes> memory_anon = {};
    std::optional<Bytes> memory_file = {};
    std::optional<Bytes> swap = {};
    std::optional<Bytes> read_bytes = {};  ///< of block devices, as are the next three
    std::optional<Bytes> written_bytes = {};
    std::optional<Count> reads = {};
    std::optional<Count> writes = {};
    Pressure cpu_pressure = {};
    Pressure memory_pressure = {};
    Pressure io_pressure = {};
    std::vector<EnergyCounter> energy = {};  ///< of the machine; empty: not known
    std::vector<GpuUsage> gpus = {};         ///< of those that the group has; empty: not known

    static constexpr auto fields(auto list) {
        return list(
            field("memory", &ResourceUsage::memory),
            field("memory_peak", &ResourceUsage::memory_peak),
            field("oom_kills", &ResourceUsage::oom_kills),
            field("cpu_time", &ResourceUsage::cpu_time),
            field("throttled_time", &ResourceUsage::throttled_time),
            field("pids", &ResourceUsage::pids), field("pids_peak", &ResourceUsage::pids_peak),
            field("at", &ResourceUsage::at), field("cpu_user", &ResourceUsage::cpu_user),
            field("cpu_system", &ResourceUsage::cpu_system),
            field("cpu_periods", &ResourceUsage::cpu_periods),
            field("throttled_periods", &ResourceUsage::throttled_periods),
            field("working_set", &ResourceUsage::working_set),
            field("memory_anon", &ResourceUsage::memory_anon),
            field("memory_file", &ResourceUsage::memory_file), field("swap", &ResourceUsage::swap),
            field("read_bytes", &ResourceUsage::read_bytes),
            field("written_bytes", &ResourceUsage::written_bytes),
            field("reads", &ResourceUsage::reads), field("writes", &ResourceUsage::writes),
            field("cpu_pressure", &ResourceUsage::cpu_pressure),
            field("memory_pressure", &ResourceUsage::memory_pressure),
            field("io_pressure", &ResourceUsage::io_pressure),
            field("energy", &ResourceUsage::energy), field("gpus", &ResourceUsage::gpus));
    }
    friend bool operator==(const ResourceUsage&, const ResourceUsage&) = default;
};

}  // namespace trestle
