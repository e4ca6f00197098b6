// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/demand.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "alloc/node/demand_rules.hpp"
#include "model/core_groups.hpp"

namespace trestle {

Count cpus_of_task(const Request& request) {
    const bool asks_none = request.cpus_per_task.max == Count(0) && !request.milli_cpus.is_zero();
    return asks_none ? Count() : std::max(Count(1), request.cpus_per_task.least());
}

namespace {

/// The share of `total` that falls on a part: evenly, the first parts one more.
constexpr std::int64_t split_evenly(std::int64_t total, const NodePart& part) {
    return total / part.nodes + (part.index < total % part.nodes ? 1 : 0);
}

Count tasks_of_even_part(const Request& request, const NodePart& part) {
    const Count least = std::max(Count(1), request.tasks_per_node.least());
    if (!request.tasks) return least;
    return std::max(Count(1), Count(split_evenly(request.tasks->value(), part)));
}

Range<Count> count_on_node(const DeviceRequest& device, Count tasks, Count sockets,
                           const NodePart& part) {
    const auto scaled = [&](const std::optional<Count>& end) -> std::optional<Count> {
        if (!end) return std::nullopt;
        switch (device.per) {
            case Per::task:
                return checked_mul(*end, tasks.value()).value_or(Count::max());
            case Per::socket:
                return checked_mul(*end, sockets.value()).value_or(Count::max());
            case Per::job:
                return Count(split_evenly(end->value(), part));
            default:
                return *end;
        }
    };
    return {scaled(device.count.min), scaled(device.count.max)};
}

}  // namespace

NodeDemand demand_of(const Request& request, const NodePart& part, std::uint32_t sockets) {
    TRESTLE_EXPECTS(part.nodes > 0 && part.index >= 0 && part.index < part.nodes,
                    "a part is one of the job's nodes");
    NodeDemand demand;
    demand.tasks = part.tasks.value_or(tasks_of_even_part(request, part));
    demand.cpus_per_task = cpus_of_task(request);
    demand.milli_cpus = request.milli_cpus;
    demand.threads_per_core = request.threads_per_core.value_or(Count());
    demand.core_kind = request.core_kind;
    demand.preferred_core_kind = request.preferred_core_kind;
    if (!demand.cpus_per_task.is_zero()) {
        demand.tasks_per_core = request.tasks_per_core.value_or(Count());
    }
    demand.tasks_per_socket = request.tasks_per_socket.value_or(Count());
    demand.sockets_per_node = request.sockets_per_node.value_or(Count());
    demand.cores_per_socket = request.cores_per_socket.value_or(Count());
    demand.core_locality = request.core_locality;
    demand.core_level = request.core_level;
    demand.distribution = request.distribution.sockets;
    demand.distribution_level = request.distribution.level;
    demand.task_level = request.task_level;
    demand.plane_size = request.distribution.plane_size;
    demand.system_cores = request.system_cores;
    demand.memory = request.memory.least();
    demand.memory_per = request.memory_per;
    demand.memory_locality = request.memory_locality;
    demand.memory_level = request.memory_level;
    const Count used_sockets = request.sockets_per_node.value_or(Count(sockets));
    std::size_t of_job = 0;
    for (const DeviceRequest& device : request.devices) {
        const bool is_given = device.per == Per::job && !part.devices.empty();
        demand.devices.push_back({device,
                                  is_given
                                      ? Range<Count>::exactly(part.devices[of_job++])
                                      : count_on_node(device, demand.tasks, used_sockets, part),
                                  device.per == Per::socket ? used_sockets : Count()});
    }
    demand.common_attributes = request.common_attributes;
    demand.cpus_per_device = request.cpus_per_device.value_or(Count());
    demand.exclusivity = request.exclusivity;
    return demand;
}

}  // namespace trestle
