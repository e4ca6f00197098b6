// SPDX-License-Identifier: Apache-2.0
#pragma once

// A timeline as bytes and back: to keep, to send, to compare.
//
// Layer: alloc. Main functions: to_bytes, timeline_from_bytes. As those of a cluster, which are the
// first thing in them: equal timelines give equal bytes, however they came about.
// Pitfall: everything is checked again when it is read, every reservation is reserved; forged bytes
// are at worst another timeline.

#include <cstdint>
#include <span>
#include <vector>

#include "trestle/alloc/cluster/cluster_bytes.hpp"
#include "trestle/alloc/schedule/timeline.hpp"

namespace trestle {

/// The canonical bytes. Complexity: that of the cluster's, and linear in what runs and will.
[[nodiscard]] std::vector<std::uint8_t> to_bytes(const Timeline& timeline);

/// The timeline that to_bytes made these of. Errors: InvalidArgument, one line with the offset and
/// what was expected, for other bytes, another version, damage, and a timeline that cannot be.
[[nodiscard]] StatusOr<Timeline> timeline_from_bytes(std::span<const std::uint8_t> bytes,
                                                     const ClusterBytesLimits& limits = {});

}  // namespace trestle
