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
#include "alloc/cluster/states/node_states.hpp"
#include "base/sorted_by_node.hpp"
#include "model/cluster_counts.hpp"
#include "trestle/model/cluster_count.hpp"

namespace trestle {

namespace detail {

VictimNodes::VictimNodes(const Cluster& cluster, const Request& request,
                         std::span<const PreemptionPlan::Victim> victims,
                         std::span<const Allocation* const> held, const PreemptionRules& rules,
                         const NodeFilter& filter)
    : cluster_(cluster), states_(cluster.states()), filter_(filter), victim_count_(victims.size()) {
    groups_.push_back(request);
    for (Request component : request.components) {
        if (component.partition.empty()) component.partition = request.partition;
        groups_.push_back(std::move(component));
    }
    for (const Request& one : groups_) open_.push_back(open_to(one));
    const bool asks_for_counts = !request.cluster_counts.empty();
    std::vector<Held> all;
    all.reserve(victims.size());
    std::size_t part_count = 0;
    for (std::size_t i = 0; i < victims.size(); ++i) {
        if (rules.grace_max && *rules.grace_max < victims[i].grace) continue;
        const Placement& placement = held[i]->placement;
        for_each_node(placement, [&](std::span<const NodePlacement> parts) {
            all.push_back({parts.front().node, i, parts});
        });
        part_count += placement.nodes.size();
        if (asks_for_counts && has_counts(placement)) of_counts_.push_back(i);
    }
    // Both stay where they are: nodes_ points into them.
    positions_.reserve(all.size());
    parts_.reserve(part_count);
    gather(sorted_by_node(std::move(all), cluster.node_count()), victims);
    const auto is_cheaper = [](const VictimNode& a, const VictimNode& b) {
        return std::pair(a.cost, a.positions.size()) < std::pair(b.cost, b.positions.size());
    };
    if (!std::is_sorted(nodes_.begin(), nodes_.end(), is_cheaper)) {
        std::stable_sort(nodes_.begin(), nodes_.end(), is_cheaper);
    }
}

Positions VictimNodes::candidates() const {
    std::vector<bool> matters(victim_count_);
    for (const std::size_t victim : positions_) matters[victim] = true;
    for (const std::size_t victim : of_counts_) matters[victim] = true;
    Positions all;
    for (std::size_t victim = 0; victim < victim_count_; ++victim) {
        if (matters[victim]) all.push_back(victim);
    }
    return all;
}

bool VictimNodes::are_disjoint() const {
    std::vector<bool> is_on_one(victim_count_);
    for (const std::size_t victim : positions_) {
        if (is_on_one[victim]) return false;
        is_on_one[victim] = true;
    }
    return true;
}

bool VictimNodes::has_counts(const Placement& held) const {
    const auto& asked = groups_.front().cluster_counts;
    return std::any_of(
        held.cluster_counts.begin(), held.cluster_counts.end(),
        [&](const ClusterCount& one) { return !count_of(asked, one.name).is_zero(); });
}

VictimNodes::OpenNodes VictimNodes::open_to(const Request& group) const {
    OpenNodes open{node_rules(cluster_, group).excluded, {}};
    open.states.resize(states_.limit());
    std::vector<std::optional<bool>> classes(cluster_.classes().size());
    states_.for_each([&](StateId state) {
        const ClassId id = states_[state]->node_class;
        std::optional<bool>& is_allowed = classes[id.value()];
        if (!is_allowed) {
            is_allowed = !refuse_class(cluster_, cluster_.classes()[id], group, {}).has_value();
        }
        open.states[state.value()] = *is_allowed;
    });
    return open;
}

bool VictimNodes::is_open(NodeId node) const {
    const StateId state = states_.of(node);
    for (const OpenNodes& one : open_) {
        if (one.states[state.value()] && !one.excluded.contains(node)) return filter_.passes(node);
    }
    return false;
}

void VictimNodes::gather(const std::vector<Held>& all,
                         std::span<const PreemptionPlan::Victim> victims) {
    nodes_.reserve(std::min<std::size_t>(all.size(), cluster_.node_count()));
    for (auto at = all.begin(); at != all.end();) {
        VictimNode here{at->node, 0, at->victim, {}, {}};
        const bool is_wanted = is_open(here.node);
        const std::size_t first_position = positions_.size();
        const std::size_t first_part = parts_.size();
        for (; at != all.end() && at->node == here.node; ++at) {
            if (!is_wanted) continue;
            positions_.push_back(at->victim);
            const std::int64_t cost = victims[at->victim].cost;
            here.cost += cost;
            if (cost < victims[here.cheapest].cost) here.cheapest = at->victim;
            for (const NodePlacement& part : at->parts) parts_.push_back(&part);
        }
        if (!is_wanted) continue;
        here.positions = std::span(positions_).subspan(first_position);
        here.parts = std::span(parts_).subspan(first_part);
        nodes_.push_back(here);
    }
}

}  // namespace detail

}  // namespace trestle
