// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/node_part.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "alloc/node/free/holding_edits.hpp"
#include "trestle/alloc/node/holding.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/fmt.hpp"
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

std::span<const NodePlacement> parts_on(const Placement& placement, NodeId node) {
    const auto first = std::lower_bound(
        placement.nodes.begin(), placement.nodes.end(), node,
        [](const NodePlacement& part, NodeId wanted) { return part.node < wanted; });
    auto end = first;
    while (end != placement.nodes.end() && end->node == node) ++end;
    return {first, end};
}

const NodePlacement* find_part(const Placement& placement, NodeId node, std::uint32_t component) {
    for (const NodePlacement& part : parts_on(placement, node)) {
        if (part.component == component) return &part;
    }
    return nullptr;
}

NodePlacement PartsOfNode::sum_of(std::span<const NodePlacement> parts) {
    NodePlacement whole = parts.front();
    for (const NodePlacement& part : parts.subspan(1)) whole = sum(std::move(whole), part);
    return whole;
}

Status check_side_by_side(const NodeShape& shape, std::span<const NodePlacement> parts) {
    NodeLedger ledger(shape);
    Holding all;
    Count tasks;
    for (const NodePlacement& part : parts) {
        const std::string who = fmt::format("component {}", part.component);
        const auto sum = checked_add(tasks, part.tasks);
        if (!sum) return invalid_argument("{}: the sum of tasks exceeds {}", who, Count::max());
        tasks = *sum;
        for (const DeviceShare& share : part.devices) {
            if (share.device.value() >= shape.devices.size() || share.slice) continue;
            const Device& device = shape.devices[share.device.value()];
            const Count both = saturating_add(all.shares_of(share.device), share.shares);
            if (both <= device.shares) continue;
            return invalid_argument("{}: device {} has {} shares, not {}", who,
                                    share.device.value(), device.shares, both);
        }
        if (part.row != parts.front().row) {
            return invalid_argument("{}: its cores are of another row than those of component {}",
                                    who, parts.front().component);
        }
        if (const auto core = (part.cores & all.all_cores()).first()) {
            return invalid_argument("{}: core {} stands in another component too", who,
                                    core->value());
        }
        const Status taken = ledger.take(part, OwnerId(part.component));
        if (!taken.ok()) return invalid_argument("{}: {}", who, message(taken));
        add(all, part);
    }
    return {};
}

namespace {

/// Of one component.
Status check_addable_part(const NodePlacement& whole, const NodePlacement& more) {
    const bool both_have_cores = !whole.cores.is_empty() && !more.cores.is_empty();
    if (both_have_cores && whole.threads_per_core != more.threads_per_core) {
        return failed_precondition("it uses {} threads of each core, not {} (0: all)",
                                   whole.threads_per_core.value(), more.threads_per_core.value());
    }
    if (!checked_add(whole.tasks, more.tasks)) {
        return failed_precondition("it has {} tasks, which leaves no room for {} more", whole.tasks,
                                   more.tasks);
    }
    return {};
}

}  // namespace

Status check_addable(const PartsOfNode& held, const PartsOfNode& more, const NodeShape& shape) {
    if (held.whole().row != more.whole().row) {
        return failed_precondition("its cores are of another row");
    }
    if (!checked_add(held.whole().tasks, more.whole().tasks)) {
        return failed_precondition("it has {} tasks, which leaves no room for {} more",
                                   held.whole().tasks, more.whole().tasks);
    }
    for (const NodePlacement& part : more.parts()) {
        for (const NodePlacement& whole : held.parts()) {
            if (whole.component != part.component) continue;
            TRESTLE_TRY_STATUS(check_addable_part(whole, part));
        }
    }
    Holding all;
    add(all, held.whole());
    for (const DeviceShare& share : more.whole().devices) {
        const Device& device = shape.devices[share.device.value()];
        const Count both = saturating_add(all.shares_of(share.device), share.shares);
        if (!device.is_consumed && device.shares < both) {
            return failed_precondition("device {} has {} shares, not {}", share.device.value(),
                                       device.shares.value(), both.value());
        }
    }
    return {};
}

}  // namespace trestle::detail
