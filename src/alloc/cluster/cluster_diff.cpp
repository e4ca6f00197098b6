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

namespace {

/// The changes between two lists of things with names that differ.
template <class T>
[[nodiscard]] std::vector<Change<std::string, T>> changes_by_name(const std::vector<T>& before,
                                                                  const std::vector<T>& after) {
    std::vector<Change<std::string, T>> changes;
    if (before == after) return changes;
    const auto find = [](const std::vector<T>& list, const std::string& name) {
        const auto at =
            std::find_if(list.begin(), list.end(), [&](const T& one) { return one.name == name; });
        return at == list.end() ? std::optional<T>() : std::optional<T>(*at);
    };
    std::vector<std::string> stayed;  // in the old order
    for (const T& one : before) {
        auto now = find(after, one.name);
        if (now) stayed.push_back(one.name);
        if (now != one) changes.push_back({one.name, one, std::move(now)});
    }
    std::size_t at = 0;
    for (const T& one : after) {
        const auto then = find(before, one.name);
        if (!then) {
            changes.push_back({one.name, std::nullopt, one});
        } else if (stayed[at++] != one.name && then == one) {
            changes.push_back({one.name, then, one});
        }
    }
    return changes;
}

/// `came: x`, `went: x`, `x -> y` or `moved`.
template <class Key, class T, class ToText>
[[nodiscard]] std::string change_text(const Change<Key, T>& change, const ToText& to_text) {
    if (!change.before && !change.after) return "nothing";
    if (!change.before) return "came: " + to_text(*change.after);
    if (!change.after) return "went: " + to_text(*change.before);
    if (*change.before == *change.after) return "moved in the list";
    return to_text(*change.before) + " -> " + to_text(*change.after);
}

/// Nodes that may differ, rising, each once.
std::vector<NodeId> suspects(const Cluster& before, const Cluster& after) {
    std::vector<NodeId> nodes;
    before.for_each_different_node(after, [&](NodeId node) { nodes.push_back(node); });
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
}

std::vector<Change<NodeId, Node>> changed_nodes(const Cluster& before, const Cluster& after) {
    std::vector<Change<NodeId, Node>> changes;
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

std::vector<Change<OwnerId, Allocation>> changed_allocations(const Cluster& before,
                                                             const Cluster& after) {
    const auto of = [](const Cluster& cluster, OwnerId owner) {
        const Allocation* const found = cluster.find_allocation(owner);
        return found ? std::optional<Allocation>(*found) : std::nullopt;
    };
    std::vector<Change<OwnerId, Allocation>> changes;
    before.for_each_different_owner(after, [&](OwnerId owner) {
        changes.push_back({owner, of(before, owner), of(after, owner)});
    });
    return changes;
}

/// The fields that differ, as `state: up -> drained`; a shape without what is in it.
std::string node_change_text(const Change<NodeId, Node>& change) {
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
            detail::print(text, then);
            text += " -> ";
            detail::print(text, now);
        }
    };
    Node::fields([&](const auto&... f) { (add(f), ...); });
    return change.before->name + ": " + text;
}

}  // namespace

ClusterDiff diff(const Cluster& before, const Cluster& after) {
    ClusterDiff result{changed_nodes(before, after),
                       changed_allocations(before, after),
                       changes_by_name(before.partitions(), after.partitions()),
                       changes_by_name(before.fleets(), after.fleets()),
                       changes_by_name(before.counts(), after.counts()),
                       std::nullopt};
    if (&before.network() != &after.network() && before.network() != after.network()) {
        result.network = std::pair(before.network(), after.network());
    }
    return result;
}

std::string to_text(const ClusterDiff& diff) {
    std::string text;
    const auto add = [&](const std::string& line) { text += (text.empty() ? "" : "\n") + line; };
    for (const Change<NodeId, Node>& one : diff.nodes) {
        add(fmt::format("node {}: {}", one.key, node_change_text(one)));
    }
    for (const Change<OwnerId, Allocation>& one : diff.allocations) {
        const bool is_moved =
            one.before && one.after && one.before->placement == one.after->placement;
        add(fmt::format("owner {}: {}", one.key,
                        is_moved ? "asks for something else"
                                 : change_text(one, [](const Allocation& allocation) {
                                       return to_text(allocation.placement);
                                   })));
    }
    const auto add_named = [&](std::string_view what, const auto& changes) {
        for (const auto& one : changes) {
            add(fmt::format("{} {}: {}", what, one.key,
                            change_text(one, [](const auto& x) { return to_text(x); })));
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
