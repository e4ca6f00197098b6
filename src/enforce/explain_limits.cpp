// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/explain_limits.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/join.hpp"
#include "base/text_table.hpp"
#include "enforce/device/taken.hpp"
#include "enforce/limits/kernel_values.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

namespace {

template <class T>
[[nodiscard]] std::string asked_text(const Range<T>& range) {
    return range.is_open() ? std::string("any") : to_text(range);
}

/// The row as the policy lets it stand: a skipped one limits nothing, best effort is said.
LimitRow under(Requirement requirement, LimitRow row) {
    if (requirement == Requirement::skip) {
        row.limited_to = "-";
        row.mechanism = "skipped by the policy";
        row.when_exceeded = LimitRow::Exceeded::nothing;
    } else if (requirement == Requirement::best_effort &&
               row.when_exceeded != LimitRow::Exceeded::nothing) {
        row.mechanism += ", best effort";
    }
    return row;
}

LimitRow not_enforced(std::string resource, std::string asked, std::string granted) {
    return {std::move(resource),     std::move(asked),           std::move(granted), "-",
            "matched, not enforced", LimitRow::Exceeded::nothing};
}

/// What `tasks` tasks ask together. An end beyond 2^63 is open.
Range<Count> times(const Range<Count>& range, Count tasks) {
    const auto scaled = [&](const std::optional<Count>& end) {
        return end ? checked_mul(*end, tasks.value()) : std::nullopt;
    };
    return {scaled(range.min), scaled(range.max)};
}

/// `4`, `500 thousandths`, `4 + 500 thousandths`.
std::string cpu_text(const std::string& whole, MilliCpu milli) {
    if (milli.is_zero()) return whole;
    return (whole == "0" ? "" : whole + " + ") + to_text(milli) + " thousandths";
}

std::vector<LimitRow> cpu_rows(const Request& request, const NodeShape& shape,
                               const NodePlacement& placement, const LimitPolicy& policy) {
    const PuSet threads = threads_of(shape, placement);
    const auto milli = checked_mul(request.milli_cpus, placement.tasks.value());
    const std::string asked = cpu_text(asked_text(times(request.cpus_per_task, placement.tasks)),
                                       milli.value_or(MilliCpu::max()));
    const std::string granted = cpu_text(std::to_string(threads.count()), placement.milli_cpus);
    if (!placement.milli_cpus.is_zero()) {
        const MilliCpu limit = cpus(threads.count()) + placement.milli_cpus;
        return {
            under(policy.requirements.cpu, {"cpu", asked, granted, to_text(limit) + " ms a second",
                                            "cpu.max", LimitRow::Exceeded::throttled})};
    }
    std::vector<LimitRow> rows = {under(
        policy.requirements.cpu, {"cpu", asked, granted, "CPU " + to_text(threads),
                                  "cpuset.cpus and affinity", LimitRow::Exceeded::throttled})};
    if (policy.has_cpu_quota) {
        rows.push_back(
            under(policy.requirements.cpu, {"cpu quota", "-", granted, granted + " s a second",
                                            "cpu.max", LimitRow::Exceeded::throttled}));
    }
    return rows;
}

/// A weight counts only while others want the same: alone a group has all.
LimitRow weight_row(const char* resource, const char* file, Count weight, Requirement requirement) {
    return under(requirement,
                 {resource, "-", "-", to_text(weight) + " where others have 100",
                  std::string(file) + ", when others want it", LimitRow::Exceeded::throttled});
}

/// Beside which CPUs and how much of them: the weight and the partition, where there are any.
std::vector<LimitRow> cpu_sharing_rows(const NodePlacement& placement, const LimitPolicy& policy) {
    std::vector<LimitRow> rows;
    if (policy.cpu_weight) {
        rows.push_back(
            weight_row("cpu weight", "cpu.weight", *policy.cpu_weight, policy.requirements.cpu));
    }
    if (policy.partition == CpusetPartition::member) return rows;
    LimitRow row{"partition",
                 "-",
                 "-",
                 std::string(to_text(policy.partition)),
                 "cpuset.cpus.partition: others are refused",
                 LimitRow::Exceeded::nothing};
    const bool has_cpus =
        placement.milli_cpus.is_zero() && policy.requirements.cpu != Requirement::skip;
    if (!has_cpus) {
        row.limited_to = "-";
        row.mechanism = "no CPUs of its own, not enforced";
    }
    rows.push_back(under(policy.requirements.partition, std::move(row)));
    return rows;
}

std::vector<LimitRow> memory_rows(const Request& request, const NodeShape& shape,
                                  const NodePlacement& placement, const LimitPolicy& policy) {
    std::string asked = asked_text(request.memory);
    if (request.memory.is_open() || request.memory.max == Bytes()) asked = "-";
    if (request.memory_per != Per::node) {
        asked += " per " + std::string(to_text(request.memory_per));
    }
    const Limits limits = limits_of(request, shape, placement, policy);
    const std::string granted = to_text(placement.total_memory());
    const auto row = [&](const std::optional<Bytes>& limit, LimitRow limited) {
        limited.limited_to = limit ? to_text(*limit) : "-";
        if (!limit) limited.mechanism = "no limit";
        if (!limit) limited.when_exceeded = LimitRow::Exceeded::nothing;
        return limited;
    };
    const Requirements& required = policy.requirements;
    const Requirement swap =
        required.memory == Requirement::skip ? Requirement::skip : required.swap;
    std::vector<LimitRow> rows{
        under(required.memory, row(limits.memory_max, {"memory", asked, granted, "", "memory.max",
                                                       LimitRow::Exceeded::killed}))};
    if (limits.memory_high) {
        rows.push_back(under(required.memory,
                             row(limits.memory_high, {"memory", asked, granted, "", "memory.high",
                                                      LimitRow::Exceeded::throttled})));
    }
    for (const auto& [bytes, file] :
         {std::pair(policy.memory_low, "memory.low"), std::pair(policy.memory_min, "memory.min")}) {
        if (!bytes) continue;
        const Bytes kept = std::min(*bytes, limits.memory_max.value_or(Bytes::max()));
        rows.push_back(
            under(required.memory, {"memory", "-", "-", to_text(kept) + " kept from others", file,
                                    LimitRow::Exceeded::nothing}));
    }
    rows.push_back(under(swap, row(limits.swap_max, {"swap", "-", "-", "", "memory.swap.max",
                                                     LimitRow::Exceeded::killed})));
    return rows;
}

/// `gpu:a100:2`, `gpu:A100|H100:40GiB..80GiB:1..8`, `gpu:2 per task`.
std::string asked_text(const DeviceRequest& request) {
    std::string text = request.name;
    for (const auto& names : {request.types, request.models}) {
        if (!names.empty()) text += ":" + detail::join(names, "|");
    }
    if (!request.memory.is_open()) text += ":" + to_text(request.memory);
    text += ":" + asked_text(request.count);
    if (!request.shares.is_zero()) text += fmt::format(" of {} shares", request.shares.value());
    if (request.per != Per::node) text += " per " + std::string(to_text(request.per));
    return text;
}

/// The names of devices asked for, then of those granted, each once.
std::vector<std::string> device_names(const Request& request, const NodeShape& shape,
                                      const NodePlacement& placement) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const DeviceRequest& device : request.devices) add(device.name);
    for (const DeviceShare& share : placement.devices) add(detail::device_of(shape, share).name);
    return names;
}

/// The filter decides only which groups may open a device. It limits no share of one.
LimitRow share_row(const Device& device, const DeviceShare& share) {
    return not_enforced("shares", "-",
                        fmt::format("{} of {} of {} {}", share.shares.value(),
                                    device.shares.value(), device.name, device.index));
}

std::vector<LimitRow> device_rows(const Request& request, const NodeShape& shape,
                                  const NodePlacement& placement, const LimitPolicy& policy) {
    const Requirement requirement = policy.requirements.devices;
    std::vector<LimitRow> rows, shares;
    for (const std::string& name : device_names(request, shape, placement)) {
        std::vector<std::string> asked;
        for (const DeviceRequest& device : request.devices) {
            if (device.name == name) asked.push_back(asked_text(device));
        }
        SmallSet<std::uint32_t> indexes;
        bool has_files = false;
        for (const DeviceShare& share : placement.devices) {
            const Device& device = detail::device_of(shape, share);
            if (device.name != name) continue;
            indexes.insert(device.index);
            has_files = has_files || !device.files.empty();
            if (share.shares != device.shares) shares.push_back(share_row(device, share));
        }
        const std::string wanted = asked.empty() ? "-" : detail::join(asked, "+");
        const std::string granted = indexes.is_empty() ? "none" : name + " " + to_text(indexes);
        rows.push_back(has_files || indexes.is_empty()
                           ? under(requirement, {"devices", wanted, granted, granted,
                                                 "device filter", LimitRow::Exceeded::refused})
                           : LimitRow{"devices", wanted, granted, "-",
                                      "no device files, not enforced",
                                      LimitRow::Exceeded::nothing});
    }
    if (rows.empty()) {
        rows.push_back(under(requirement, {"devices", "-", "none", "none", "device filter",
                                           LimitRow::Exceeded::refused}));
    }
    rows.insert(rows.end(), shares.begin(), shares.end());
    return rows;
}

/// `1MiB a second read, 100 writes a second`.
std::string rates_text(const IoLimit& limit) {
    std::vector<std::string> rates;
    const auto add = [&](const auto& number, const char* what) {
        if (number) rates.push_back(to_text(*number) + what);
    };
    add(limit.read_bytes, " a second read");
    add(limit.write_bytes, " a second written");
    add(limit.reads, " reads a second");
    add(limit.writes, " writes a second");
    return detail::join(rates, ", ");
}

/// `2 handles, 100 objects`.
std::string counts_text(const RdmaLimit& limit) {
    std::vector<std::string> counts;
    if (limit.hca_handles) counts.push_back(to_text(*limit.hca_handles) + " handles");
    if (limit.hca_objects) counts.push_back(to_text(*limit.hca_objects) + " objects");
    return detail::join(counts, ", ");
}

/// What only the policy names: block devices, huge pages, RDMA, misc.
std::vector<LimitRow> policy_rows(const LimitPolicy& policy) {
    const Requirements& required = policy.requirements;
    std::vector<LimitRow> rows;
    for (const IoLimit& limit : policy.io) {
        rows.push_back(
            under(required.io, {"io " + device_number(limit), "-", "-", rates_text(limit), "io.max",
                                LimitRow::Exceeded::throttled}));
    }
    if (policy.io_weight) {
        rows.push_back(weight_row("io weight", "io.weight", *policy.io_weight, required.io));
    }
    for (const HugetlbLimit& limit : policy.hugetlb) {
        const std::string size = huge_page_name(limit.page_size);
        rows.push_back(under(required.hugetlb, {"hugetlb " + size, "-", "-", to_text(limit.max),
                                                "hugetlb." + size + ".rsvd.max and .max",
                                                LimitRow::Exceeded::refused}));
    }
    for (const RdmaLimit& limit : policy.rdma) {
        rows.push_back(under(required.rdma, {"rdma " + limit.device, "-", "-", counts_text(limit),
                                             "rdma.max", LimitRow::Exceeded::refused}));
    }
    for (const MiscLimit& limit : policy.misc) {
        rows.push_back(under(required.misc, {"misc " + limit.name, "-", "-", to_text(limit.max),
                                             "misc.max", LimitRow::Exceeded::refused}));
    }
    return rows;
}

}  // namespace

std::vector<LimitRow> explain_limits(const Request& request, const NodeShape& shape,
                                     const NodePlacement& placement, const LimitPolicy& policy) {
    std::vector<LimitRow> rows = cpu_rows(request, shape, placement, policy);
    const auto append = [&](const std::vector<LimitRow>& more) {
        rows.insert(rows.end(), more.begin(), more.end());
    };
    append(cpu_sharing_rows(placement, policy));
    append(memory_rows(request, shape, placement, policy));
    append(device_rows(request, shape, placement, policy));
    if (policy.pids_max) {
        rows.push_back(under(policy.requirements.pids, {"pids", "-", "-", to_text(*policy.pids_max),
                                                        "pids.max", LimitRow::Exceeded::refused}));
    } else {
        rows.push_back({"pids", "-", "-", "-", "no limit", LimitRow::Exceeded::nothing});
    }
    append(policy_rows(policy));
    if (!request.disk.is_open()) {
        rows.push_back(not_enforced("disk", to_text(request.disk), "-"));
    }
    if (request.shm_size) {
        rows.push_back({"shm", to_text(*request.shm_size), "-", "-",
                        "counts as memory, size not enforced", LimitRow::Exceeded::nothing});
    }
    if (request.time_limit) {
        const std::string limit = to_text(*request.time_limit) + " s";
        rows.push_back(
            {"time", limit, limit, limit, "signals of its supervisor", LimitRow::Exceeded::killed});
    }
    return rows;
}

std::string limit_table(const std::vector<LimitRow>& rows) {
    std::vector<std::array<std::string, 6>> cells = {
        {"resource", "asked", "granted", "limited to", "mechanism", "when exceeded"}};
    for (const LimitRow& row : rows) {
        cells.push_back({row.resource, row.asked, row.granted, row.limited_to, row.mechanism,
                         std::string(to_text(row.when_exceeded))});
    }
    return detail::text_table(cells);
}

}  // namespace trestle
