// SPDX-License-Identifier: Apache-2.0
#pragma once

// CompactClusterParts: what a cluster is made of, with nodes as ranges: little, however many there
// are.
//
// Layer: alloc. Main type: CompactClusterParts. The bytes of a cluster are made of it; equal
// clusters have equal compact parts, but for what is allocated.
// Pitfall: names and kinds are two lists of runs with borders of their own; both cover all nodes.

#include <cstdint>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/node_names.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/fleet.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/partition.hpp"

namespace trestle {

/// What nodes have in common but their partitions: a Node without its name.
struct NodeKind {
    std::uint32_t shape = 0;  ///< position in CompactClusterParts::shapes
    std::vector<std::string> features;
    std::uint32_t weight = 1;
    NodeState state = NodeState::up;
    Health health = Health::healthy;

    static constexpr auto fields(auto list) {
        return list(field("shape", &NodeKind::shape), field("features", &NodeKind::features),
                    field("weight", &NodeKind::weight), field("state", &NodeKind::state),
                    field("health", &NodeKind::health));
    }
    friend bool operator==(const NodeKind&, const NodeKind&) = default;
};

/// Nodes of one kind that follow each other.
struct NodeRun {
    std::uint32_t kind = 0;  ///< position in CompactClusterParts::kinds
    std::uint32_t count = 0;

    static constexpr auto fields(auto list) {
        return list(field("kind", &NodeRun::kind), field("count", &NodeRun::count));
    }
    friend bool operator==(const NodeRun&, const NodeRun&) = default;
};

/// ClusterParts in short. Shapes and kinds differ from each other and stand in the order of their
/// first node.
struct CompactClusterParts {
    std::vector<NodeNames::Run> names;
    std::vector<Shared<NodeShape>> shapes;
    std::vector<NodeKind> kinds;
    std::vector<NodeRun> nodes;
    Network network;
    std::vector<Partition> partitions;
    std::vector<Fleet> fleets;
    std::vector<ClusterCount> counts;

    [[nodiscard]] static CompactClusterParts of(const Cluster& cluster);
    /// The idle cluster. Errors: those of Cluster::create(), and runs that do not go together.
    /// Complexity: linear in the nodes, but a node costs little.
    [[nodiscard]] StatusOr<Cluster> cluster() const;

    static constexpr auto fields(auto list) {
        return list(field("names", &CompactClusterParts::names),
                    field("shapes", &CompactClusterParts::shapes),
                    field("kinds", &CompactClusterParts::kinds),
                    field("nodes", &CompactClusterParts::nodes),
                    field("network", &CompactClusterParts::network),
                    field("partitions", &CompactClusterParts::partitions),
                    field("fleets", &CompactClusterParts::fleets),
                    field("counts", &CompactClusterParts::counts));
    }
    friend bool operator==(const CompactClusterParts&, const CompactClusterParts&) = default;
};

}  // namespace trestle
