// SPDX-License-Identifier: Apache-2.0
#pragma once

// How well a device is, judged from what its driver counts. A table, and pure.
//
// Layer: enforce. Main types: DeviceCounters, DeviceCounters::Thresholds, HealthReport; classify(),
// dcgm_report(), joined_reports(), xid_health().
// Pitfall: a device of which nothing is known is `unknown`, not healthy. One of which anything is
// known, and nothing bad, is healthy.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/process/usage.hpp"
#include "trestle/model/device.hpp"

namespace trestle {

/// What a driver has counted since it was loaded, or since the look before (counted_since()).
/// Absent: not reported.
struct DeviceCounters {
    /// From which number on something is a finding. Absent: it never is.
    struct Thresholds {
        std::optional<Count> corrected_errors = Count(1);
        std::optional<Count> uncorrected_errors = Count(1);
        /// Only what happened between two looks can be judged by this; DCGM warns above 8 a minute.
        std::optional<Count> pcie_replays = {};
        std::optional<Count> pcie_errors = Count(1);
        std::optional<Count> nvlink_replays = {};
        std::optional<Count> nvlink_errors = Count(1);
        /// Absent: where the device slows itself down, and where it turns itself off.
        std::optional<Celsius> warning_temperature = {};
        std::optional<Celsius> failure_temperature = {};

        static constexpr auto fields(auto list) {
            return list(field("corrected_errors", &Thresholds::corrected_errors),
                        field("uncorrected_errors", &Thresholds::uncorrected_errors),
                        field("pcie_replays", &Thresholds::pcie_replays),
                        field("pcie_errors", &Thresholds::pcie_errors),
                        field("nvlink_replays", &Thresholds::nvlink_replays),
                        field("nvlink_errors", &Thresholds::nvlink_errors),
                        field("warning_temperature", &Thresholds::warning_temperature),
                        field("failure_temperature", &Thresholds::failure_temperature));
        }
        friend bool operator==(const Thresholds&, const Thresholds&) = default;
    };

    std::optional<bool> is_lost = {};              ///< fell off the bus: it no longer answers
    std::optional<Count> corrected_errors = {};    ///< of memory (ECC)
    std::optional<Count> uncorrected_errors = {};  ///< of memory (ECC)
    std::optional<bool> is_repair_pending = {};    ///< pages to retire, rows to remap at a reset
    std::optional<bool> has_repair_failed = {};    ///< no spare rows are left
    std::optional<Count> pcie_replays = {};        ///< packets sent once more; some are usual
    std::optional<Count> pcie_errors = {};         ///< that were not corrected
    std::optional<Count> nvlink_replays = {};      ///< packets sent once more, over all links
    std::optional<Count> nvlink_errors = {};       ///< links that had to be trained again
    std::optional<std::vector<std::uint32_t>> xids = {};  ///< NVIDIA's numbers of errors
    std::optional<Celsius> temperature = {};
    std::optional<Celsius> slowdown_temperature = {};  ///< from here on it slows itself down
    std::optional<Celsius> shutdown_temperature = {};  ///< from here on it turns itself off

    static constexpr auto fields(auto list) {
        return list(field("is_lost", &DeviceCounters::is_lost),
                    field("corrected_errors", &DeviceCounters::corrected_errors),
                    field("uncorrected_errors", &DeviceCounters::uncorrected_errors),
                    field("is_repair_pending", &DeviceCounters::is_repair_pending),
                    field("has_repair_failed", &DeviceCounters::has_repair_failed),
                    field("pcie_replays", &DeviceCounters::pcie_replays),
                    field("pcie_errors", &DeviceCounters::pcie_errors),
                    field("nvlink_replays", &DeviceCounters::nvlink_replays),
                    field("nvlink_errors", &DeviceCounters::nvlink_errors),
                    field("xids", &DeviceCounters::xids),
                    field("temperature", &DeviceCounters::temperature),
                    field("slowdown_temperature", &DeviceCounters::slowdown_temperature),
                    field("shutdown_temperature", &DeviceCounters::shutdown_temperature));
    }
    friend bool operator==(const DeviceCounters&, const DeviceCounters&) = default;
};

/// How well something is, and why: failures first, else by HealthReport::Finding::Cause.
struct HealthReport {
    /// One thing that is not as it should be.
    struct Finding {
        /// What a finding is about.
        enum class Cause { lost, memory, pcie, nvlink, xid, temperature, dcgm };

        Health health = Health::warning;  ///< warning or failure
        Cause cause = Cause::memory;
        std::string what;  ///< one line

        static constexpr auto fields(auto list) {
            return list(field("health", &Finding::health), field("cause", &Finding::cause),
                        field("what", &Finding::what));
        }
        friend bool operator==(const Finding&, const Finding&) = default;
    };

    Health health = Health::unknown;
    std::vector<Finding> findings = {};

    static constexpr auto fields(auto list) {
        return list(field("health", &HealthReport::health),
                    field("findings", &HealthReport::findings));
    }
    friend bool operator==(const HealthReport&, const HealthReport&) = default;
};

constexpr auto enum_names(HealthReport::Finding::Cause) {
    using enum HealthReport::Finding::Cause;
    return std::array{named(lost, "lost"), named(memory, "memory"),
                      named(pcie, "pcie"), named(nvlink, "nvlink"),
                      named(xid, "xid"),   named(temperature, "temperature"),
                      named(dcgm, "dcgm")};
}

/// `healthy`, `unknown`, `failure: 2 uncorrected memory errors; 1 corrected memory error`.
[[nodiscard]] std::string to_text(const HealthReport& report);

/// One report of many, such as of all devices of a node: the worst, and all findings.
[[nodiscard]] HealthReport joined_reports(std::span<const HealthReport> reports);

/// What NVIDIA's number of an error says of the device. `healthy`: an error of the program that ran
/// on it (those that NVIDIA's device plugin for Kubernetes passes over). `warning`: an error that
/// was contained or repaired, or needs a reset at leisure. `failure`: any other, also an unknown
/// one.
[[nodiscard]] constexpr Health xid_health(std::uint32_t xid) {
    constexpr std::array<std::uint32_t, 6> of_programs{13, 31, 43, 45, 68, 109};
    // 63: a page retired or a row remapped; 92: many corrected errors; 94: a contained error.
    constexpr std::array<std::uint32_t, 3> contained{63, 92, 94};
    if (std::find(of_programs.begin(), of_programs.end(), xid) != of_programs.end()) {
        return Health::healthy;
    }
    const bool is_contained = std::find(contained.begin(), contained.end(), xid) != contained.end();
    return is_contained ? Health::warning : Health::failure;
}

/// The table: lost, uncorrected errors of memory, failed repairs, errors of PCIe and NVLink, and
/// XIDs by xid_health() are failures. Corrected errors of memory, repairs that wait for a reset and
/// packets sent again are warnings. Temperature is either, by its thresholds.
[[nodiscard]] HealthReport classify(const DeviceCounters& counters,
                                    const DeviceCounters::Thresholds& thresholds = {});

/// What was counted between two looks; the rest is as it is now. A counter that went back, because
/// the driver was loaded anew, counts from 0.
[[nodiscard]] DeviceCounters counted_since(const DeviceCounters& before,
                                           const DeviceCounters& after);

/// What DCGM's health check gives: 0 passes, 10 warns, 20 fails; another number is unknown.
/// `incident` is its message.
[[nodiscard]] HealthReport dcgm_report(int result, std::string_view incident = {});

}  // namespace trestle
