// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/node_sets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "alloc/cluster/place/detail/monotone.hpp"
#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/states/node_classes.hpp"

namespace trestle {

namespace detail {

WantedNodes::WantedNodes(const Request& request, std::size_t node_count) {
    add(request, node_count);
    for (const Request& component : request.components) {
        const std::size_t before = least;
        add(component, node_count);
        if (request.component_nodes == Request::ComponentNodes::shared) {
            least = std::max(before, least - before);
        }
    }
    most = std::min(most, node_count);
}

void WantedNodes::add(const Request& request, std::size_t node_count) {
    const auto clamped = [&](Count count) {
        const auto nodes = static_cast<std::size_t>(std::max<std::int64_t>(1, count.value()));
        return std::min(nodes, node_count + 1);
    };
    const std::size_t fewest = clamped(request.nodes.least());
    std::size_t all = clamped(request.nodes.max.value_or(Count::max()));
    if (request.tasks) all = std::min(all, std::max(fewest, clamped(*request.tasks)));
    least += fewest;
    most += all;
}

bool tells_nodes_apart(const Cluster& cluster, const Request& request) {
    const auto names_some = [](const Request& one) {
        return !one.required_nodes.empty() || !one.excluded_nodes.empty() ||
               one.topology != TopologyRequest();
    };
    return names_some(request) || !is_monotone(cluster, request) ||
           std::any_of(request.components.begin(), request.components.end(), names_some);
}

NodeSet nodes_for(const Cluster& cluster, const Request& request, NodeSet nodes) {
    if (!request.components.empty()) return nodes;
    std::vector<std::optional<bool>> may_take(cluster.classes().size());
    NodeSet found;
    for (const NodeId node : nodes) {
        const ClassId id = cluster.state(node).node_class;
        std::optional<bool>& known = may_take[id.value()];
        if (!known) known = !refuse_class(cluster, cluster.classes()[id], request, "");
        if (*known) found.insert(node);
    }
    for (const std::string& name : request.excluded_nodes) {
        if (const auto node = cluster.find_node(name)) found.erase(*node);
    }
    return found;
}

DestinationSets::DestinationSets(const Cluster& cluster, const WantedNodes& wanted,
                                 const NodeSet& nodes, const NodeSet& unlike, bool are_alike)
    : cluster_(cluster), wanted_(wanted), nodes_(nodes), unlike_(unlike), are_alike_(are_alike) {}

std::vector<NodeId> DestinationSets::different_nodes() const {
    if (!are_alike_) return {nodes_.begin(), nodes_.end()};
    std::vector<NodeId> found;
    for (const NodeId node : unlike_) {
        if (nodes_.contains(node)) found.push_back(node);
    }
    const NodeStates& states = cluster_.states();
    states.for_each([&](StateId state) {
        auto node = states.next(state, NodeId(0));
        while (node && (unlike_.contains(*node) || !nodes_.contains(*node))) {
            node = states.next(state, NodeId(node->value() + 1));
        }
        if (node) found.push_back(*node);
    });
    std::sort(found.begin(), found.end());
    return found;
}

bool DestinationSets::is_known_to_fit(const NodeSet& set, NodeId last) const {
    const auto at = fitting_.find(last);
    return at != fitting_.end() &&
           std::any_of(at->second.begin(), at->second.end(),
                       [&](const NodeSet& one) { return set.contains_all(one); });
}

}  // namespace detail

}  // namespace trestle
