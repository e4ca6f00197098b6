// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/victim_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/place/eligibility.hpp"
#include "model/cluster_counts.hpp"
#include "trestle/model/cluster_count.hpp"

namespace trestle {

namespace detail {

VictimNodes::VictimNodes(const Cluster& cluster, const Request& request,
                         std::span<const PreemptionPlan::Victim> victims,
                         std::span<const Allocation* const> held, const PreemptionRules& rules,
                         const NodeFilter& filter)
    : cluster_(cluster), filter_(filter), places_(cluster.node_count(), not_asked) {
    groups_.push_back(request);
    for (Request component : request.components) {
        if (component.partition.empty()) component.partition = request.partition;
        groups_.push_back(std::move(component));
    }
    for (std::size_t i = 0; i < victims.size(); ++i) {
        if (rules.grace_max && *rules.grace_max < victims[i].grace) continue;
        add(i, victims[i].cost, held[i]->placement);
    }
    std::sort(nodes_.begin(), nodes_.end(), [](const VictimNode& a, const VictimNode& b) {
        const auto key = [](const VictimNode& one) {
            return std::tuple(one.all.cost, one.all.positions.size(), one.node);
        };
        return key(a) < key(b);
    });
}

void VictimNodes::add(std::size_t victim, std::int64_t cost, const Placement& held) {
    std::size_t on = 0;  // so many of the nodes
    for_each_node(held, [&](std::span<const NodePlacement> parts) {
        const std::uint32_t place = place_of(parts.front().node);
        if (place == closed) return;
        nodes_[place].all.insert(victim, cost);
        for (const NodePlacement& part : parts) nodes_[place].parts.push_back(&part);
        ++on;
    });
    are_disjoint_ &= on < 2;
    const auto& asked = groups_.front().cluster_counts;
    const bool has_counts =
        std::any_of(held.cluster_counts.begin(), held.cluster_counts.end(),
                    [&](const ClusterCount& one) { return !count_of(asked, one.name).is_zero(); });
    if (has_counts) of_counts_.push_back(victim);
    if (has_counts || on != 0) candidates_.push_back(victim);
}

std::uint32_t VictimNodes::place_of(NodeId node) {
    std::uint32_t& place = places_[node.value()];
    if (place != not_asked) return place;
    const bool is_open = filter_.passes(node) &&
                         std::any_of(groups_.begin(), groups_.end(), [&](const Request& one) {
                             return !refuse_node(cluster_, node, one);
                         });
    place = is_open ? static_cast<std::uint32_t>(nodes_.size()) : closed;
    if (is_open) nodes_.push_back({node, {}, {}});
    return place;
}

}  // namespace detail

}  // namespace trestle
