// SPDX-License-Identifier: Apache-2.0
#pragma once

// Description: what a cluster keeps of its ClusterParts.
//
// Layer: alloc. Main types: detail::Description. Names are kept as ranges, nodes by class.

#include <cstdint>
#include <string_view>
#include <vector>

#include "alloc/cluster/states/node_classes.hpp"
#include "base/cow/cow.hpp"
#include "trestle/alloc/cluster/cluster_parts.hpp"
#include "trestle/alloc/cluster/node_names.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/fleet.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

namespace detail {

/// Copied when one of its parts changes; the others are shared.
struct Description {
    Cow<NodeNames> names;
    NodeClasses classes;
    Cow<Network> network;
    Cow<std::vector<Partition>> partitions;
    Cow<std::vector<Fleet>> fleets;
    std::vector<ClusterCount> counts;
};

/// Ok when the nodes are there and were not removed.
[[nodiscard]] Status check_nodes(const NodeSet& nodes, const NodeNames& names,
                                 std::string_view what, std::string_view name);

/// Ok when partitions have names of their own and limits that can be met and, as fleets, name nodes
/// that exist.
[[nodiscard]] Status check(const std::vector<Partition>& partitions, const NodeNames& names);
[[nodiscard]] Status check(const std::vector<Fleet>& fleets, const NodeNames& names);
[[nodiscard]] Status check(const Network& network, const NodeNames& names);

/// Takes a node out of all topologies.
void remove_node(Network& network, NodeId node);

/// The partitions that each node is in, as numbers of the different lists there are.
struct Memberships {
    std::vector<std::vector<std::uint32_t>> lists{{}};
    std::vector<std::uint32_t> list_of;  ///< by node
};

/// Complexity: linear in the nodes and in the members of the partitions.
[[nodiscard]] Memberships memberships(const std::vector<Partition>& partitions,
                                      std::uint32_t node_count);

}  // namespace detail

}  // namespace trestle
