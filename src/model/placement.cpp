// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/placement.hpp"

#include "model/units_text.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

Bytes NodePlacement::total_memory() const {
    return std::accumulate(memory.begin(), memory.end(), Bytes(),
                           [](Bytes sum, const MemoryShare& m) { return sum + m.bytes; });
}

DeviceSet NodePlacement::device_set() const {
    DeviceSet set;
    for (const DeviceShare& share : devices) set.insert(share.device);
    return set;
}

Placement component_placement(const Placement& placement, std::uint32_t component) {
    Placement found;
    for (const NodePlacement& part : placement.nodes) {
        if (part.component == component) found.nodes.push_back(part);
    }
    return found;
}

namespace {

/// What a placement takes in all.
struct AmountSums {
    Count tasks;
    MilliCpu milli_cpus;
    Bytes memory;
    Count shares;
};

/// False when the sum does not fit.
template <class Amount>
bool add_to(Amount& sum, Amount more) {
    const auto both = checked_add(sum, more);
    sum = both.value_or(sum);
    return both.has_value();
}

/// The first amount whose sum does not fit; empty when each does.
std::string_view add_part(AmountSums& sums, const NodePlacement& part) {
    if (!add_to(sums.tasks, part.tasks)) return "tasks";
    if (!add_to(sums.milli_cpus, part.milli_cpus)) return "milli_cpus";
    for (const MemoryShare& share : part.memory) {
        if (!add_to(sums.memory, share.bytes)) return "memory";
    }
    for (const DeviceShare& share : part.devices) {
        if (!add_to(sums.shares, share.shares)) return "shares of devices";
    }
    return {};
}

Status check_sums(const NodePlacement* parts, std::size_t count) {
    AmountSums sums;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view amount = add_part(sums, parts[i]);
        if (amount.empty()) continue;
        return invalid_argument("node {}: the sum of {} up to here exceeds {}, the largest amount",
                                parts[i].node.value(), amount, Count::max().value());
    }
    return {};
}

Status check(const NodeShape& shape, const DeviceShare& share) {
    const std::uint32_t id = share.device.value();
    if (id >= shape.devices.size()) {
        return invalid_argument("device {} does not exist, the node has {}", id,
                                shape.devices.size());
    }
    const Device& device = shape.devices[id];
    if (!share.slice) {
        if (!share.shares.is_zero() && share.shares <= device.shares) return {};
        return invalid_argument("device {}: {} shares, expected 1 to {}", id, share.shares,
                                device.shares);
    }
    const std::uint32_t slices = device.slicing ? device.slicing->geometry.memory_slices : 0;
    const Slicing::Instance& instance = *share.slice;
    if (share.shares == Count(1) && instance.size > 0 && instance.start < slices &&
        instance.size <= slices - instance.start) {
        return {};
    }
    return invalid_argument(
        "device {}: instance {} of {} memory slices at {}, expected one share of an instance "
        "inside its {} slices",
        id, instance.profile, instance.size, instance.start, slices);
}

}  // namespace

Status check(const NodePlacement& placement) { return check_sums(&placement, 1); }

Status check(const Placement& placement) {
    return check_sums(placement.nodes.data(), placement.nodes.size());
}

Status check(const NodeShape& shape, const NodePlacement& placement) {
    TRESTLE_TRY_STATUS(check(placement));
    const auto last_core = placement.cores.last();
    if (last_core && last_core->value() >= shape.hardware.core_count()) {
        return invalid_argument("core {} does not exist, expected 0-{}", last_core->value(),
                                std::int64_t{shape.hardware.core_count()} - 1);
    }
    if (const MilliCpu all = cpus(shape.cpu_count().value()); all < placement.milli_cpus) {
        return invalid_argument("milli_cpus: {}, the node has {}", placement.milli_cpus, all);
    }
    for (const MemoryShare& share : placement.memory) {
        if (share.domain.value() < shape.memory.size()) continue;
        return invalid_argument("memory domain {} does not exist, the node has {}",
                                share.domain.value(), shape.memory.size());
    }
    for (const DeviceShare& share : placement.devices) {
        TRESTLE_TRY_STATUS(check(shape, share));
    }
    return {};
}

std::string to_text(const NodePlacement& placement) {
    std::string text = "node " + to_text(placement.node) + ":";
    if (placement.component != 0) text += " component=" + std::to_string(placement.component);
    if (placement.tasks != Count(1)) text += " tasks=" + to_text(placement.tasks);
    text += " cores=" + to_text(placement.cores);
    if (!placement.threads_per_core.is_zero()) {
        text += " threads_per_core=" + to_text(placement.threads_per_core);
    }
    if (placement.row) text += " row=" + std::to_string(*placement.row);
    if (!placement.milli_cpus.is_zero()) text += " milli_cpus=" + to_text(placement.milli_cpus);
    const char* before = " memory=";
    for (const MemoryShare& share : placement.memory) {
        text += before + to_text(share.domain) + ":" + to_text(share.bytes);
        before = ",";
    }
    before = " devices=";
    for (const DeviceShare& share : placement.devices) {
        text += before + to_text(share.device);
        if (share.slice) {
            text += "[" + share.slice->profile + "@" + std::to_string(share.slice->start) + "]";
        } else if (share.shares != Count(1)) {
            text += "(" + to_text(share.shares) + ")";
        }
        before = ",";
    }
    return text;
}

std::string units_to_text(const NodePlacement& placement, const Node& node) {
    TRESTLE_EXPECTS(check(*node.shape, placement).ok(), "the node has what is placed on it");
    std::string text = "cores=" + to_text(placement.cores);
    if (!placement.milli_cpus.is_zero()) text += " milli_cpus=" + to_text(placement.milli_cpus);
    if (!placement.memory.empty()) {
        text += " memory=";
        for (std::size_t i = 0; i < placement.memory.size(); ++i) {
            const MemoryShare& share = placement.memory[i];
            text += fmt::format("{}{}:{}", i == 0 ? "" : ",", share.domain, share.bytes);
        }
    }
    if (!placement.devices.empty()) {
        text += " devices=";
        for (std::size_t i = 0; i < placement.devices.size(); ++i) {
            const DeviceShare& share = placement.devices[i];
            const Device& device = node.shape->devices[share.device.value()];
            text += fmt::format("{}{}:{}", i == 0 ? "" : ",", device.name, device.index);
            if (share.slice) {
                text += fmt::format("[{}@{}]", share.slice->profile, share.slice->start);
            } else if (share.shares != device.shares) {
                text += fmt::format("({}/{})", share.shares, device.shares);
            }
        }
    }
    return text;
}

std::string to_text(const NodePlacement& placement, const Node& node) {
    return node.name + " " + units_to_text(placement, node);
}

std::string to_text(const Placement& placement) {
    std::string text;
    for (const NodePlacement& node : placement.nodes) {
        text += (text.empty() ? "" : "; ") + to_text(node);
    }
    const char* before = text.empty() ? "cluster: " : "; cluster: ";
    for (const ClusterCount& one : placement.cluster_counts) {
        text += before + to_text(one);
        before = ",";
    }
    return text;
}

PuSet threads_of(const NodeShape& shape, const NodePlacement& placement) {
    TRESTLE_EXPECTS(check(shape, placement).ok(), "the node has what is placed on it");
    if (placement.threads_per_core.is_zero()) return shape.hardware.threads_of(placement.cores);
    PuSet used;
    for (const CoreId core : placement.cores) {
        const auto& threads = shape.hardware.cores[core.value()].threads;
        const auto count =
            std::min(static_cast<std::int64_t>(threads.size()), placement.threads_per_core.value());
        for (std::int64_t i = 0; i < count; ++i) used.insert(threads[static_cast<std::size_t>(i)]);
    }
    return used;
}

TresCounts tres_of(const NodeShape& shape, const NodePlacement& placement) {
    TRESTLE_EXPECTS(check(shape, placement).ok(), "the node has what is placed on it");
    TresCounts counts;
    counts.add({"node", ""}, Count(1));
    counts.add({"cpu", ""}, Count(shape.hardware.threads_of(placement.cores).count()));
    if (!placement.milli_cpus.is_zero()) {
        counts.add({"cpu_milli", ""}, Count(placement.milli_cpus.value()));
    }
    counts.add({"mem", ""}, Count(placement.total_memory().value()));
    for (const DeviceShare& share : placement.devices) {
        const Device& device = shape.devices[share.device.value()];
        if (!device.is_consumed) continue;
        if (share.slice) {
            counts.add({"gres", device.name + "_slice"}, Count(1));
            counts.add({"gres", device.name + "_slice:" + share.slice->profile}, Count(1));
            continue;
        }
        if (share.shares != device.shares) {
            counts.add({"gres", device.name + "_share"}, share.shares);
            continue;
        }
        counts.add({"gres", device.name}, Count(1));
        if (!device.type.empty()) counts.add({"gres", device.name + ":" + device.type}, Count(1));
    }
    return counts;
}

bool is_usable(const NodeShape& shape, const NodePlacement& placement) {
    TRESTLE_EXPECTS(check(shape, placement).ok(), "the node has what is placed on it");
    return std::all_of(
        placement.devices.begin(), placement.devices.end(),
        [&](const DeviceShare& share) { return is_usable(shape.devices[share.device.value()]); });
}

TresCounts capacity_of(const NodeShape& shape) {
    NodePlacement all;
    all.cores = shape.allocatable_cores();
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        const MemoryDomain& domain = shape.memory[i];
        if (domain.is_ordinary()) all.memory.push_back({DomainId(i), domain.allocatable()});
    }
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        const Device& device = shape.devices[i];
        if (is_usable(device)) all.devices.push_back({DeviceId(i), device.shares});
    }
    return tres_of(shape, all);
}

}  // namespace trestle
