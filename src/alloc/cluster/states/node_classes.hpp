// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeClasses: the classes of a cluster's nodes, by number.
//
// Layer: alloc. Main types: NodeClasses. Each combination of shape, features, weight, state, health
// and partitions is one class; nodes with equal shapes share one shape in memory.

#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/alloc/cluster/node_class.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

namespace detail {

/// A class with what is worked out about it once.
struct KnownClass {
    NodeClass value;
    FreeState idle;        ///< nothing taken
    DeviceSet unconsumed;  ///< devices that are never used up
    ThreadCounts threads;  ///< of the cores
};

[[nodiscard]] KnownClass precompute(NodeClass value);

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
