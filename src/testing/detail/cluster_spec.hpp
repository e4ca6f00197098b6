// SPDX-License-Identifier: Apache-2.0
#pragma once

// Groups of equal nodes to the parts of a cluster and back; the grammar is in cluster_text.hpp.
//
// Layer: testing. Main types: GroupSpec; to_parts(groups), groups_of(parts).
// Pitfall: names are counted by prefix over the whole cluster, so what a group's nodes are called
// depends on the groups before it.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/text.hpp"
#include "trestle/model/node_builder.hpp"

namespace trestle::testing::detail {

struct GroupSpec {
    NodeDescription node;
    std::uint32_t count = 1;
    bool is_numbered = false;  ///< the name of the node is a prefix
    std::uint32_t per_switch = 0;
    std::uint32_t per_pod = 0;  ///< a multiple of per_switch
    std::uint32_t per_block = 0;
};

inline constexpr std::string_view default_prefix = "n";

/// Cuts [first, last) into intervals of `each` nodes, the last perhaps shorter.
template <class Add>
void for_each_part(Interval<std::uint32_t> nodes, std::uint32_t each, Add add) {
    if (each == 0) return;
    for (std::uint32_t first = nodes.first; first < nodes.end; first += each) {
        add(Interval<std::uint32_t>{first, std::min(first + each, nodes.end)});
    }
}

/// The groups that all of `text` gives. Body: cluster_text.cpp.
[[nodiscard]] TextResult<std::vector<GroupSpec>> parse_cluster_spec(TextCursor text);

/// Adds the leaf switches of a group, below pods or not.
void add_switches(std::vector<TreeTopology::Switch>& switches, std::uint32_t& leaf_count,
                  const GroupSpec& group, Interval<std::uint32_t> ids);

/// Puts a switch above all that have none above them, if they are several.
void add_top(std::vector<TreeTopology::Switch>& switches);

/// Errors: those of make_node.
[[nodiscard]] StatusOr<ClusterParts> to_parts(const std::vector<GroupSpec>& groups);

/// Which of some disjoint sets each node is in: its number from 1 on, 0 for none.
template <class Holders>
[[nodiscard]] std::vector<std::uint32_t> holder_of_nodes(const Holders& holders,
                                                         std::size_t node_count) {
    std::vector<std::uint32_t> holder_of(node_count, 0);
    std::uint32_t number = 0;
    for (const auto& holder : holders) {
        ++number;
        for (const NodeId node : holder.nodes) {
            if (node.value() < node_count) holder_of[node.value()] = number;
        }
    }
    return holder_of;
}

/// How many of [first, last) share one holder, when all do in equal parts and none outside does. 0
/// when none has a holder; absent when it is neither.
[[nodiscard]] std::optional<std::uint32_t> part_size(const std::vector<std::uint32_t>& holder_of,
                                                     std::size_t first, std::size_t last);

/// The prefix of each name that counts on where the last one with this prefix stopped.
[[nodiscard]] std::vector<std::optional<std::string>> prefixes_of(const std::vector<Node>& nodes);

[[nodiscard]] bool is_alike(const Node& a, const Node& b);

/// What stands between leaf switches and the top, with all nodes below each.
[[nodiscard]] std::vector<TreeTopology::Switch> pods_of(const TreeTopology& tree);

template <class Topology>
[[nodiscard]] Topology first_of(const std::vector<Topology>& topologies) {
    return topologies.empty() ? Topology{} : topologies.front();
}

/// The groups that might make these parts; whether they do is for the caller to try.
[[nodiscard]] std::optional<std::vector<GroupSpec>> groups_of(const ClusterParts& parts);

}  // namespace trestle::testing::detail
