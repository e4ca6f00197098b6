// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a cluster is made of: ClusterParts as its users write it, Description as it keeps it.
//
// Layer: alloc. Main types: ClusterParts, detail::Description. The description knows names as
// ranges and nodes by class; Cluster::create checks and turns the one into the other.
// A reader would get wrong: nodes are known by position; a node that was removed keeps its place,
// has no name and belongs to nothing.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/node_class.hpp"
#include "trestle/alloc/cluster/node_names.hpp"
#include "trestle/base/cow/cow.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/fleet.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// What a cluster is made of.
struct ClusterParts {
    std::vector<Node> nodes;  ///< by NodeId; names differ
    Network network;
    std::vector<Partition> partitions;
    std::vector<Fleet> fleets;
    std::vector<ClusterCount> counts;  ///< licences and the like: all there are, sorted by name

    static constexpr auto fields(auto list) {
        return list(field("nodes", &ClusterParts::nodes), field("network", &ClusterParts::network),
                    field("partitions", &ClusterParts::partitions),
                    field("fleets", &ClusterParts::fleets), field("counts", &ClusterParts::counts));
    }
    friend bool operator==(const ClusterParts&, const ClusterParts&) = default;
};

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
[[nodiscard]] inline Status check_nodes(const NodeSet& nodes, const NodeNames& names,
                                        std::string_view what, std::string_view name) {
    NodeSet strangers = nodes & names.holes();
    if (const auto last = nodes.last(); last && last->value() >= names.size()) {
        strangers.insert(*last);
    }
    if (strangers.is_empty()) return {};
    return invalid_argument("{} {}: node {} does not exist", what, name,
                            strangers.first()->value());
}

/// Ok when partitions have names of their own and limits that can be met and, as fleets, name nodes
/// that exist.
[[nodiscard]] inline Status check(const std::vector<Partition>& partitions,
                                  const NodeNames& names) {
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        const Partition& one = partitions[i];
        TRESTLE_TRY_STATUS(check_nodes(one.nodes, names, "partition", one.name));
        TRESTLE_TRY_STATUS(trestle::check(one));
        for (std::size_t j = 0; j < i; ++j) {
            if (partitions[j].name != one.name) continue;
            return invalid_argument("partition {}: the name stands twice", one.name);
        }
    }
    return {};
}
[[nodiscard]] inline Status check(const std::vector<Fleet>& fleets, const NodeNames& names) {
    for (const Fleet& one : fleets) {
        TRESTLE_TRY_STATUS(check_nodes(one.nodes, names, "fleet", one.name));
    }
    return trestle::check(fleets);
}
[[nodiscard]] inline Status check(const Network& network, const NodeNames& names) {
    TRESTLE_TRY_STATUS(trestle::check(network));
    Status status;
    for_each_topology(network, [&](TopologyId, const auto& topology) {
        if (!status.ok()) return;
        status = check_nodes(nodes_of(topology), names, "topology", topology.name);
    });
    return status;
}

/// Takes a node out of all topologies.
inline void remove_node(Network& network, NodeId node) {
    for (TreeTopology& tree : network.trees) {
        for (Switch& one : tree.switches) one.nodes.erase(node);
    }
    for (BlockTopology& topology : network.blocks) {
        for (NetworkBlock& one : topology.blocks) one.nodes.erase(node);
    }
    for (TorusTopology& topology : network.toruses) {
        for (Torus& one : topology.toruses) {
            std::replace(one.nodes.begin(), one.nodes.end(), std::optional(node),
                         std::optional<NodeId>());
        }
    }
    for (RingTopology& topology : network.rings) {
        for (Ring& one : topology.rings) std::erase(one.nodes, node);
    }
}

/// The partitions that each node is in, as numbers of the different lists there are.
struct Memberships {
    std::vector<std::vector<std::uint32_t>> lists{{}};
    std::vector<std::uint32_t> list_of;  ///< by node
};

/// Complexity: linear in the nodes and in the members of the partitions.
[[nodiscard]] inline Memberships memberships(const std::vector<Partition>& partitions,
                                             std::uint32_t node_count) {
    Memberships result;
    result.list_of.assign(node_count, 0);
    for (std::uint32_t p = 0; p < partitions.size(); ++p) {
        std::vector<std::uint32_t> longer(result.lists.size(), 0);  // 0: not made yet
        for (const NodeId node : partitions[p].nodes) {
            std::uint32_t& list = result.list_of[node.value()];
            if (longer[list] == 0) {
                longer[list] = static_cast<std::uint32_t>(result.lists.size());
                result.lists.push_back(result.lists[list]);
                result.lists.back().push_back(p);
            }
            list = longer[list];
        }
    }
    return result;
}

}  // namespace detail

}  // namespace trestle
