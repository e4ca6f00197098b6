// SPDX-License-Identifier: Apache-2.0
#pragma once

// VictimNodes: which victims can matter to a request, and on which nodes.
//
// Layer: alloc (detail). Main type: VictimNodes. A victim matters when it has something on a node
// that some group of the job may have, or of the cluster-wide counts that the job asks for: place()
// looks at nothing else that an owner has. Victims with a grace too long do not count.
// Pitfall: which node the request would take stays open; these are those where something can be
// gained.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "alloc/schedule/detail/ended_set.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/schedule/preemption_plan.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// The victims on one node.
struct VictimNode {
    NodeId node;
    EndedSet all;
    /// What each has, a part for each component; good until the cluster changes.
    std::vector<const NodePlacement*> parts;
};

class VictimNodes {
  public:
    /// `held` is what the victims have, each of them something.
    VictimNodes(const Cluster& cluster, const Request& request,
                std::span<const PreemptionPlan::Victim> victims,
                std::span<const Allocation* const> held, const PreemptionRules& rules,
                const NodeFilter& filter);

    /// The cluster that was looked at.
    [[nodiscard]] const Cluster& cluster() const { return cluster_; }
    /// All that matter, rising.
    [[nodiscard]] const Positions& candidates() const { return candidates_; }
    /// Those of them that have some of the counts that the job asks for, rising.
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

    void add(std::size_t victim, std::int64_t cost, const Placement& held);
    /// Where the node, on which a victim is, stands in nodes_; closed when no group of the job may
    /// have it.
    [[nodiscard]] std::uint32_t place_of(NodeId node);

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
