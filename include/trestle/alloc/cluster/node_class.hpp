// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeClass and NodeStateData: all that a decision sees of a node.
//
// Layer: alloc. Main types: NodeClass, NodeStateData. A class is what nodes have in common; a state
// adds what is free. A cluster has few of either, however many nodes.
// Pitfall: ids of classes and states depend on the cluster's history; no answer does.

#include <cstdint>
#include <string>
#include <vector>

#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

using ClassId = Id<struct ClassIdTag>;  ///< of Cluster::class_of()

/// All that nodes of one kind have in common.
struct NodeClass {
    Shared<NodeShape> shape;
    std::vector<std::string> features;
    std::uint32_t weight = 1;
    NodeState state = NodeState::up;
    Health health = Health::healthy;
    std::vector<std::uint32_t> partitions;  ///< positions among the cluster's, rising

    static constexpr auto fields(auto list) {
        return list(field("shape", &NodeClass::shape), field("features", &NodeClass::features),
                    field("weight", &NodeClass::weight), field("state", &NodeClass::state),
                    field("health", &NodeClass::health),
                    field("partitions", &NodeClass::partitions));
    }
    friend bool operator==(const NodeClass&, const NodeClass&) = default;
};

/// True when new work may go to nodes of the class.
[[nodiscard]] inline bool is_usable(const NodeClass& one) {
    return one.state == NodeState::up && one.health != Health::failure;
}

/// All that a decision looks at of a node.
struct NodeStateData {
    ClassId node_class;
    /// The kinds of jobs on the node: bit 0 for parts of a device, bit k for k whole devices (63
    /// for more). The policy `clustering` reads it.
    std::uint64_t kinds = 0;
    FreeState free;

    static constexpr auto fields(auto list) {
        return list(field("node_class", &NodeStateData::node_class),
                    field("kinds", &NodeStateData::kinds), field("free", &NodeStateData::free));
    }
    friend bool operator==(const NodeStateData&, const NodeStateData&) = default;
};

}  // namespace trestle
