// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeClass: what nodes have in common that a decision looks at, besides what is free on them.
//
// Layer: alloc. Main types: NodeClass, NodeClasses. A cluster has few classes, however many nodes:
// each combination of shape, features, weight, state, health and partitions is one, and nodes with
// equal shapes share one in memory.
// A reader would get wrong: numbers of classes depend on the cluster's history; no answer does.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

using ClassId = Id<struct ClassIdTag>;  ///< position in NodeClasses

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

[[nodiscard]] NodeClass class_of(const Node& node);

/// True when new work may go to nodes of the class.
[[nodiscard]] inline bool is_usable(const NodeClass& one) {
    return one.state == NodeState::up && one.health != Health::failure;
}

namespace detail {

/// A class with what is worked out about it once.
struct KnownClass {
    NodeClass value;
    FreeState idle;        ///< nothing taken
    DeviceSet unconsumed;  ///< devices that are never used up
    ThreadCounts threads;  ///< of the cores
};

[[nodiscard]] KnownClass know(NodeClass value);

}  // namespace detail

/// The classes of a cluster; one that was known stays known.
class NodeClasses {
  public:
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(known_.size()); }
    [[nodiscard]] const NodeClass& operator[](ClassId id) const { return known(id).value; }
    /// Requires: the class exists.
    [[nodiscard]] const detail::KnownClass& known(ClassId id) const;
    /// The number of a class, or nothing. Complexity: linear in the classes.
    [[nodiscard]] std::optional<ClassId> find(const NodeClass& value) const;
    /// The number of a class, which is entered if it is new. Requires: check(*shape) is ok.
    /// Complexity: linear in the classes.
    ClassId intern(NodeClass value);

  private:
    std::vector<Shared<detail::KnownClass>> known_;
};

}  // namespace trestle
