// SPDX-License-Identifier: Apache-2.0
#pragma once

// What differs between two clusters: what changed hands, and what there is.
//
// Layer: alloc. Main types: ClusterDiff, Change; diff(before, after) is empty exactly when both are
// equal. Between a cluster and a copy of it the cost is that of what happened since.
// Pitfall: nodes are known by number, everything else by name or owner. That an owner came or went
// is a change of the owner, not of the nodes it is on.

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

/// All that differs between two clusters.
struct ClusterDiff {
    /// Rising. A node that was removed is there still, without a name.
    std::vector<Change<NodeId, Node>> nodes;
    std::vector<Change<OwnerId, Allocation>> allocations;  ///< by owner
    std::vector<Change<std::string, Partition>> partitions;
    std::vector<Change<std::string, Fleet>> fleets;
    std::vector<Change<std::string, ClusterCount>> counts;  ///< by name
    std::optional<std::pair<Network, Network>> network;     ///< before and after; absent: the same

    [[nodiscard]] bool is_empty() const { return *this == ClusterDiff(); }

    static constexpr auto fields(auto list) {
        return list(
            field("nodes", &ClusterDiff::nodes), field("allocations", &ClusterDiff::allocations),
            field("partitions", &ClusterDiff::partitions), field("fleets", &ClusterDiff::fleets),
            field("counts", &ClusterDiff::counts), field("network", &ClusterDiff::network));
    }
    friend bool operator==(const ClusterDiff&, const ClusterDiff&) = default;
};

/// What has to happen to `before` to make it `after`.
/// Complexity: that of what they do not share, and of the partitions, fleets and counts.
[[nodiscard]] ClusterDiff diff(const Cluster& before, const Cluster& after);

/// One line a change: `node 3: n3: state: up -> drained`, `owner 7: came: node 0: cores=0-3`.
[[nodiscard]] std::string to_text(const ClusterDiff& diff);

}  // namespace trestle
