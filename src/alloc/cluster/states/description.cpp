// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/states/description.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/topologies.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace detail {

Status check_nodes(const NodeSet& nodes, const NodeNames& names, std::string_view what,
                   std::string_view name) {
    NodeSet strangers = nodes & names.holes();
    if (const auto last = nodes.last(); last && last->value() >= names.size()) {
        strangers.insert(*last);
    }
    if (strangers.is_empty()) return {};
    return invalid_argument("{} {}: node {} does not exist", what, name,
                            strangers.first()->value());
}

Status check(const std::vector<Partition>& partitions, const NodeNames& names) {
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

Status check(const std::vector<Fleet>& fleets, const NodeNames& names) {
    for (const Fleet& one : fleets) {
        TRESTLE_TRY_STATUS(check_nodes(one.nodes, names, "fleet", one.name));
    }
    return trestle::check(fleets);
}

Status check(const Network& network, const NodeNames& names) {
    TRESTLE_TRY_STATUS(trestle::check(network));
    Status status;
    for_each_topology(network, [&](TopologyId, const auto& topology) {
        if (!status.ok()) return;
        status = check_nodes(nodes_of(topology), names, "topology", topology.name);
    });
    return status;
}

void remove_node(Network& network, NodeId node) {
    for (TreeTopology& tree : network.trees) {
        for (TreeTopology::Switch& one : tree.switches) one.nodes.erase(node);
    }
    for (BlockTopology& topology : network.blocks) {
        for (BlockTopology::Block& one : topology.blocks) one.nodes.erase(node);
    }
    for (TorusTopology& topology : network.toruses) {
        for (TorusTopology::Torus& one : topology.toruses) {
            std::replace(one.nodes.begin(), one.nodes.end(), std::optional(node),
                         std::optional<NodeId>());
        }
    }
    for (RingTopology& topology : network.rings) {
        for (RingTopology::Ring& one : topology.rings) std::erase(one.nodes, node);
    }
}

Memberships memberships(const std::vector<Partition>& partitions, std::uint32_t node_count) {
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
