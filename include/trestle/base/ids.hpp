// SPDX-License-Identifier: Apache-2.0
#pragma once

// Strong ids: an index into one kind of thing cannot be passed where another kind is meant.
//
// Layer: base. Main types: Id<Tag>, OsIndex, CoreId, DomainId, DeviceId, BlockId, NodeId,
// OwnerId.
// Pitfall: a CoreId counts cores in tree order (hwloc's *logical* order), an OsIndex is what the
// kernel calls a hardware thread or NUMA node. Kernel files and affinity masks take OsIndex,
// placements hold CoreId; only the hardware tree converts between them.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace trestle {

/// A typed number that names one object. Ids compare and hash; they have no arithmetic.
template <class Tag, class Rep = std::uint32_t>
class Id {
  public:
    using rep = Rep;

    constexpr Id() = default;
    constexpr explicit Id(Rep value) : value_(value) {}

    [[nodiscard]] constexpr Rep value() const { return value_; }

    friend constexpr bool operator==(Id, Id) = default;
    friend constexpr auto operator<=>(Id, Id) = default;

  private:
    Rep value_ = 0;
};

using OsIndex = Id<struct OsIndexTag>;    ///< the kernel's number of a thread or NUMA node
using CoreId = Id<struct CoreIdTag>;      ///< position of a core in a node's hardware tree
using DomainId = Id<struct DomainIdTag>;  ///< position of a memory domain in a node's shape
using DeviceId = Id<struct DeviceIdTag>;  ///< position of a device in a node's shape
using BlockId = Id<struct BlockIdTag>;    ///< position of a block of a host cut into such
using NodeId = Id<struct NodeIdTag>;      ///< position of a node in a cluster

/// An owner of resources: a job, a step or a container. The caller chooses the number.
using OwnerId = Id<struct OwnerIdTag, std::uint64_t>;

}  // namespace trestle

template <class Tag, class Rep>
struct std::hash<trestle::Id<Tag, Rep>> {
    std::size_t operator()(trestle::Id<Tag, Rep> id) const noexcept {
        return std::hash<Rep>{}(id.value());
    }
};
