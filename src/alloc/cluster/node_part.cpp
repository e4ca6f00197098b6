// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/node_part.hpp"

#include <algorithm>
#include <utility>

#include "trestle/alloc/node/holding.hpp"
#include "trestle/base/status.hpp"

namespace trestle::detail {

NodePlacement sum(NodePlacement whole, const NodePlacement& more) {
    Holding held;
    add(held, whole);
    add(held, more);
    if (whole.cores.is_empty()) whole.threads_per_core = more.threads_per_core;
    whole.tasks += more.tasks;
    whole.cores = held.cores_in(whole.row);
    whole.milli_cpus = held.milli_cpus;
    whole.memory = std::move(held.memory);
    whole.devices = std::move(held.devices);
    return whole;
}

Status check_addable(const NodePlacement& whole, const NodePlacement& more,
                     const NodeShape& shape) {
    if (whole.row != more.row) return failed_precondition("its cores are of another row");
    if (whole.component != more.component) {
        return failed_precondition("it is there for component {}, not {}", whole.component,
                                   more.component);
    }
    const bool both_have_cores = !whole.cores.is_empty() && !more.cores.is_empty();
    if (both_have_cores && whole.threads_per_core != more.threads_per_core) {
        return failed_precondition("it uses {} threads of each core, not {} (0: all)",
                                   whole.threads_per_core.value(), more.threads_per_core.value());
    }
    if (!checked_add(whole.tasks, more.tasks)) {
        return failed_precondition("it has {} tasks, which leaves no room for {} more", whole.tasks,
                                   more.tasks);
    }
    Holding held;
    add(held, whole);
    for (const DeviceShare& share : more.devices) {
        const Device& device = shape.devices[share.device.value()];
        const Count both = saturating_add(held.shares_of(share.device), share.shares);
        if (!device.is_consumed && device.shares < both) {
            return failed_precondition("device {} has {} shares, not {}", share.device.value(),
                                       device.shares.value(), both.value());
        }
    }
    return {};
}

NodePlacement subtract(NodePlacement whole, const NodePlacement& part) {
    Holding held;
    add(held, whole);
    remove(held, part);
    whole.cores = held.cores_in(whole.row);
    whole.milli_cpus = held.milli_cpus;
    whole.memory = std::move(held.memory);
    whole.devices = std::move(held.devices);
    return whole;
}

bool is_empty(const NodePlacement& part) {
    return part.cores.is_empty() && part.milli_cpus.is_zero() && part.memory.empty() &&
           part.devices.empty();
}

const NodePlacement* find_part(const Placement& placement, NodeId node) {
    const auto at = std::lower_bound(
        placement.nodes.begin(), placement.nodes.end(), node,
        [](const NodePlacement& part, NodeId wanted) { return part.node < wanted; });
    return at != placement.nodes.end() && at->node == node ? &*at : nullptr;
}

}  // namespace trestle::detail
