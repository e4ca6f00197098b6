// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeRules: what a group of a job asks of its nodes that their states do not tell.
//
// Layer: alloc. Main types: NodeRules, PartitionLimits. Nodes named by the request, what jobs of
// its partition have on a node already, and features that only some of the nodes have to have.
// A reader would get wrong: a partition's CPUs of a node are for all of its jobs together, its
// memory is for each; what was adopted is of no partition.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/place/eligibility.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/features.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

namespace detail {

/// The CPUs that a part of a node is, as partitions count them.
[[nodiscard]] inline MilliCpu cpus_of(const HardwareTree& hardware, const NodePlacement& part) {
    const auto threads = static_cast<std::int64_t>(hardware.threads_of(part.cores).count());
    return MilliCpu(1000 * threads) + part.milli_cpus;
}

}  // namespace detail

/// What one partition gives of one node.
class PartitionLimits {
  public:
    /// Requires: the partition is one of the cluster's.
    PartitionLimits(const Cluster& cluster, const Partition& partition)
        : cluster_(&cluster), partition_(&partition) {}

    /// True when there is anything to ask.
    [[nodiscard]] static bool limits_nodes(const Partition& partition) {
        return partition.max_cpus_per_node || partition.max_memory_per_node;
    }

    /// Why the partition does not give the part on the node; nothing when it does.
    /// Complexity: the owners on the node.
    [[nodiscard]] std::optional<Refusal> refuse(NodeId node, const NodePlacement& part) const {
        const auto no = [&](std::string why) {
            return Refusal{Constraint::partition,
                           fmt::format("{}: partition {} gives {}", cluster_->name(node),
                                       partition_->name, why)};
        };
        if (partition_->max_memory_per_node &&
            *partition_->max_memory_per_node < part.total_memory()) {
            return no(fmt::format("{} of memory, the job takes {}",
                                  *partition_->max_memory_per_node, part.total_memory()));
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

  private:
    [[nodiscard]] MilliCpu cpus_of(NodeId node, const NodePlacement& part) const {
        return detail::cpus_of(cluster_->shape(node).hardware, part);
    }
    /// What jobs of the partition have.
    [[nodiscard]] MilliCpu taken_of(NodeId node) const {
        MilliCpu taken;
        for (const OwnerId owner : cluster_->owners_on(node)) {
            const Allocation& held = *cluster_->find_allocation(owner);
            if (held.request->partition != partition_->name) continue;
            taken += cpus_of(node, *detail::find_part(held.placement, node));
        }
        return taken;
    }

    const Cluster* cluster_;
    const Partition* partition_;
};

/// Rules of the nodes of one group of a job.
struct NodeRules {
    NodeSet required;
    NodeSet excluded;
    std::optional<PartitionLimits> limits;
    const std::vector<FeatureCount>* feature_counts = nullptr;

    /// True when a node that can take a part may take it; part() is what it gives, asked for where
    /// that matters.
    template <class Part>
    [[nodiscard]] bool allow(NodeId node, const Part& part) const {
        return !excluded.contains(node) && (!limits || !limits->refuse(node, part()));
    }
    /// True when every node that can take a part may take it.
    [[nodiscard]] bool allow_all() const { return excluded.is_empty() && !limits; }
    [[nodiscard]] bool has_feature_counts() const {
        return feature_counts != nullptr && !feature_counts->empty();
    }
};

/// The rules of a request, or of a component. Names of nodes that are not there are left out.
[[nodiscard]] inline NodeRules node_rules(const Cluster& cluster, const Request& request) {
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
