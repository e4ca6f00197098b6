// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cluster as bytes and back: to keep, to send, to compare.
//
// Layer: alloc. Main functions: to_bytes, from_bytes. Equal clusters give equal bytes, however they
// came about. Eight bytes name the format. Its version follows, a checksum of the rest, the compact
// parts of the cluster, the different requests, and the allocations.
// Pitfall: the checksum finds what was damaged, not what was forged. Everything is checked again
// when it is read, so that forged bytes are at worst another cluster.

#include <cstdint>
#include <span>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

/// The largest content that from_bytes accepts.
struct ClusterBytesLimits {
    /// A few bytes may say any number of nodes, and each will cost memory.
    std::uint32_t nodes_max = 1U << 24;
    /// Rejects a text that is not UTF-8 or has a zero byte, for a caller that hands texts on to C
    /// or to JSON. A cluster of C++ may have such names, so they are read unless this is set.
    bool requires_utf8 = false;
};

/// The canonical bytes. Complexity: linear in the runs of nodes and in the allocations, and little
/// for each node.
[[nodiscard]] std::vector<std::uint8_t> to_bytes(const Cluster& cluster);

/// The cluster that to_bytes made these of. Errors: InvalidArgument, one line with the offset and
/// what was expected, for other bytes, another version, damage, and a cluster that cannot be.
[[nodiscard]] StatusOr<Cluster> from_bytes(std::span<const std::uint8_t> bytes,
                                           const ClusterBytesLimits& limits = {});

}  // namespace trestle
