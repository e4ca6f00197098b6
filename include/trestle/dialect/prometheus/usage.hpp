// SPDX-License-Identifier: Apache-2.0
#pragma once

// Usage of groups and health of devices as metrics.
//
// Layer: dialect/prometheus. Main names: GroupUsage, usage_metrics, health_metrics. Base units as
// Prometheus wants them: bytes, seconds, joules, watts, degrees, ratios of 1.
// Pitfall: rates are not among them; Prometheus makes them of the counters, which end in _total.

#include <span>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/dialect/prometheus/metric.hpp"
#include "trestle/enforce/health/node_health.hpp"
#include "trestle/enforce/process/usage.hpp"

namespace trestle::prometheus {

/// A reading of a group and the labels that say whose it is.
struct GroupUsage {
    std::vector<Label> labels;
    ResourceUsage usage;

    static constexpr auto fields(auto list) {
        return list(field("labels", &GroupUsage::labels), field("usage", &GroupUsage::usage));
    }
    friend bool operator==(const GroupUsage&, const GroupUsage&) = default;
};

/// Metrics `<prefix>_cpu_seconds_total`, `<prefix>_memory_bytes` and so on, always in the same
/// order, with a sample for each group that has the number. Metrics without a sample are left out.
/// Pressure has the further labels `resource` and `kind`, a counter of energy `counter`, a GPU
/// `gpu`, its UUID.
[[nodiscard]] std::vector<Metric> usage_metrics(std::span<const GroupUsage> groups,
                                                std::string_view prefix = "trestle");

/// One metric `<prefix>_device_health`: for each device and each state 1 when it is in it, else 0,
/// with the labels `place`, `uuid` and `state`.
[[nodiscard]] std::vector<Metric> health_metrics(std::span<const DeviceReport> reports,
                                                 std::string_view prefix = "trestle");

}  // namespace trestle::prometheus
