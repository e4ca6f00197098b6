// SPDX-License-Identifier: Apache-2.0
#pragma once

// find_evictions: which running allocations would have to end for a request to fit.
//
// Layer: alloc. Main function: find_evictions(cluster, request, options, filter). A question about
// what might be, not a plan: costs, grace times and who may end whom are a scheduler's. Single
// owners are tried first, then all owners of a node at a time, of which those are kept that are
// needed; the smallest set found within the budget is the answer.
// A reader would get wrong: the set is one from which no owner can be left out; that there is no
// smaller one is only known of sets of one.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/detail/step_budget.hpp"
#include "trestle/alloc/place.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

namespace detail {

class EvictionSearch {
  public:
    EvictionSearch(const Cluster& cluster, const Request& request, const PlaceOptions& options,
                   const NodeFilter& filter, std::uint64_t trials_max)
        : cluster_(cluster),
          request_(request),
          placer_(options),
          filter_(filter),
          budget_{trials_max} {}

    [[nodiscard]] std::vector<OwnerId> run() {
        const std::vector<NodeId> nodes = eligible_nodes();
        const std::vector<OwnerId> owners = owners_of(nodes);
        for (const OwnerId owner : owners) {
            if (fits_without({owner})) return {owner};
        }
        for (const NodeId node : nodes) {
            consider(owners_of({node}));
            if (budget_.left == 0) break;
        }
        if (best_.empty()) consider_node_by_node(nodes);
        return best_;
    }

  private:
    /// Nodes that could take a part were they idle, those with the fewest owners first.
    [[nodiscard]] std::vector<NodeId> eligible_nodes() const {
        std::vector<std::pair<std::size_t, NodeId>> found;
        for (std::uint32_t i = 0; i < cluster_.node_count(); ++i) {
            const NodeId node(i);
            if (cluster_.free(node).is_idle || !filter_.passes(node)) continue;
            if (refuse_node(cluster_, node, *request_)) continue;
            found.emplace_back(cluster_.owners_on(node).size(), node);
            if (found.size() == budget_.left) break;
        }
        std::sort(found.begin(), found.end());
        std::vector<NodeId> nodes;
        for (const auto& [owners, node] : found) nodes.push_back(node);
        return nodes;
    }
    [[nodiscard]] std::vector<OwnerId> owners_of(const std::vector<NodeId>& nodes) const {
        std::vector<OwnerId> owners;
        for (const NodeId node : nodes) {
            const std::vector<OwnerId> here = cluster_.owners_on(node);
            owners.insert(owners.end(), here.begin(), here.end());
        }
        std::sort(owners.begin(), owners.end());
        owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
        return owners;
    }

    [[nodiscard]] bool fits_without(const std::vector<OwnerId>& owners) {
        if (!budget_.spend()) return false;
        const Trial trial = cluster_.trial();
        for (const OwnerId owner : owners) static_cast<void>(cluster_.release(owner));
        return placer_.place(cluster_, request_, filter_).has_value();
    }

    /// If the request fits without these owners: leaves out who may stay, and remembers the others
    /// where they are fewer than what was found before.
    void consider(std::vector<OwnerId> owners) {
        if (owners.size() < 2 || !fits_without(owners)) return;
        for (std::size_t i = owners.size(); i-- != 0;) {
            std::vector<OwnerId> fewer = owners;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            if (fits_without(fewer)) owners = std::move(fewer);
        }
        if (best_.empty() || owners.size() < best_.size()) best_ = std::move(owners);
    }

    /// For jobs of several nodes: node after node is emptied until the request fits.
    void consider_node_by_node(const std::vector<NodeId>& nodes) {
        std::vector<NodeId> emptied;
        for (const NodeId node : nodes) {
            emptied.push_back(node);
            const std::vector<OwnerId> owners = owners_of(emptied);
            if (!fits_without(owners)) continue;
            consider(owners);
            return;
        }
    }

    Cluster cluster_;  ///< a copy to try things on
    Shared<Request> request_;
    Placer placer_;
    const NodeFilter& filter_;
    StepBudget budget_;
    std::vector<OwnerId> best_;
};

}  // namespace detail

/// The owners, rising, whose allocations would have to end for the request to fit; empty when it
/// fits, or when no such set is found. Requires: check(request) is ok.
/// Complexity: at most `trials_max` placements, and a look at each node.
[[nodiscard]] inline std::vector<OwnerId> find_evictions(const Cluster& cluster,
                                                         const Request& request,
                                                         const PlaceOptions& options = {},
                                                         const NodeFilter& filter = {},
                                                         std::uint64_t trials_max = 1000) {
    if (place(cluster, request, options, filter)) return {};
    return detail::EvictionSearch(cluster, request, options, filter, trials_max).run();
}

}  // namespace trestle
