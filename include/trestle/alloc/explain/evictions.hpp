// SPDX-License-Identifier: Apache-2.0
#pragma once

// find_evictions: which running allocations would have to end for a request to fit.
//
// Layer: alloc. Main function: find_evictions(cluster, request, options, filter). A question about
// what might be, not a plan: costs, grace times and who may end whom are a scheduler's. Tried are
// owners of what the cluster counts, where that is asked for; then, node after node, those with the
// fewest owners first, each owner alone and all of the node, of which those are kept that are
// needed; then the owners of several nodes. The smallest set found within the budget is the answer.
// A reader would get wrong: the set is one from which no owner can be left out; that there is no
// smaller one is not known.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
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
        if (const auto one = find_alone(owners_of_counts(), budget_.left / 2)) return {*one};
        const std::vector<NodeId> nodes = eligible_nodes();
        const std::uint64_t kept = budget_.left / 4;  // for several nodes
        for (const NodeId node : nodes) {
            if (budget_.left <= kept) break;
            const std::vector<OwnerId> here = owners_of({node});
            if (const auto one = find_alone(here, budget_.left)) return {*one};
            consider(here);
        }
        if (best_.empty()) consider_node_by_node(nodes);
        return best_;
    }

  private:
    /// The first of the owners whose end alone is enough; each is tried once, so many at most.
    [[nodiscard]] std::optional<OwnerId> find_alone(const std::vector<OwnerId>& owners,
                                                    std::uint64_t tried_max) {
        for (const OwnerId owner : owners) {
            if (tried_max == 0) break;
            if (!tried_.insert(owner).second) continue;
            if (fits_without({owner})) return owner;
            --tried_max;
        }
        return std::nullopt;
    }
    /// Owners of any of the cluster-wide counts that are asked for.
    [[nodiscard]] std::vector<OwnerId> owners_of_counts() const {
        std::vector<OwnerId> owners;
        if (request_->cluster_counts.empty()) return owners;
        for (const Allocation& one : cluster_.allocations()) {
            const auto& held = one.placement.cluster_counts;
            const bool has_any =
                std::any_of(held.begin(), held.end(), [&](const ClusterCount& count) {
                    return !count_of(request_->cluster_counts, count.name).is_zero();
                });
            if (has_any) owners.push_back(one.owner);
        }
        return owners;
    }
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
        if (owners.size() < 2 || budget_.left < owners.size() + 1) return;
        if (!fits_without(owners)) return;
        for (std::size_t i = owners.size(); i-- != 0;) {
            std::vector<OwnerId> fewer = owners;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            if (fits_without(fewer)) owners = std::move(fewer);
        }
        if (best_.empty() || owners.size() < best_.size()) best_ = std::move(owners);
    }

    /// For jobs of several nodes: the first nodes are emptied, no more than have to be.
    void consider_node_by_node(const std::vector<NodeId>& nodes) {
        const auto owners_of_first = [&](std::size_t count) {
            return owners_of({nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count)});
        };
        std::size_t low = 0;
        std::size_t high = nodes.size();
        if (!fits_without(owners_of_first(high))) return;
        while (high - low > 1) {
            const std::size_t middle = low + (high - low) / 2;
            (fits_without(owners_of_first(middle)) ? high : low) = middle;
        }
        consider(owners_of_first(high));
    }

    Cluster cluster_;  ///< a copy to try things on
    Shared<Request> request_;
    Placer placer_;
    const NodeFilter& filter_;
    StepBudget budget_;
    std::set<OwnerId> tried_;  ///< alone
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
