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
#include <optional>
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
    std::int64_t cost = 0;                   ///< of the end of all
    std::size_t cheapest = 0;                ///< position of the cheapest, of equals the first
    std::span<const std::size_t> positions;  ///< in the list of victims, rising
    /// What each has, a part for each component; good until the cluster changes.
    std::span<const NodePlacement* const> parts;
};

class VictimNodes {
  public:
    /// `held` is what the victims have, each of them something.
    VictimNodes(const Cluster& cluster, const Request& request,
                std::span<const PreemptionPlan::Victim> victims,
                std::span<const Allocation* const> held, const PreemptionRules& rules,
                const NodeFilter& filter);
    VictimNodes(const VictimNodes&) = delete;
    VictimNodes& operator=(const VictimNodes&) = delete;

    /// The cluster that was looked at.
    [[nodiscard]] const Cluster& cluster() const { return cluster_; }
    /// All that matter, rising. Complexity: linear in the victims.
    [[nodiscard]] Positions candidates() const;
    /// Those of them that have some of the counts that the job asks for, rising.
    [[nodiscard]] const Positions& of_counts() const { return of_counts_; }
    /// By what the end of all on them costs, the cheapest first.
    [[nodiscard]] const std::vector<VictimNode>& nodes() const { return nodes_; }
    /// True when no victim is on two of the nodes. Complexity: linear in the victims.
    [[nodiscard]] bool are_disjoint() const;
    /// The request, then its components.
    [[nodiscard]] const std::vector<Request>& groups() const { return groups_; }

  private:
    /// What a victim has of a node.
    struct Held {
        NodeId node;
        std::size_t victim = 0;
        std::span<const NodePlacement> parts;
    };
    /// Which nodes a group of the job may have.
    struct OpenNodes {
        NodeSet excluded;
        std::vector<bool> states;  ///< by state, whether its class is allowed
    };

    [[nodiscard]] OpenNodes open_to(const Request& group) const;
    /// True when the victim has some of the counts that the job asks for.
    [[nodiscard]] bool has_counts(const Placement& held) const;
    /// True when some group of the job may have the node.
    [[nodiscard]] bool is_open(NodeId node) const;
    /// Fills nodes_ with those that are open. Requires: `all` is by node, then victim.
    void gather(const std::vector<Held>& all, std::span<const PreemptionPlan::Victim> victims);

    const Cluster& cluster_;
    const NodeStates& states_;
    const NodeFilter& filter_;
    std::vector<Request> groups_;
    std::vector<OpenNodes> open_;  ///< by group
    std::size_t victim_count_;
    Positions of_counts_;
    Positions positions_;                      ///< of all nodes
    std::vector<const NodePlacement*> parts_;  ///< likewise
    std::vector<VictimNode> nodes_;
};

}  // namespace trestle::detail
