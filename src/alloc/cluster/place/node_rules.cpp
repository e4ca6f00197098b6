// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/node_rules.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/place/eligibility.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

MilliCpu cpus_of(const HardwareTree& hardware, const NodePlacement& part) {
    const auto threads = static_cast<std::int64_t>(hardware.threads_of(part.cores).count());
    return MilliCpu(1000 * threads) + part.milli_cpus;
}

}  // namespace detail

std::optional<Refusal> PartitionLimits::refuse(NodeId node, const NodePlacement& part) const {
    const auto no = [&](std::string why) {
        return Refusal{
            Constraint::partition,
            fmt::format("{}: partition {} gives {}", cluster_->name(node), partition_->name, why)};
    };
    if (partition_->max_memory_per_node && *partition_->max_memory_per_node < part.total_memory()) {
        return no(fmt::format("{} of memory, the job takes {}", *partition_->max_memory_per_node,
                              part.total_memory()));
    }
    if (!partition_->max_cpus_per_node) return std::nullopt;
    const MilliCpu taken = taken_of(node);
    const MilliCpu wanted = cpus_of(node, part);
    const auto most = checked_mul(MilliCpu(1000), partition_->max_cpus_per_node->value())
                          .value_or(MilliCpu::max());
    if (taken + wanted <= most) return std::nullopt;
    return no(fmt::format("{} CPUs, its jobs have {}, this one takes {}",
                          *partition_->max_cpus_per_node, taken, wanted));
}

MilliCpu PartitionLimits::taken_of(NodeId node) const {
    MilliCpu taken;
    for (const OwnerId owner : cluster_->owners_on(node)) {
        const Allocation& held = *cluster_->find_allocation(owner);
        for (const NodePlacement& part : detail::parts_on(held.placement, node)) {
            if (partition_of(*held.request, part.component) != partition_->name) continue;
            taken += cpus_of(node, part);
        }
    }
    return taken;
}

NodeRules node_rules(const Cluster& cluster, const Request& request) {
    NodeRules rules;
    for (const std::string& name : request.required_nodes) {
        if (const auto id = cluster.find_node(name)) rules.required.insert(*id);
    }
    for (const std::string& name : request.excluded_nodes) {
        if (const auto id = cluster.find_node(name)) rules.excluded.insert(*id);
    }
    if (const auto at = find_partition(cluster, request.partition)) {
        const Partition& partition = cluster.partitions()[*at];
        if (PartitionLimits::limits_nodes(partition)) rules.limits.emplace(cluster, partition);
    }
    rules.feature_counts = &request.feature_counts;
    return rules;
}

}  // namespace trestle
