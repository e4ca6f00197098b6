// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeClasses: the classes of a cluster's nodes, by number.
//
// Layer: alloc. Main types: NodeClasses. Each combination of shape, features, weight, state, health
// and partitions is one class; nodes with equal shapes share one shape in memory.
// Pitfall: hashes find classes, and numbers do not depend on them: they are those of the order in
// which classes were entered.

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
    /// The number of a class, or nothing. Complexity: logarithmic in the classes; linear in a shape
    /// that is not the very object of one.
    [[nodiscard]] std::optional<ClassId> find(const NodeClass& value) const;
    /// The number of a class, which is entered if it is new. Requires: check(*shape) is ok.
    /// Complexity: that of find(); a move of the tables for a new class.
    ClassId intern(NodeClass value);

  private:
    /// The hash of a shape that some class has.
    struct KnownShape {
        const NodeShape* shape = nullptr;
        std::uint64_t hash = 0;
    };
    struct Place {
        std::uint64_t hash = 0;
        ClassId id;
    };
    using Places = std::vector<Place>;  ///< by hash, then by number

    /// True of the class that was entered last, which nodes that follow each other mostly have.
    [[nodiscard]] bool is_last(const NodeClass& value) const;
    [[nodiscard]] std::uint64_t hash_of_shape(const NodeShape& shape) const;
    [[nodiscard]] std::optional<ClassId> find(const NodeClass& value, std::uint64_t hash) const;
    static void enter(Places& places, const Place& place);
    template <class Is>
    [[nodiscard]] static std::optional<ClassId> first(const Places& places, std::uint64_t hash,
                                                      const Is& is);

    std::vector<Shared<detail::KnownClass>> known_;
    std::vector<KnownShape> shapes_;  ///< by address, each object once
    Places by_shape_;                 ///< the first class of each shape
    Places by_value_;
};

}  // namespace trestle
