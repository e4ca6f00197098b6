// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/network.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "model/topologies.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

std::optional<TopologyId> find_topology(const Network& network, std::string_view name) {
    std::optional<TopologyId> found;
    for_each_topology(network, [&](TopologyId id, const auto& topology) {
        if (!found && topology.name == name) found = id;
    });
    return found;
}

std::optional<TopologyId> first_topology(const Network& network, TopologyKind kind) {
    std::optional<TopologyId> found;
    for_each_topology(network, [&](TopologyId id, const auto&) {
        if (!found && id.kind == kind) found = id;
    });
    return found;
}

NodeSet nodes_of(const TreeTopology& tree) {
    NodeSet nodes;
    for (const TreeTopology::Switch& one : tree.switches) nodes |= one.nodes;
    return nodes;
}

NodeSet nodes_of(const BlockTopology& topology) {
    NodeSet nodes;
    for (const BlockTopology::Block& block : topology.blocks) nodes |= block.nodes;
    return nodes;
}

NodeSet nodes_of(const TorusTopology& topology) {
    NodeSet nodes;
    for (const TorusTopology::Torus& torus : topology.toruses) {
        for (const auto& node : torus.nodes) {
            if (node) nodes.insert(*node);
        }
    }
    return nodes;
}

NodeSet nodes_of(const RingTopology& topology) {
    NodeSet nodes;
    for (const RingTopology::Ring& ring : topology.rings) {
        for (const NodeId node : ring.nodes) nodes.insert(node);
    }
    return nodes;
}

Status check(const Network& network) {
    std::vector<std::string_view> names;
    Status status;
    for_each_topology(network, [&](TopologyId id, const auto& topology) {
        if (!status.ok()) return;
        if (topology.name.empty()) {
            status = invalid_argument("topology: {} number {} has no name", to_text(id.kind),
                                      id.position);
        } else if (std::find(names.begin(), names.end(), topology.name) != names.end()) {
            status = invalid_argument("topology {}: the name stands twice", topology.name);
        } else {
            names.emplace_back(topology.name);
            status = check(topology);
        }
    });
    return status;
}

}  // namespace trestle
