// SPDX-License-Identifier: Apache-2.0
#pragma once

// DestinationSets: the sets of nodes that an owner may be tried on, none twice.
//
// Layer: alloc (detail). Main types: DestinationSets; asks_by_name. All sets of as many nodes as
// its request may have; what place() says of a larger set it says of one of these too. Where nodes
// in equal states are alike, single nodes are tried once a state. A reader would get wrong: a node
// from which somebody is still to move, or where the owner is now, is like no other.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/compaction/compaction_plan.hpp"
#include "trestle/alloc/place/eligibility.hpp"
#include "trestle/alloc/place/place_options.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// How many nodes a request may have, all groups together.
struct WantedNodes {
    std::size_t least = 0;
    std::size_t most = 0;

    WantedNodes(const Request& request, std::size_t node_count) {
        add(request, node_count);
        for (const Request& component : request.components) add(component, node_count);
        most = std::min(most, node_count);
    }
    [[nodiscard]] bool is_one() const { return least <= 1 && most == 1; }

  private:
    void add(const Request& request, std::size_t node_count) {
        least += std::max<std::size_t>(1, static_cast<std::size_t>(request.nodes.least().value()));
        const auto max = request.nodes.max;
        most += max ? static_cast<std::size_t>(max->value()) : node_count;
    }
};

/// True when it matters to the request which of two nodes in the same state it gets.
[[nodiscard]] inline bool tells_nodes_apart(const Request& request) {
    return !request.required_nodes.empty() || !request.excluded_nodes.empty() ||
           request.topology != TopologyRequest() ||
           std::any_of(request.components.begin(), request.components.end(), tells_nodes_apart);
}

class DestinationSets {
  public:
    /// `unlike`: nodes that are like no others; all are, where `are_alike` is false.
    DestinationSets(const Cluster& cluster, const Request& request, const CompactionRules& rules,
                    const NodeSet& unlike, bool are_alike)
        : cluster_(cluster), bounds_(request, cluster.node_count()) {
        std::set<StateId> seen;
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
            const NodeId node(i);
            if (rules.destinations && !rules.destinations->contains(node)) continue;
            if (request.components.empty() && refuse_node(cluster, node, request)) continue;
            const bool may_be_left_out = are_alike && bounds_.is_one() && !unlike.contains(node);
            if (may_be_left_out && !seen.insert(cluster.states().of(node)).second) continue;
            nodes_.push_back(node);
        }
    }

    /// visit(set) until it says true; true when it did.
    template <class Visit>
    [[nodiscard]] bool find(const Visit& visit) const {
        NodeSet set;
        for (std::size_t size = bounds_.least; size <= bounds_.most; ++size) {
            if (choose(0, size, set, visit)) return true;
        }
        return false;
    }

  private:
    template <class Visit>
    [[nodiscard]] bool choose(std::size_t first, std::size_t more, NodeSet& set,
                              const Visit& visit) const {
        if (more == 0) return visit(set);
        for (std::size_t i = first; i + more <= nodes_.size(); ++i) {
            set.insert(nodes_[i]);
            if (choose(i + 1, more - 1, set, visit)) return true;
            set.erase(nodes_[i]);
        }
        return false;
    }

    const Cluster& cluster_;
    WantedNodes bounds_;
    std::vector<NodeId> nodes_;
};

}  // namespace trestle::detail
