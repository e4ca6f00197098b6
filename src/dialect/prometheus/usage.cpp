// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/prometheus/usage.hpp"

#include <optional>
#include <string>
#include <utility>

namespace trestle::prometheus {

namespace {

/// Name behind the prefix, help, type.
struct MetricHead {
    const char* name;
    const char* help;
    MetricType type;
};

constexpr MetricType counter = MetricType::counter;
constexpr MetricType gauge = MetricType::gauge;

template <class Unit>
double in_base_units(const Quantity<Unit>& quantity, double per_base) {
    return static_cast<double>(quantity.value()) / per_base;
}

/// Builds metrics; those without samples are dropped.
class MetricList {
  public:
    MetricList(std::span<const GroupUsage> groups, std::string_view prefix)
        : groups_(groups), prefix_(prefix) {}

    void begin(const MetricHead& head) {
        end();
        metric_ = {prefix_ + "_" + head.name, head.help, head.type, {}};
    }
    template <class Unit>
    void add(std::vector<Label> labels, const std::optional<Quantity<Unit>>& quantity,
             double per_base) {
        if (!quantity) return;
        metric_.samples.push_back({std::move(labels), in_base_units(*quantity, per_base)});
    }
    /// A metric of a number that each group has at most once.
    template <class Unit>
    void group_metric(const MetricHead& head, std::optional<Quantity<Unit>> ResourceUsage::*member,
                      double per_base = 1) {
        begin(head);
        for (const GroupUsage& group : groups_) add(group.labels, group.usage.*member, per_base);
    }
    template <class Unit>
    void gpu_metric(const MetricHead& head, std::optional<Quantity<Unit>> GpuUsage::*member,
                    double per_base = 1) {
        begin(head);
        for (const GroupUsage& group : groups_) {
            for (const GpuUsage& gpu : group.usage.gpus) {
                add(more_labels(group, {{"gpu", gpu.uuid}}), gpu.*member, per_base);
            }
        }
    }
    [[nodiscard]] static std::vector<Label> more_labels(const GroupUsage& group,
                                                        const std::vector<Label>& more) {
        std::vector<Label> labels = group.labels;
        labels.insert(labels.end(), more.begin(), more.end());
        return labels;
    }
    [[nodiscard]] std::vector<Metric> take() && {
        end();
        return std::move(metrics_);
    }

  private:
    void end() {
        if (!metric_.samples.empty()) metrics_.push_back(std::move(metric_));
        metric_ = {};
    }

    std::span<const GroupUsage> groups_;
    std::string prefix_;
    Metric metric_;
    std::vector<Metric> metrics_;
};

constexpr double microseconds_per_second = 1e6;
constexpr double microjoules_per_joule = 1e6;
constexpr double basis_points_per_one = 1e4;

void add_cpu(MetricList& list) {
    list.group_metric({"cpu_seconds_total", "CPU time used", counter}, &ResourceUsage::cpu_time,
                      microseconds_per_second);
    list.group_metric({"cpu_user_seconds_total", "CPU time used by programs", counter},
                      &ResourceUsage::cpu_user, microseconds_per_second);
    list.group_metric({"cpu_system_seconds_total", "CPU time used by the kernel", counter},
                      &ResourceUsage::cpu_system, microseconds_per_second);
    list.group_metric(
        {"cpu_throttled_seconds_total", "Time spent waiting for the CPU quota", counter},
        &ResourceUsage::throttled_time, microseconds_per_second);
    list.group_metric({"cpu_periods_total", "Periods of the CPU quota", counter},
                      &ResourceUsage::cpu_periods);
    list.group_metric(
        {"cpu_throttled_periods_total", "Periods in which the CPU quota was used up", counter},
        &ResourceUsage::throttled_periods);
}

void add_memory(MetricList& list) {
    list.group_metric({"memory_bytes", "Memory used, with the file cache", gauge},
                      &ResourceUsage::memory);
    list.group_metric({"memory_peak_bytes", "Most memory used so far", gauge},
                      &ResourceUsage::memory_peak);
    list.group_metric(
        {"memory_working_set_bytes", "Memory used, without file pages that are not in use", gauge},
        &ResourceUsage::working_set);
    list.group_metric({"memory_anon_bytes", "Memory that is of no file", gauge},
                      &ResourceUsage::memory_anon);
    list.group_metric({"memory_file_bytes", "File cache", gauge}, &ResourceUsage::memory_file);
    list.group_metric({"swap_bytes", "Swap used", gauge}, &ResourceUsage::swap);
    list.group_metric({"oom_kills_total", "Processes killed for memory", counter},
                      &ResourceUsage::oom_kills);
}

void add_tasks_and_io(MetricList& list) {
    list.group_metric({"pids", "Processes and threads", gauge}, &ResourceUsage::pids);
    list.group_metric({"pids_peak", "Most processes and threads so far", gauge},
                      &ResourceUsage::pids_peak);
    list.group_metric({"io_read_bytes_total", "Bytes read of block devices", counter},
                      &ResourceUsage::read_bytes);
    list.group_metric({"io_written_bytes_total", "Bytes written to block devices", counter},
                      &ResourceUsage::written_bytes);
    list.group_metric({"io_reads_total", "Reads of block devices", counter}, &ResourceUsage::reads);
    list.group_metric({"io_writes_total", "Writes to block devices", counter},
                      &ResourceUsage::writes);
}

void add_pressure(MetricList& list, std::span<const GroupUsage> groups) {
    list.begin(
        {"pressure_ratio", "Time of the last ten seconds spent waiting for a resource", gauge});
    const std::pair<const char*, ResourceUsage::Pressure ResourceUsage::*> resources[] = {
        {"cpu", &ResourceUsage::cpu_pressure},
        {"memory", &ResourceUsage::memory_pressure},
        {"io", &ResourceUsage::io_pressure}};
    for (const GroupUsage& group : groups) {
        for (const auto& [resource, member] : resources) {
            const ResourceUsage::Pressure& pressure = group.usage.*member;
            list.add(MetricList::more_labels(group, {{"resource", resource}, {"kind", "some"}}),
                     pressure.some, basis_points_per_one);
            list.add(MetricList::more_labels(group, {{"resource", resource}, {"kind", "full"}}),
                     pressure.full, basis_points_per_one);
        }
    }
}

void add_energy(MetricList& list, std::span<const GroupUsage> groups) {
    list.begin({"energy_joules_total", "Energy of processor packages and their memory", counter});
    for (const GroupUsage& group : groups) {
        for (const EnergyCounter& one : group.usage.energy) {
            list.add(MetricList::more_labels(group, {{"counter", one.name}}),
                     std::optional(one.energy), microjoules_per_joule);
        }
    }
}

void add_gpus(MetricList& list) {
    list.gpu_metric({"gpu_memory_used_bytes", "Memory of the GPU that is used", gauge},
                    &GpuUsage::memory_used);
    list.gpu_metric({"gpu_memory_total_bytes", "Memory of the GPU", gauge},
                    &GpuUsage::memory_total);
    list.gpu_metric({"gpu_utilisation_ratio", "Time in which the GPU was busy", gauge},
                    &GpuUsage::utilisation, basis_points_per_one);
    list.gpu_metric({"gpu_temperature_celsius", "Temperature of the GPU", gauge},
                    &GpuUsage::temperature);
    list.gpu_metric({"gpu_power_watts", "Power of the GPU", gauge}, &GpuUsage::power, 1000);
    list.gpu_metric({"gpu_energy_joules_total", "Energy of the GPU", counter}, &GpuUsage::energy,
                    microjoules_per_joule);
}

}  // namespace

std::vector<Metric> usage_metrics(std::span<const GroupUsage> groups, std::string_view prefix) {
    MetricList list(groups, prefix);
    add_cpu(list);
    add_memory(list);
    add_tasks_and_io(list);
    add_pressure(list, groups);
    add_energy(list, groups);
    add_gpus(list);
    return std::move(list).take();
}

std::vector<Metric> health_metrics(std::span<const DeviceReport> reports, std::string_view prefix) {
    Metric metric{
        std::string(prefix) + "_device_health", "The state that the device is in", gauge, {}};
    for (const DeviceReport& report : reports) {
        for (const auto& state : enum_names(Health())) {
            metric.samples.push_back({{{"place", report.place},
                                       {"uuid", report.uuid},
                                       {"state", std::string(state.name)}},
                                      report.report.health == state.value ? 1.0 : 0.0});
        }
    }
    if (metric.samples.empty()) return {};
    return {std::move(metric)};
}

}  // namespace trestle::prometheus
