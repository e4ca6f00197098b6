// SPDX-License-Identifier: Apache-2.0
#pragma once

// KeptAllocation: an allocation as a cluster keeps it, with the number of a node beside it.
// AllocationFinder: what many owners have, asked one after the other.
//
// Layer: alloc. Main types: KeptAllocation, AllocationFinder. Of a million jobs the one that ends
// is in no cache. With its node's number in the row of the map, what is known of the node is on its
// way before the allocation itself has come: the two waits for memory are one.
// Pitfall: the number is a hint and no part of the value.

#include <optional>

#include "base/cow/cow.hpp"
#include "base/cow/cow_map.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

class KeptAllocation {
  public:
    explicit KeptAllocation(Cow<Allocation> allocation);

    [[nodiscard]] const Allocation& operator*() const { return *value_; }
    [[nodiscard]] const Allocation* operator->() const { return &*value_; }
    /// What is held, to be changed or handed on.
    [[nodiscard]] Cow<Allocation>& shared() { return value_; }
    /// The lowest node of the placement, or nothing.
    [[nodiscard]] std::optional<NodeId> first_node() const { return first_node_; }

    friend bool operator==(const KeptAllocation& a, const KeptAllocation& b) {
        return a.value_ == b.value_;
    }
    void hash_into(HashState& state) const { trestle::hash_into(state, value_); }

  private:
    Cow<Allocation> value_;
    std::optional<NodeId> first_node_;
};

template <>
inline constexpr bool moves_as_bytes<KeptAllocation> = true;

/// Lists of owners mostly rise, and an owner that follows the last one is found beside it.
class AllocationFinder {
  public:
    /// The cluster has to stay as it is.
    explicit AllocationFinder(const Cluster& cluster);

    /// What Cluster::find_allocation() gives.
    [[nodiscard]] const Allocation* find(OwnerId owner) {
        last_ = allocations_.find_near(last_, owner);
        return last_ == allocations_.end() ? nullptr : &*last_->value;
    }

  private:
    using Allocations = CowMap<OwnerId, KeptAllocation>;

    const Allocations& allocations_;
    Allocations::const_iterator last_;
};

}  // namespace trestle::detail
