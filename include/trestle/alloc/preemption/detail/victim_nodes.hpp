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
    /// Requires: the victims have something.
    VictimNodes(const Cluster& cluster, const Request& request, std::span<const Victim> victims,
                const PreemptionRules& rules, const NodeFilter& filter)
        : cluster_(cluster), filter_(filter), known_(cluster.node_count(), Known::not_asked) {
        groups_.push_back(request);
        for (Request component : request.components) {
            if (component.partition.empty()) component.partition = request.partition;
            groups_.push_back(std::move(component));
        }
        std::vector<Place> places;
        for (std::size_t i = 0; i < victims.size(); ++i) {
            if (rules.grace_max && *rules.grace_max < victims[i].grace) continue;
            add(i, *cluster.find_allocation(victims[i].owner), places);
        }
        std::sort(places.begin(), places.end());
        for (const auto& [node, victim, part] : places) {
            if (nodes_.empty() || nodes_.back().node != node) nodes_.push_back({node, {}, {}});
            nodes_.back().all.insert(victim, victims[victim].cost);
            nodes_.back().parts.push_back(part);
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
    enum class Known : std::uint8_t { not_asked, open, closed };
    using Place = std::tuple<NodeId, std::size_t, const NodePlacement*>;

    void add(std::size_t victim, const Allocation& held, std::vector<Place>& places) {
        const std::size_t before = places.size();
        for (const NodePlacement& part : held.placement.nodes) {
            if (is_open(part.node)) places.emplace_back(part.node, victim, &part);
        }
        are_disjoint_ &= places.size() - before < 2;
        const auto& asked = groups_.front().cluster_counts;
        const auto& counts = held.placement.cluster_counts;
        const bool has_counts = std::any_of(
            counts.begin(), counts.end(),
            [&](const ClusterCount& one) { return !count_of(asked, one.name).is_zero(); });
        if (has_counts) of_counts_.push_back(victim);
        if (has_counts || places.size() != before) candidates_.push_back(victim);
    }
    /// True when a group of the job may have the node.
    [[nodiscard]] bool is_open(NodeId node) {
        Known& known = known_[node.value()];
        if (known == Known::not_asked) {
            const bool is_open =
                filter_.passes(node) &&
                std::any_of(groups_.begin(), groups_.end(),
                            [&](const Request& one) { return !refuse_node(cluster_, node, one); });
            known = is_open ? Known::open : Known::closed;
        }
        return known == Known::open;
    }

    const Cluster& cluster_;
    const NodeFilter& filter_;
    std::vector<Known> known_;
    std::vector<Request> groups_;
    Positions candidates_;
    Positions of_counts_;
    std::vector<VictimNode> nodes_;
    bool are_disjoint_ = true;
};

}  // namespace trestle::detail
