// SPDX-License-Identifier: Apache-2.0
// What a node gives, looked at from outside: whether it is what was asked for, and what partitions
// allow.
#pragma once

#include <cstdint>
#include <string>

#include "alloc/node/device_match.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// Hardware threads and thousandths, as partitions count them.
[[nodiscard]] inline std::int64_t oracle_milli_cpus(const Cluster& cluster,
                                                    const NodePlacement& part) {
    return 1000 * static_cast<std::int64_t>(threads_of(cluster.shape(part.node), part).count()) +
           part.milli_cpus.value();
}

/// Whether the partition lets a job have this of a node.
[[nodiscard]] inline bool oracle_allows(const Cluster& cluster, const Partition& partition,
                                        const NodePlacement& given) {
    if (partition.max_memory_per_node.value_or(Bytes::max()) < given.total_memory()) return false;
    if (!partition.max_cpus_per_node) return true;
    std::int64_t taken = oracle_milli_cpus(cluster, given);
    for (const Allocation& one : cluster.allocations()) {
        for (const NodePlacement& held : one.placement.nodes) {
            const auto& components = one.request->components;
            std::string name = one.request->partition;
            if (held.component > 0 && held.component <= components.size() &&
                !components[held.component - 1].partition.empty()) {
                name = components[held.component - 1].partition;
            }
            if (held.node == given.node && name == partition.name) {
                taken += oracle_milli_cpus(cluster, held);
            }
        }
    }
    return taken <= 1000 * partition.max_cpus_per_node->value();
}

/// With one demand for devices at most, as the generators make them.
[[nodiscard]] inline bool oracle_gives_devices(const NodePlacement& given, const NodeDemand& demand,
                                               const NodeShape& shape) {
    if (demand.devices.empty()) return given.devices.empty();
    const NodeDemand::Device& wanted = demand.devices.front();
    const Count count(static_cast<std::int64_t>(given.devices.size()));
    if (demand.devices.size() > 1 || !wanted.count.contains(count)) return false;
    const bool must_be_near =
        wanted.request.locality == Strictness::require && !given.cores.is_empty();
    CoreSet all_near;
    for (const DeviceShare& share : given.devices) {
        const Device& device = shape.devices[share.device.value()];
        const CoreSet& near = device.cores.is_empty() ? given.cores : device.cores;
        const Count shares =
            wanted.request.shares.is_zero() ? device.shares : wanted.request.shares;
        if (!is_usable(device) || mismatch(device, wanted.request)) return false;
        if (share.shares != shares) return false;
        if (must_be_near && !near.intersects(given.cores)) return false;
        all_near |= near;
    }
    const bool may_be_far =
        !must_be_near || given.devices.empty() || demand.exclusivity == Exclusivity::whole_node;
    return may_be_far || all_near.contains_all(given.cores);
}

/// True when `given` is what is asked for, looked at from outside.
[[nodiscard]] inline bool oracle_gives(const Cluster& cluster, const NodePlacement& given,
                                       const NodeDemand& demand) {
    const NodeShape& shape = cluster.shape(given.node);
    const Count threads(threads_of(shape, given).count());
    Bytes memory = demand.memory;
    if (demand.memory_per == Per::cpu) memory = memory * threads.value();
    if (demand.memory_per == Per::device) {
        memory = memory * static_cast<std::int64_t>(given.devices.size());
    }
    if (given.tasks != demand.tasks || threads < demand.cpus()) return false;
    const bool is_whole = demand.exclusivity == Exclusivity::whole_node;
    if (!is_whole && given.milli_cpus != demand.all_milli_cpus()) return false;
    if (given.total_memory() != memory) return false;
    if (is_whole &&
        (!cluster.ledger(given.node).is_idle() || given.cores != shape.hardware.all_cores())) {
        return false;
    }
    return oracle_gives_devices(given, demand, shape);
}

}  // namespace trestle
