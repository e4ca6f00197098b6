// SPDX-License-Identifier: Apache-2.0
#pragma once

// What differs between two clusters: what changed hands, and what there is.
//
// Layer: alloc. Main types: ClusterDiff, Change; diff(before, after) is empty exactly when both are
// equal. Between a cluster and a copy of it the cost is that of what happened since.
// A reader would get wrong: nodes are known by number, everything else by name or owner; that an
// owner came or went is a change of the owner, not of the nodes it is on.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/fleet.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// Something that came, when there is no `before`, or went, when there is no `after`, or changed.
/// Equal ones changed their place in the list of all.
template <class Key, class T>
struct Change {
    Key key{};                ///< by which it is known: number, owner or name
    std::optional<T> before;  ///< absent: it was not there
    std::optional<T> after;   ///< absent: it is no longer there

    static constexpr auto fields(auto list) {
        return list(field("key", &Change::key), field("before", &Change::before),
                    field("after", &Change::after));
    }
    friend bool operator==(const Change&, const Change&) = default;
};

/// A node that was added, changed, or removed: then it is there still, without a name.
using NodeChange = Change<NodeId, Node>;
/// An owner whose allocation came, went or changed.
using AllocationChange = Change<OwnerId, Allocation>;
/// A partition that is new, gone, other or elsewhere in the list.
using PartitionChange = Change<std::string, Partition>;
/// A fleet that is new, gone, other or elsewhere in the list.
using FleetChange = Change<std::string, Fleet>;
/// A cluster-wide count of which there are more or fewer.
using CountChange = Change<std::string, ClusterCount>;

/// All that differs between two clusters.
struct ClusterDiff {
    std::vector<NodeChange> nodes;              ///< rising
    std::vector<AllocationChange> allocations;  ///< by owner
    std::vector<PartitionChange> partitions;
    std::vector<FleetChange> fleets;
    std::vector<CountChange> counts;                     ///< by name
    std::optional<std::pair<Network, Network>> network;  ///< before and after; absent: the same

    [[nodiscard]] bool is_empty() const { return *this == ClusterDiff(); }

    static constexpr auto fields(auto list) {
        return list(
            field("nodes", &ClusterDiff::nodes), field("allocations", &ClusterDiff::allocations),
            field("partitions", &ClusterDiff::partitions), field("fleets", &ClusterDiff::fleets),
            field("counts", &ClusterDiff::counts), field("network", &ClusterDiff::network));
    }
    friend bool operator==(const ClusterDiff&, const ClusterDiff&) = default;
};

namespace detail {

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

/// Nodes that may differ, rising, each once.
[[nodiscard]] std::vector<NodeId> suspects(const Cluster& before, const Cluster& after);

[[nodiscard]] std::vector<NodeChange> changed_nodes(const Cluster& before, const Cluster& after);

[[nodiscard]] std::vector<AllocationChange> changed_allocations(const Cluster& before,
                                                                const Cluster& after);

/// `came: x`, `went: x`, `x -> y` or `moved`.
template <class Key, class T, class ToText>
[[nodiscard]] std::string change_text(const Change<Key, T>& change, const ToText& to_text) {
    if (!change.before && !change.after) return "nothing";
    if (!change.before) return "came: " + to_text(*change.after);
    if (!change.after) return "went: " + to_text(*change.before);
    if (*change.before == *change.after) return "moved in the list";
    return to_text(*change.before) + " -> " + to_text(*change.after);
}

/// The fields that differ, as `state: up -> drained`; a shape without what is in it.
[[nodiscard]] std::string node_change_text(const NodeChange& change);

}  // namespace detail

/// What has to happen to `before` to make it `after`.
/// Complexity: that of what they do not share, and of the partitions, fleets and counts.
[[nodiscard]] ClusterDiff diff(const Cluster& before, const Cluster& after);

/// One line a change: `node 3: n3: state: up -> drained`, `owner 7: came: node 0: cores=0-3`.
[[nodiscard]] std::string to_text(const ClusterDiff& diff);

}  // namespace trestle
