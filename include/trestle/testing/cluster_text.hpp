// SPDX-License-Identifier: Apache-2.0
#pragma once

// Clusters from one line and back: cluster_from_text("64 x (2s16c2t mem=512G gpu:4) 4 per switch").
//
// Layer: testing. Groups are separated by `;` or `+`, and their nodes follow each other:
//   [COUNT x] (NODE) [K per switch] [K per pod] [K per block]       NODE as in node_text.hpp
// Nodes are called n0, n1, .... A name= in a group with a count replaces the n, and each such
// prefix counts for itself; without a count it is the name. Leaf switches are s0, s1, ... in node
// order, below pods p0, p1, ... where there are such. All are below one called top when there are
// several, in a topology called tree. Blocks are b0, b1, ... in one called blocks. The last of a
// group may be smaller.
// Pitfall: all K count nodes, those of a pod a multiple of those of a switch, and each group starts
// new switches, pods and blocks.

#include <optional>
#include <string>
#include <string_view>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/cluster_parts.hpp"
#include "trestle/base/status.hpp"

namespace trestle::testing {

/// The nodes and the network that a line describes. Nodes of a group share one shape.
/// Errors: InvalidArgument, one line: what is wrong, the offset and word, what was expected; a name
/// that stands twice.
[[nodiscard]] StatusOr<ClusterParts> cluster_parts_from_text(std::string_view text);

/// The idle cluster that a line describes. Errors: as cluster_parts_from_text.
[[nodiscard]] StatusOr<Cluster> cluster_from_text(std::string_view text);

/// The line that makes these very parts, or nothing when no line does. None does when a node is
/// irregular, names or switches are others, or there are partitions or fleets.
[[nodiscard]] std::optional<std::string> cluster_to_text(const ClusterParts& parts);

}  // namespace trestle::testing
