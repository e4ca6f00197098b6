// SPDX-License-Identifier: Apache-2.0
#include "observe.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "../kernel_text.hpp"
#include "group/values.hpp"
#include "trestle/os/supervisor.hpp"

namespace trestle::os::detail {

namespace {

/// The text of a file; nothing when it is not there or may not be read.
std::optional<std::string> text_in(const GroupDirectory& group, const char* file) {
    auto text = group.read(file);
    if (!text.ok()) return std::nullopt;
    return *std::move(text);
}

template <class Quantity>
std::optional<Quantity> amount_in(const GroupDirectory& group, const char* file) {
    const auto text = text_in(group, file);
    return quantity<Quantity>(text ? whole_number(*text) : std::nullopt);
}

template <class Quantity>
std::optional<Quantity> keyed_amount(const std::optional<std::string>& text, const char* key) {
    return quantity<Quantity>(text ? keyed_number(*text, key) : std::nullopt);
}

void read_cpu(const GroupDirectory& group, ResourceUsage& usage) {
    const auto stat = text_in(group, "cpu.stat");
    usage.cpu_time = keyed_amount<Microseconds>(stat, "usage_usec");
    usage.cpu_user = keyed_amount<Microseconds>(stat, "user_usec");
    usage.cpu_system = keyed_amount<Microseconds>(stat, "system_usec");
    usage.throttled_time = keyed_amount<Microseconds>(stat, "throttled_usec");
    usage.cpu_periods = keyed_amount<Count>(stat, "nr_periods");
    usage.throttled_periods = keyed_amount<Count>(stat, "nr_throttled");
}

/// memory.current and memory.stat are read one after the other, so that what is inactive may be
/// more than there was a moment ago.
void read_memory(const GroupDirectory& group, ResourceUsage& usage) {
    usage.memory = amount_in<Bytes>(group, "memory.current");
    usage.memory_peak = amount_in<Bytes>(group, "memory.peak");
    usage.swap = amount_in<Bytes>(group, "memory.swap.current");
    usage.oom_kills = oom_kills_in(group);
    const auto stat = text_in(group, "memory.stat");
    usage.memory_anon = keyed_amount<Bytes>(stat, "anon");
    usage.memory_file = keyed_amount<Bytes>(stat, "file");
    const auto inactive = keyed_amount<Bytes>(stat, "inactive_file");
    if (usage.memory && inactive) usage.working_set = saturating_sub(*usage.memory, *inactive);
}

void read_io(const GroupDirectory& group, ResourceUsage& usage) {
    const auto stat = text_in(group, "io.stat");
    if (!stat) return;
    const IoTotals totals = io_totals(*stat);
    usage.read_bytes = quantity<Bytes>(totals.read_bytes);
    usage.written_bytes = quantity<Bytes>(totals.written_bytes);
    usage.reads = quantity<Count>(totals.reads);
    usage.writes = quantity<Count>(totals.writes);
}

ResourceUsage::Pressure pressure_in(const GroupDirectory& group, const char* file) {
    const auto text = text_in(group, file);
    return text ? pressure_of(*text) : ResourceUsage::Pressure{};
}

}  // namespace

ResourceUsage observe_group(const GroupDirectory& group) {
    ResourceUsage usage;
    usage.at = monotonic_now();
    read_cpu(group, usage);
    read_memory(group, usage);
    read_io(group, usage);
    usage.pids = amount_in<Count>(group, "pids.current");
    usage.pids_peak = amount_in<Count>(group, "pids.peak");
    usage.cpu_pressure = pressure_in(group, "cpu.pressure");
    usage.memory_pressure = pressure_in(group, "memory.pressure");
    usage.io_pressure = pressure_in(group, "io.pressure");
    return usage;
}

}  // namespace trestle::os::detail
