// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/candidates/node_need.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "alloc/node/demand_rules.hpp"
#include "alloc/node/device_match.hpp"
#include "alloc/schedule/detail/least_free.hpp"
#include "trestle/alloc/node/demand.hpp"

namespace trestle {

namespace detail {

namespace {

/// Tasks of each node at least. Tasks that are counted in all may be dealt out one to a node.
std::int64_t tasks_of_node(const Request& request) {
    const bool has_one_node = request.nodes.max == Count(1);
    if (request.tasks) return has_one_node ? request.tasks->value() : 1;
    return std::max<std::int64_t>(1, request.tasks_per_node.least().value());
}

/// Whole devices of each node at least.
std::int64_t devices_of_node(const Request& request, const DeviceRequest& device,
                             std::int64_t tasks) {
    const std::int64_t count = device.count.least().value();
    switch (device.per) {
        case Per::task:
            return saturating_product(count, tasks);
        case Per::job:
            return request.nodes.max == Count(1) ? count : 0;
        default:
            return count;
    }
}

std::int64_t memory_of_node(const Request& request, std::int64_t cpus, std::int64_t devices) {
    const std::int64_t bytes = request.memory.least().value();
    switch (request.memory_per) {
        case Per::cpu:
            return saturating_product(bytes, cpus);
        case Per::device:
            return saturating_product(bytes, devices);
        default:
            return bytes;
    }
}

/// Threads of the core that has most.
std::int64_t most_threads(const KnownClass& known) {
    std::int64_t threads = 1;
    for (const ThreadCounts::Kind& kind : known.threads.kinds()) {
        threads = std::max(threads, kind.threads);
    }
    return threads;
}

}  // namespace

NodeNeed least_need(const Request& request) {
    NodeNeed need;
    const std::int64_t tasks = tasks_of_node(request);
    std::int64_t devices = 0;
    for (const DeviceRequest& one : request.devices) {
        const bool is_certain =
            request.device_alternatives.empty() && one.slice.empty() && one.shares.is_zero();
        const std::int64_t count = is_certain ? devices_of_node(request, one, tasks) : 0;
        if (count == 0) continue;
        // CPUs and memory come with devices of the first demand's name.
        const bool brings = one.name == request.devices.front().name;
        if (brings) devices += std::min<std::int64_t>(count, 1 << 20);
        need.devices.push_back(one);
        need.devices.back().count = Range<Count>::exactly(Count(count));
    }
    need.cpus = saturating_product(tasks, cpus_of_task(request).value());
    if (request.cpus_per_device) {
        need.cpus =
            std::max(need.cpus, saturating_product(request.cpus_per_device->value(), devices));
    }
    if (request.tasks_per_core) need.cpus = 1;  // more tasks than CPUs may share a core
    if (cpus_of_task(request).is_zero()) need.cpus = 0;
    need.threads_per_core = request.threads_per_core.value_or(Count()).value();
    need.memory = memory_of_node(request, need.cpus, devices);
    return need;
}

bool may_have_place_when_idle(const Cluster& cluster, const Request& request) {
    if (!request.components.empty()) return true;
    const NodeNeed need = least_need(request);
    const NodeClasses& classes = cluster.classes();
    std::vector<std::optional<bool>> serves(classes.size());
    std::int64_t nodes = 0;
    cluster.states().for_each([&](StateId state) {
        const ClassId id = cluster.states()[state]->node_class;
        std::optional<bool>& answer = serves[id.value()];
        if (!answer) {
            answer = !refuse_class(cluster, classes[id], request, "") &&
                     ClassNeed(need, classes.known(id)).is_enough_when_idle();
        }
        if (*answer) nodes += cluster.states().nodes_in(state);
    });
    return nodes >= std::max<std::int64_t>(1, request.nodes.least().value());
}

TaskRoom::TaskRoom(const Cluster& cluster, const Request& request)
    : cpus_(cpus_of_task(request).value()) {
    // More tasks than CPUs may share a core; thousandths of CPUs take no core.
    if (!request.tasks || request.tasks_per_core || cpus_ == 0) return;
    wanted_ = request.tasks->value();
    for (std::uint32_t i = 0; i < cluster.classes().size(); ++i) {
        const KnownClass& known = cluster.classes().known(ClassId(i));
        by_class_.push_back(
            {static_cast<std::int64_t>(known.idle.cores.count()), most_threads(known)});
    }
}

std::int64_t TaskRoom::on(ClassId node_class, std::span<const NodeParts::Part> parts,
                          Instant at) const {
    const Cores& cores = by_class_[node_class.value()];
    std::int64_t free = cores.count;
    for (const NodeParts::Part& part : parts) {
        if (part.period.first <= at && at < part.period.end) free -= part.cores;
    }
    return std::max<std::int64_t>(0, free) * cores.threads / cpus_;
}

ClassNeed::ClassNeed(const NodeNeed& need, const KnownClass& known) {
    std::int64_t threads = most_threads(known);
    if (need.threads_per_core > 0) threads = std::min(threads, need.threads_per_core);
    cores_max_ = static_cast<std::int64_t>(known.idle.cores.count()) -
                 (need.cpus / threads + (need.cpus % threads != 0 ? 1 : 0));
    for (const Bytes free : known.idle.memory) memory_max_ += free.value();
    memory_max_ -= need.memory;
    const std::vector<Device>& devices = known.value.shape->devices;
    for (const DeviceRequest& one : need.devices) {
        Devices wanted;
        std::int64_t all = 0;
        for (std::size_t i = 0; i < devices.size(); ++i) {
            if (mismatch(devices[i], one)) continue;
            ++all;
            if (i < 64) wanted.usable |= std::uint64_t{1} << i;
        }
        wanted.taken_max = static_cast<int>(
            std::clamp<std::int64_t>(all - one.count.least().value(), -1, 1 << 20));
        devices_.push_back(wanted);
    }
}

bool ClassNeed::is_enough_of(std::int64_t cores, std::int64_t memory, std::uint64_t devices) const {
    return cores <= cores_max_ && memory <= memory_max_ &&
           std::all_of(devices_.begin(), devices_.end(), [&](const Devices& one) {
               return std::popcount(devices & one.usable) <= one.taken_max;
           });
}

bool ClassNeed::is_enough_in(const KnownClass& known, const FreeState& free) const {
    const FreeState& idle = known.idle;
    std::int64_t memory = 0;
    for (std::size_t i = 0; i < idle.memory.size(); ++i) {
        memory += (idle.memory[i] - free.memory[i]).value();
    }
    std::uint64_t devices = 0;
    for (std::uint32_t i = 0; i < std::min<std::size_t>(64, idle.shares.size()); ++i) {
        const bool is_taken = free.shares[i] != idle.shares[i];
        if (is_taken && !known.unconsumed.contains(DeviceId(i))) devices |= std::uint64_t{1} << i;
    }
    const auto cores = static_cast<std::int64_t>(cores_alone(idle.cores, free).count());
    return is_enough_of(cores, memory, devices);
}

void ClassNeed::count(const NodeParts::Part& part, int sign) {
    cores_ += sign * part.cores;
    memory_ += sign * part.memory;
    for (std::uint64_t left = part.devices; left != 0; left &= left - 1) {
        const auto device = static_cast<std::size_t>(std::countr_zero(left));
        std::uint16_t& owners = owners_of_device_[device];
        owners = static_cast<std::uint16_t>(owners + sign);
        const std::uint64_t bit = std::uint64_t{1} << device;
        devices_taken_ = owners != 0 ? devices_taken_ | bit : devices_taken_ & ~bit;
    }
}

void ClassNeed::find_periods(std::span<const NodeParts::Part> parts, std::vector<Period>& periods) {
    periods.clear();
    if (!is_enough()) return;  // with nothing taken
    by_end_.clear();
    for (const NodeParts::Part& part : parts) by_end_.push_back(&part);
    std::sort(by_end_.begin(), by_end_.end(),
              [](const auto* a, const auto* b) { return a->period.end < b->period.end; });
    auto come = parts.begin();
    auto gone = by_end_.begin();
    Instant since;
    bool was_enough = true;
    while (come != parts.end()) {  // behind the last start it can only become more
        Instant at = come->period.first;
        if ((*gone)->period.end <= at) at = (*gone)->period.end;
        for (; gone != by_end_.end() && (*gone)->period.end <= at; ++gone) count(**gone, -1);
        for (; come != parts.end() && come->period.first <= at; ++come) count(*come, 1);
        const bool is_now = is_enough();
        if (was_enough && !is_now && since < at) periods.push_back({since, at});
        if (!was_enough && is_now) since = at;
        was_enough = is_now;
    }
    for (; gone != by_end_.end(); ++gone) {
        count(**gone, -1);
        const bool is_now = is_enough();
        if (!was_enough && is_now) since = (*gone)->period.end;
        was_enough = is_now;
    }
    if (was_enough && since < end_of_time) periods.push_back({since, end_of_time});
}

}  // namespace detail

}  // namespace trestle
