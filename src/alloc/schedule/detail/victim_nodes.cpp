// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/victim_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/place/node_rules.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "base/sorted_by_node.hpp"
#include "model/cluster_counts.hpp"
#include "trestle/model/cluster_count.hpp"

namespace trestle {

namespace detail {

VictimNodes::VictimNodes(const Cluster& cluster, const Request& request,
                         std::span<const PreemptionPlan::Victim> victims,
                         std::span<const Allocation* const> held, const PreemptionRules& rules,
                         const NodeFilter& filter)
    : cluster_(cluster), filter_(filter) {
    groups_.push_back(request);
    for (Request component : request.components) {
        if (component.partition.empty()) component.partition = request.partition;
        groups_.push_back(std::move(component));
    }
    for (const Request& one : groups_) {
        open_.push_back({node_rules(cluster, one).excluded,
                         std::vector<std::optional<bool>>(cluster.classes().size())});
    }
    std::vector<Held> all;
    all.reserve(victims.size());
    for (std::size_t i = 0; i < victims.size(); ++i) {
        if (rules.grace_max && *rules.grace_max < victims[i].grace) continue;
        add(i, held[i]->placement, all);
    }
    gather(sorted_by_node(all, cluster.node_count()), victims);
    const auto is_cheaper = [](const VictimNode& a, const VictimNode& b) {
        return std::pair(a.cost, a.positions.size()) < std::pair(b.cost, b.positions.size());
    };
    if (!std::is_sorted(nodes_.begin(), nodes_.end(), is_cheaper)) {
        std::stable_sort(nodes_.begin(), nodes_.end(), is_cheaper);
    }
}

void VictimNodes::add(std::size_t victim, const Placement& held, std::vector<Held>& all) {
    std::size_t on = 0;  // so many of the nodes
    for_each_node(held, [&](std::span<const NodePlacement> parts) {
        const NodeId node = parts.front().node;
        if (!is_open(node)) return;
        all.push_back({node, victim, parts});
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

bool VictimNodes::is_open(NodeId node) {
    if (!filter_.passes(node)) return false;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        if (is_open(node, group)) return true;
    }
    return false;
}

bool VictimNodes::is_open(NodeId node, std::size_t group) {
    OpenNodes& open = open_[group];
    if (open.excluded.contains(node)) return false;
    const ClassId id = cluster_.state(node).node_class;
    std::optional<bool>& answer = open.classes[id.value()];
    if (!answer) {
        answer = !refuse_class(cluster_, cluster_.classes()[id], groups_[group], {}).has_value();
    }
    return *answer;
}

void VictimNodes::gather(const std::vector<Held>& all,
                         std::span<const PreemptionPlan::Victim> victims) {
    std::size_t part_count = 0;
    for (const Held& one : all) part_count += one.parts.size();
    positions_.reserve(all.size());  // both stay where they are: nodes_ points into them
    parts_.reserve(part_count);
    for (auto at = all.begin(); at != all.end();) {
        VictimNode here{at->node, 0, at->victim, {}, {}};
        const std::size_t first_position = positions_.size();
        const std::size_t first_part = parts_.size();
        for (; at != all.end() && at->node == here.node; ++at) {
            positions_.push_back(at->victim);
            const std::int64_t cost = victims[at->victim].cost;
            here.cost += cost;
            if (cost < victims[here.cheapest].cost) here.cheapest = at->victim;
            for (const NodePlacement& part : at->parts) parts_.push_back(&part);
        }
        here.positions = std::span(positions_).subspan(first_position);
        here.parts = std::span(parts_).subspan(first_part);
        nodes_.push_back(here);
    }
}

}  // namespace detail

}  // namespace trestle
