// SPDX-License-Identifier: Apache-2.0
#pragma once

// ClusterParts: a cluster as its users describe it.
//
// Layer: alloc. Main types: ClusterParts. Cluster::create() checks it.
// Pitfall: nodes are known by position; a removed node keeps its position and has no name.

#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/fleet.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/partition.hpp"

namespace trestle {

/// What a cluster is made of.
struct ClusterParts {
    std::vector<Node> nodes = {};  ///< by NodeId; names differ
    Network network = {};
    std::vector<Partition> partitions = {};
    std::vector<Fleet> fleets = {};
    std::vector<ClusterCount> counts =
        {};  ///< licences and the like: all there are, sorted by name

    static constexpr auto fields(auto list) {
        return list(field("nodes", &ClusterParts::nodes), field("network", &ClusterParts::network),
                    field("partitions", &ClusterParts::partitions),
                    field("fleets", &ClusterParts::fleets), field("counts", &ClusterParts::counts));
    }
    friend bool operator==(const ClusterParts&, const ClusterParts&) = default;
};

}  // namespace trestle
