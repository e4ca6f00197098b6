// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeRules: what a group of a job asks of its nodes that their states do not tell.
//
// Layer: alloc. Main types: NodeRules, PartitionLimits. Nodes named by the request, what jobs of
// its partition have on a node already, and features that only some of the nodes have to have.
// Pitfall: a partition's CPUs of a node are for all of its jobs together, its memory is for each;
// what was adopted is of no partition.

#include <optional>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/features.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

namespace detail {

/// The CPUs that a part of a node is, as partitions count them.
[[nodiscard]] MilliCpu cpus_of(const HardwareTree& hardware, const NodePlacement& part);

}  // namespace detail

/// What one partition gives of one node.
class PartitionLimits {
  public:
    /// Requires: the partition is one of the cluster's.
    PartitionLimits(const Cluster& cluster, const Partition& partition)
        : cluster_(&cluster), partition_(&partition) {}

    [[nodiscard]] const Partition& partition() const { return *partition_; }
    /// True when there is anything to ask.
    [[nodiscard]] static bool limits_nodes(const Partition& partition) {
        return partition.max_cpus_per_node || partition.max_memory_per_node;
    }

    /// Why the partition does not give the part on the node; nothing when it does.
    /// Complexity: the owners on the node.
    [[nodiscard]] std::optional<Refusal> refuse(NodeId node, const NodePlacement& part) const;

  private:
    [[nodiscard]] MilliCpu cpus_of(NodeId node, const NodePlacement& part) const {
        return detail::cpus_of(cluster_->shape(node).hardware, part);
    }
    /// What jobs of the partition have.
    [[nodiscard]] MilliCpu taken_of(NodeId node) const;

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
[[nodiscard]] NodeRules node_rules(const Cluster& cluster, const Request& request);

}  // namespace trestle
