// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/health/device_health.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "enforce/health/worse.hpp"

namespace trestle {

std::string to_text(const HealthReport& report) {
    std::string text(to_text(report.health));
    for (const HealthReport::Finding& finding : report.findings) {
        text += (&finding == report.findings.data() ? ": " : "; ") + finding.what;
    }
    return text;
}

HealthReport joined_reports(std::span<const HealthReport> reports) {
    HealthReport all;
    for (const HealthReport& report : reports) {
        all.health = worse(all.health, report.health);
        all.findings.insert(all.findings.end(), report.findings.begin(), report.findings.end());
    }
    std::stable_sort(all.findings.begin(), all.findings.end(),
                     [](const HealthReport::Finding& a, const HealthReport::Finding& b) {
                         return a.health == Health::failure && b.health != Health::failure;
                     });
    return all;
}

namespace {

/// Collects what classify finds; remembers whether anything was known.
class HealthFindings {
  public:
    void count(const std::optional<Count>& counted, const std::optional<Count>& threshold,
               HealthReport::Finding finding);
    void flag(const std::optional<bool>& is_so, HealthReport::Finding finding);
    void xids(const std::optional<std::vector<std::uint32_t>>& seen);
    void temperature(const DeviceCounters& counters, const DeviceCounters::Thresholds& thresholds);
    [[nodiscard]] HealthReport report() &&;

  private:
    bool is_known_ = false;
    std::vector<HealthReport::Finding> findings_;
};

void HealthFindings::count(const std::optional<Count>& counted,
                           const std::optional<Count>& threshold, HealthReport::Finding finding) {
    is_known_ |= counted.has_value();
    if (!counted || counted->is_zero() || !threshold || *counted < *threshold) return;
    const std::string number = std::to_string(counted->value());
    finding.what = number + " " + finding.what + (*counted == Count(1) ? "" : "s");
    findings_.push_back(std::move(finding));
}

void HealthFindings::flag(const std::optional<bool>& is_so, HealthReport::Finding finding) {
    is_known_ |= is_so.has_value();
    if (is_so.value_or(false)) findings_.push_back(std::move(finding));
}

void HealthFindings::xids(const std::optional<std::vector<std::uint32_t>>& seen) {
    is_known_ |= seen.has_value();
    if (!seen) return;
    for (const std::uint32_t xid : *seen) {
        const Health health = xid_health(xid);
        if (health == Health::healthy) continue;
        findings_.push_back(
            {health, HealthReport::Finding::Cause::xid, "XID " + std::to_string(xid)});
    }
}

void HealthFindings::temperature(const DeviceCounters& counters,
                                 const DeviceCounters::Thresholds& thresholds) {
    if (!counters.temperature) return;
    is_known_ = true;
    const auto judge = [&](Health health, const std::optional<Celsius>& own,
                           const std::optional<Celsius>& device) {
        const auto limit = own ? own : device;
        if (!limit || *counters.temperature < *limit) return false;
        findings_.push_back({health, HealthReport::Finding::Cause::temperature,
                             std::to_string(counters.temperature->value()) + " C, expected below " +
                                 std::to_string(limit->value())});
        return true;
    };
    if (judge(Health::failure, thresholds.failure_temperature, counters.shutdown_temperature)) {
        return;
    }
    (void)judge(Health::warning, thresholds.warning_temperature, counters.slowdown_temperature);
}

HealthReport HealthFindings::report() && {
    HealthReport one;
    one.health = is_known_ ? Health::healthy : Health::unknown;
    for (const HealthReport::Finding& finding : findings_) {
        one.health = worse(one.health, finding.health);
    }
    one.findings = std::move(findings_);
    return joined_reports({&one, 1});
}

}  // namespace

HealthReport classify(const DeviceCounters& counters,
                      const DeviceCounters::Thresholds& thresholds) {
    using enum HealthReport::Finding::Cause;
    HealthFindings found;
    const auto failure = [](HealthReport::Finding::Cause cause, const char* what) {
        return HealthReport::Finding{Health::failure, cause, what};
    };
    const auto warning = [](HealthReport::Finding::Cause cause, const char* what) {
        return HealthReport::Finding{Health::warning, cause, what};
    };
    found.flag(counters.is_lost, failure(lost, "it does not answer: off the bus"));
    found.count(counters.uncorrected_errors, thresholds.uncorrected_errors,
                failure(memory, "uncorrected memory error"));
    found.count(counters.corrected_errors, thresholds.corrected_errors,
                warning(memory, "corrected memory error"));
    found.flag(counters.has_repair_failed, failure(memory, "memory could not be repaired"));
    found.flag(counters.is_repair_pending, warning(memory, "memory is repaired at the next reset"));
    found.count(counters.pcie_errors, thresholds.pcie_errors, failure(pcie, "PCIe error"));
    found.count(counters.pcie_replays, thresholds.pcie_replays, warning(pcie, "PCIe replay"));
    found.count(counters.nvlink_errors, thresholds.nvlink_errors, failure(nvlink, "NVLink error"));
    found.count(counters.nvlink_replays, thresholds.nvlink_replays,
                warning(nvlink, "NVLink replay"));
    found.xids(counters.xids);
    found.temperature(counters, thresholds);
    return std::move(found).report();
}

DeviceCounters counted_since(const DeviceCounters& before, const DeviceCounters& after) {
    DeviceCounters counted = after;
    DeviceCounters::fields([&](const auto&... f) {
        const auto subtract = [&](const auto& each) {
            auto& value = counted.*(each.pointer);
            if constexpr (std::is_same_v<decltype(value), std::optional<Count>&>) {
                const auto& base = before.*(each.pointer);
                if (value && base && *base <= *value) value = *value - *base;
            }
        };
        (subtract(f), ...);
    });
    return counted;
}

HealthReport dcgm_report(int result, std::string_view incident) {
    const std::string what(incident.empty() ? std::string_view("DCGM's health check") : incident);
    switch (result) {
        case 0:
            return {Health::healthy, {}};
        case 10:
            return {Health::warning, {{Health::warning, HealthReport::Finding::Cause::dcgm, what}}};
        case 20:
            return {Health::failure, {{Health::failure, HealthReport::Finding::Cause::dcgm, what}}};
        default:
            return {};
    }
}

}  // namespace trestle
