// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/cluster_diff.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

std::vector<NodeId> suspects(const Cluster& before, const Cluster& after) {
    std::vector<NodeId> nodes;
    before.for_each_different_node(after, [&](NodeId node) { nodes.push_back(node); });
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
}

std::vector<NodeChange> changed_nodes(const Cluster& before, const Cluster& after) {
    std::vector<NodeChange> changes;
    for (const NodeId id : suspects(before, after)) {
        Node then = before.node(id);
        Node now = after.node(id);
        if (then != now) changes.push_back({id, std::move(then), std::move(now)});
    }
    for (std::uint32_t i = after.node_count(); i < before.node_count(); ++i) {
        changes.push_back({NodeId(i), before.node(NodeId(i)), std::nullopt});
    }
    for (std::uint32_t i = before.node_count(); i < after.node_count(); ++i) {
        changes.push_back({NodeId(i), std::nullopt, after.node(NodeId(i))});
    }
    return changes;
}

std::vector<AllocationChange> changed_allocations(const Cluster& before, const Cluster& after) {
    const auto of = [](const Cluster& cluster, OwnerId owner) {
        const Allocation* const found = cluster.find_allocation(owner);
        return found ? std::optional<Allocation>(*found) : std::nullopt;
    };
    std::vector<AllocationChange> changes;
    before.for_each_different_owner(after, [&](OwnerId owner) {
        changes.push_back({owner, of(before, owner), of(after, owner)});
    });
    return changes;
}

std::string node_change_text(const NodeChange& change) {
    if (!change.before && !change.after) return "nothing";
    if (!change.before) return "added, " + change.after->name;
    if (!change.after) return "taken away, " + change.before->name;
    std::string text;
    const auto add = [&](const auto& f) {
        const auto& then = (*change.before).*(f.pointer);
        const auto& now = (*change.after).*(f.pointer);
        if (then == now) return;
        if (!text.empty()) text += ", ";
        text += f.name;
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(then)>, Shared<NodeShape>>) {
            text += ": ";
            print(text, then);
            text += " -> ";
            print(text, now);
        }
    };
    Node::fields([&](const auto&... f) { (add(f), ...); });
    return change.before->name + ": " + text;
}

}  // namespace detail

ClusterDiff diff(const Cluster& before, const Cluster& after) {
    ClusterDiff result{detail::changed_nodes(before, after),
                       detail::changed_allocations(before, after),
                       detail::changes_by_name(before.partitions(), after.partitions()),
                       detail::changes_by_name(before.fleets(), after.fleets()),
                       detail::changes_by_name(before.counts(), after.counts()),
                       std::nullopt};
    if (&before.network() != &after.network() && before.network() != after.network()) {
        result.network = std::pair(before.network(), after.network());
    }
    return result;
}

std::string to_text(const ClusterDiff& diff) {
    std::string text;
    const auto add = [&](const std::string& line) { text += (text.empty() ? "" : "\n") + line; };
    for (const NodeChange& one : diff.nodes) {
        add(fmt::format("node {}: {}", one.key, detail::node_change_text(one)));
    }
    for (const AllocationChange& one : diff.allocations) {
        const bool is_moved =
            one.before && one.after && one.before->placement == one.after->placement;
        add(fmt::format("owner {}: {}", one.key,
                        is_moved ? "asks for something else"
                                 : detail::change_text(one, [](const Allocation& allocation) {
                                       return to_text(allocation.placement);
                                   })));
    }
    const auto add_named = [&](std::string_view what, const auto& changes) {
        for (const auto& one : changes) {
            add(fmt::format("{} {}: {}", what, one.key,
                            detail::change_text(one, [](const auto& x) { return to_text(x); })));
        }
    };
    add_named("partition", diff.partitions);
    add_named("fleet", diff.fleets);
    add_named("count", diff.counts);
    if (diff.network)
        add("network: " + to_text(diff.network->first) + " -> " + to_text(diff.network->second));
    return text;
}

}  // namespace trestle
