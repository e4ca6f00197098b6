// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/readings.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "drivers.hpp"
#include "library.hpp"
#include "nvml_api.hpp"
#include "os/driver_text.hpp"
#include "trestle/base/text.hpp"

namespace trestle::os {

namespace {

namespace nvml = detail::nvml;

/// A number of a driver; nothing for one that no quantity holds.
template <class Quantity>
std::optional<Quantity> told_amount(unsigned long long number, std::int64_t factor = 1) {
    const auto limit = static_cast<unsigned long long>(Quantity::max().value());
    if (number > limit) return std::nullopt;
    return checked_mul(Quantity(static_cast<std::int64_t>(number)), factor);
}

/// Reads one GPU. Any answer may be that the GPU is lost.
class GpuReader {
  public:
    GpuReader(const nvml::Api& api, nvml::Device device) : api_(api), device_(device) {}

    [[nodiscard]] GpuReading read(std::uint32_t index) {
        GpuReading reading;
        reading.index = index;
        nvml::PciInfo info;
        if (ask(api_.pci_info, &info)) reading.place = detail::nvml_place(info);
        read_usage(reading.usage);
        read_errors(reading.counters);
        read_links(reading.counters);
        reading.counters.temperature = reading.usage.temperature;
        reading.counters.slowdown_temperature = threshold(nvml::slowdown_threshold);
        reading.counters.shutdown_temperature = threshold(nvml::shutdown_threshold);
        reading.counters.is_lost = is_lost_;
        return reading;
    }

    /// The UUID and the memory, which is all that is known of an instance.
    void read_memory(GpuUsage& usage) {
        std::array<char, nvml::name_size> uuid{};
        if (ask(api_.uuid, uuid.data(), nvml::name_size)) {
            usage.uuid = detail::buffer_text({uuid.data(), uuid.size()});
        }
        nvml::Memory memory;
        if (!ask(api_.memory, &memory)) return;
        usage.memory_used = told_amount<Bytes>(memory.used);
        usage.memory_total = told_amount<Bytes>(memory.total);
    }

  private:
    template <class... Parameters, class... Arguments>
    [[nodiscard]] bool ask(int (*function)(nvml::Device, Parameters...), Arguments... arguments) {
        const int result = function == nullptr ? 1 : function(device_, arguments...);
        is_lost_ |= function != nullptr && result == nvml::lost;
        return result == 0;
    }

    void read_usage(GpuUsage& usage) {
        read_memory(usage);
        nvml::Utilization busy;
        if (ask(api_.utilization, &busy) && busy.gpu <= 100) {
            usage.utilisation = BasisPoints(std::int64_t{busy.gpu} * 100);
        }
        unsigned number = 0;
        if (ask(api_.temperature, nvml::core_temperature, &number)) {
            usage.temperature = Celsius(number);
        }
        if (ask(api_.power, &number)) usage.power = Milliwatts(number);
        unsigned long long millijoules = 0;
        if (ask(api_.energy, &millijoules)) {
            usage.energy = told_amount<Microjoules>(millijoules, 1000);
        }
    }

    void read_errors(DeviceCounters& counters) {
        unsigned long long errors = 0;
        if (ask(api_.ecc_errors, nvml::corrected, nvml::since_load, &errors)) {
            counters.corrected_errors = told_amount<Count>(errors);
        }
        if (ask(api_.ecc_errors, nvml::uncorrected, nvml::since_load, &errors)) {
            counters.uncorrected_errors = told_amount<Count>(errors);
        }
        // Pages up to Volta and Turing, rows from Ampere on.
        int pages = 0;
        if (ask(api_.pages_pending, &pages)) counters.is_repair_pending = pages != 0;
        unsigned ignored = 0;
        unsigned pending = 0;
        unsigned failed = 0;
        if (ask(api_.remapped_rows, &ignored, &ignored, &pending, &failed)) {
            counters.is_repair_pending = counters.is_repair_pending.value_or(false) || pending != 0;
            counters.has_repair_failed = failed != 0;
        }
        unsigned replays = 0;
        if (ask(api_.pcie_replays, &replays)) counters.pcie_replays = Count(replays);
    }

    /// The sums over all links that are up; absent where no link tells.
    void read_links(DeviceCounters& counters) {
        const auto add = [&](unsigned link, int kind, std::optional<Count>& sum) {
            unsigned long long errors = 0;
            if (!ask(api_.link_errors, link, kind, &errors)) return;
            const auto more = told_amount<Count>(errors);
            if (more) sum = saturating_add(sum.value_or(Count()), *more);
        };
        for (unsigned link = 0; link < nvml::links_max; ++link) {
            unsigned state = 0;
            if (!ask(api_.link_state, link, &state) || state != nvml::enabled) continue;
            add(link, nvml::link_replays, counters.nvlink_replays);
            add(link, nvml::link_recoveries, counters.nvlink_errors);
        }
    }

    [[nodiscard]] std::optional<Celsius> threshold(int which) {
        unsigned celsius = 0;
        // Some GPUs tell 0 for a threshold that they do not have.
        if (!ask(api_.threshold, which, &celsius) || celsius == 0) return std::nullopt;
        return Celsius(celsius);
    }

    const nvml::Api& api_;
    nvml::Device device_;
    bool is_lost_ = false;
};

void read_instances(const nvml::Api& api, nvml::Device device, std::vector<GpuReading>& readings) {
    unsigned mode = 0;
    unsigned pending = 0;
    unsigned count = 0;
    if (!detail::told(api.mig_mode, device, &mode, &pending) || mode != nvml::enabled ||
        !detail::told(api.mig_count, device, &count)) {
        return;
    }
    const std::string place = readings.back().place;
    const std::uint32_t index = readings.back().index;
    for (unsigned i = 0; i < std::min(count, nvml::mig_devices_max); ++i) {
        nvml::Device instance = nullptr;
        if (!detail::told(api.mig_handle, device, i, &instance)) continue;
        GpuReading reading;
        reading.index = index;
        reading.place = place;
        GpuReader(api, instance).read_memory(reading.usage);
        readings.push_back(std::move(reading));
    }
}

/// The number and the place of a line with `NVRM: Xid (PCI:0000:cb:00): 79, pid=...`.
std::optional<XidEvent> xid_in(std::string_view line) {
    constexpr std::string_view mark = "NVRM: Xid (";
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    TextCursor cursor(line.substr(at + mark.size()));
    cursor.accept("PCI:");
    std::string place(cursor.take_until(")"));
    if (place.find('.') == std::string::npos) place += ".0";
    XidEvent event{detail::bus_id_of(place), 0};
    if (event.place.empty() || !cursor.accept("): ")) return std::nullopt;
    const auto number = cursor.take_number();
    if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    event.xid = static_cast<std::uint32_t>(*number);
    return event;
}

}  // namespace

StatusOr<std::vector<GpuReading>> read_gpus(const ReadingOptions& options) {
    std::vector<GpuReading> readings;
    const auto ask = [&](const nvml::Api& api, unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            nvml::Device device = nullptr;
            const int result = api.handle(i, &device);
            if (result != 0) {
                readings.emplace_back();
                readings.back().index = i;
                if (result == nvml::lost) readings.back().counters.is_lost = true;
                continue;
            }
            readings.push_back(GpuReader(api, device).read(i));
            read_instances(api, device, readings);
        }
    };
    TRESTLE_TRY_STATUS(detail::ask_nvml(options.library_folder, ask));
    return readings;
}

StatusOr<std::vector<DeviceReport>> read_device_health(const DeviceCounters::Thresholds& thresholds,
                                                       const ReadingOptions& options) {
    TRESTLE_TRY(const auto readings, read_gpus(options));
    std::vector<DeviceReport> reports;
    for (const GpuReading& reading : readings) {
        const bool is_instance =
            &reading != readings.data() && (&reading - 1)->index == reading.index;
        if (is_instance) continue;
        reports.push_back(
            {reading.place, reading.usage.uuid, classify(reading.counters, thresholds)});
    }
    return reports;
}

std::vector<XidEvent> xids_in(std::string_view kernel_log) {
    std::vector<XidEvent> events;
    while (!kernel_log.empty()) {
        const std::size_t end = std::min(kernel_log.find('\n'), kernel_log.size());
        if (auto event = xid_in(kernel_log.substr(0, end))) events.push_back(*std::move(event));
        kernel_log.remove_prefix(std::min(end + 1, kernel_log.size()));
    }
    return events;
}

std::vector<GpuReading> with_xids(std::vector<GpuReading> readings,
                                  const std::vector<XidEvent>& events) {
    std::optional<std::uint32_t> previous;
    for (GpuReading& reading : readings) {
        const bool is_instance = previous == reading.index;
        previous = reading.index;
        if (is_instance || reading.place.empty()) continue;
        auto& xids = reading.counters.xids;
        if (!xids) xids.emplace();
        for (const XidEvent& event : events) {
            if (event.place == reading.place) xids->push_back(event.xid);
        }
    }
    return readings;
}

}  // namespace trestle::os
