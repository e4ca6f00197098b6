// SPDX-License-Identifier: Apache-2.0
#pragma once

// VictimNodes: which victims can matter to a request, and on which nodes.
//
// Layer: alloc (detail). Main type: VictimNodes. A victim matters when it has something on a node
// that some group of the job may have, or of the cluster-wide counts that the job asks for: place()
// looks at nothing else that an owner has. Who has a grace too long does not count.
// A reader would get wrong: which node the request would take stays open; these are those where
// something can be gained.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/place/eligibility.hpp"
#include "trestle/alloc/place/node_filter.hpp"
#include "trestle/alloc/preemption/detail/ended_set.hpp"
#include "trestle/alloc/preemption/preemption_plan.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// The victims on one node.
struct VictimNode {
    NodeId node;
    EndedSet all;
    std::vector<const NodePlacement*> parts;  ///< what each has; good until the cluster changes
};

class VictimNodes {
  public:
    /// `held` is what the victims have, each of them something.
    VictimNodes(const Cluster& cluster, const Request& request, std::span<const Victim> victims,
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

    /// The cluster that was looked at.
    [[nodiscard]] const Cluster& cluster() const { return cluster_; }
    /// All who matter, rising.
    [[nodiscard]] const Positions& candidates() const { return candidates_; }
    /// Those of them who have of the counts that the job asks for, rising.
    [[nodiscard]] const Positions& of_counts() const { return of_counts_; }
    /// By what the end of all on them costs, the cheapest first.
    [[nodiscard]] const std::vector<VictimNode>& nodes() const { return nodes_; }
    /// True when no candidate is on two of the nodes.
    [[nodiscard]] bool are_disjoint() const { return are_disjoint_; }
    /// The request, then its components.
    [[nodiscard]] const std::vector<Request>& groups() const { return groups_; }

  private:
    /// Places that are none, see place_of().
    static constexpr std::uint32_t not_asked = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t closed = not_asked - 1;

    void add(std::size_t victim, std::int64_t cost, const Placement& held) {
        std::size_t on = 0;  // so many of the nodes
        for (const NodePlacement& part : held.nodes) {
            const std::uint32_t place = place_of(part.node);
            if (place == closed) continue;
            nodes_[place].all.insert(victim, cost);
            nodes_[place].parts.push_back(&part);
            ++on;
        }
        are_disjoint_ &= on < 2;
        const auto& asked = groups_.front().cluster_counts;
        const bool has_counts = std::any_of(
            held.cluster_counts.begin(), held.cluster_counts.end(),
            [&](const ClusterCount& one) { return !count_of(asked, one.name).is_zero(); });
        if (has_counts) of_counts_.push_back(victim);
        if (has_counts || on != 0) candidates_.push_back(victim);
    }
    /// Where the node, on which a victim is, stands in nodes_; closed when no group of the job may
    /// have it.
    [[nodiscard]] std::uint32_t place_of(NodeId node) {
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

    const Cluster& cluster_;
    const NodeFilter& filter_;
    std::vector<std::uint32_t> places_;  ///< by node
    std::vector<Request> groups_;
    Positions candidates_;
    Positions of_counts_;
    std::vector<VictimNode> nodes_;
    bool are_disjoint_ = true;
};

}  // namespace trestle::detail
