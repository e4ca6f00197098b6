// SPDX-License-Identifier: Apache-2.0
#include "usage.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"

namespace trestle::tool {
namespace {

/// The entry of that name and vendor, made where there is none.
template <class Entry>
Entry& entry_of(std::vector<Entry>& all, const std::string& name, const std::string& vendor) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const Entry& one) {
        return one.name == name && one.vendor == vendor;
    });
    if (at != all.end()) return *at;
    Entry made;
    made.name = name;
    made.vendor = vendor;
    all.push_back(std::move(made));
    return all.back();
}

/// Which of the free devices are stranded on the node.
void set_stranded(const NodeUse& node, Bytes memory_each, DeviceUse& use) {
    if (!node.takes_work) {
        use.node_gone = use.free();
        return;
    }
    const std::int64_t cores = node.cores - node.cores_taken;
    const std::int64_t memory =
        (node.memory - node.memory_taken).value() / std::max<std::int64_t>(1, memory_each.value());
    const std::int64_t usable = std::min({use.free(), cores, memory});
    (cores <= memory ? use.cores_gone : use.memory_gone) = use.free() - usable;
}

NodeUse use_of_node(const Cluster& cluster, NodeId id, Bytes memory_each) {
    const NodeShape& shape = cluster.shape(id);
    const FreeState& free = cluster.free(id);
    NodeUse use;
    use.name = cluster.name(id);
    use.state = cluster.class_of(id).state;
    use.takes_work = is_usable(cluster.class_of(id));
    const CoreSet cores = shape.allocatable_cores();
    use.cores = static_cast<std::int64_t>(cores.count());
    const std::int64_t threads = std::max<std::int64_t>(
        1, shape.cpu_count().value() / std::max<std::int64_t>(1, shape.hardware.core_count()));
    use.cores_taken = static_cast<std::int64_t>((cores - free.cores).count()) +
                      (free.held_milli_cpus.value() + 1000 * threads - 1) / (1000 * threads);
    use.memory = shape.total_memory();
    Bytes left;
    for (const Bytes one : free.memory) left += one;
    use.memory_taken = use.memory - left;
    for (std::size_t i = 0; i < shape.devices.size(); ++i) {
        const Device& device = shape.devices[i];
        if (!device.is_consumed) continue;
        DeviceUse& sum = entry_of(use.devices, device.name, device.vendor);
        ++sum.count;
        const DeviceId number(static_cast<std::uint32_t>(i));
        sum.taken += free.is_untouched(number, device) && free.slices_of(number).empty() ? 0 : 1;
    }
    for (DeviceUse& one : use.devices) set_stranded(use, memory_each, one);
    return use;
}

/// What a job of one device has of the memory, if it does not ask for any.
Bytes memory_of_job(const slurm::SelectRules* rules, const slurm::PartitionLine* line) {
    if (rules == nullptr) return mib(1);
    const slurm::JobDefaults& cluster = rules->parameters.defaults;
    for (const slurm::JobDefaults* const one :
         {line == nullptr ? nullptr : &line->defaults, &cluster}) {
        if (one == nullptr) continue;
        if (one->memory_per_gpu) return *one->memory_per_gpu;
        if (one->memory_per_cpu) return *one->memory_per_cpu;
    }
    return mib(1);
}

void add_node(NodeUse node, bool is_idle, PartitionUse& partition) {
    partition.idle += is_idle && node.takes_work ? 1 : 0;
    partition.out += node.takes_work ? 0 : 1;
    NodeUse& sum = partition.sum;
    sum.cores += node.cores;
    sum.cores_taken += node.cores_taken;
    sum.memory += node.memory;
    sum.memory_taken += node.memory_taken;
    for (const DeviceUse& use : node.devices) {
        DeviceUse& all = entry_of(sum.devices, use.name, use.vendor);
        all.count += use.count;
        all.taken += use.taken;
        all.cores_gone += use.cores_gone;
        all.memory_gone += use.memory_gone;
        all.node_gone += use.node_gone;
        FreeDevices& free = entry_of(partition.free_devices, use.name, use.vendor);
        const std::int64_t usable = use.free() - use.stranded();
        free.usable += usable;
        free.on_idle_nodes += is_idle ? usable : 0;
        free.most_on_a_node = std::max(free.most_on_a_node, usable);
    }
    partition.nodes.push_back(std::move(node));
}

void set_fragmentation(PartitionUse& partition) {
    for (FreeDevices& free : partition.free_devices) {
        const std::int64_t all = entry_of(partition.sum.devices, free.name, free.vendor).free();
        if (all == 0) continue;
        free.fragmentation = (100 * (all - free.on_idle_nodes) + all / 2) / all;
    }
}

}  // namespace

std::vector<PartitionUse> partition_uses(const Cluster& cluster, const slurm::SelectRules* rules) {
    static const std::vector<slurm::PartitionLine> none;
    const std::vector<slurm::PartitionLine>& lines = rules == nullptr ? none : rules->partitions;
    const auto is_there = [&](NodeId id) { return !cluster.name(id).empty(); };
    std::vector<bool> is_in_one(cluster.node_count(), false);
    std::vector<PartitionUse> uses;
    for (const Partition& partition : cluster.partitions()) {
        const auto line = std::find_if(lines.begin(), lines.end(),
                                       [&](const auto& one) { return one.name == partition.name; });
        const Bytes each = memory_of_job(rules, line == lines.end() ? nullptr : &*line);
        PartitionUse use;
        use.name = partition.name;
        for (const NodeId id : partition.nodes) {
            is_in_one[id.value()] = true;
            add_node(use_of_node(cluster, id, each), cluster.free(id).is_idle, use);
        }
        set_fragmentation(use);
        uses.push_back(std::move(use));
    }
    PartitionUse rest;
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        const NodeId id(i);
        if (is_in_one[i] || !is_there(id)) continue;
        add_node(use_of_node(cluster, id, memory_of_job(rules, nullptr)), cluster.free(id).is_idle,
                 rest);
    }
    set_fragmentation(rest);
    if (!rest.nodes.empty()) uses.push_back(std::move(rest));
    return uses;
}

}  // namespace trestle::tool
