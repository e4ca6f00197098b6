// SPDX-License-Identifier: Apache-2.0
#pragma once

// find_evictions: which running allocations would have to end for a request to fit.
//
// Layer: alloc. Main function: find_evictions(cluster, request, options, filter). A question about
// what might be, not a plan: costs, grace times and who may end whom are a scheduler's. First as
// many nodes as needed are emptied, those with the fewest owners first, and whoever may stay is
// left out again; then one node after the other is asked whether fewer of its owners will do. The
// smallest set found is the answer.
// A reader would get wrong: the budget is for making the set smaller. That there is no smaller one
// is not known, and where the budget ended, not even that nobody can be left out.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
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
          trials_left_(trials_max) {
        groups_.push_back(request);
        for (Request component : request.components) {
            if (component.partition.empty()) component.partition = request.partition;
            groups_.push_back(std::move(component));
        }
        std::uint64_t nodes = 0;
        for (const Request& one : groups_) {
            nodes += static_cast<std::uint64_t>(one.nodes.least().value());
        }
        price_ = 1 + nodes / nodes_a_trial;
    }

    [[nodiscard]] std::vector<OwnerId> run() {
        const std::vector<NodeId> nodes = eligible_nodes();
        const std::vector<OwnerId> of_counts = owners_of_counts();
        empty_nodes(nodes, of_counts);
        trim(best_);
        if (best_.size() < 2) return best_;
        if (const auto one = find_alone(of_counts, trials_left_ / 2)) return {*one};
        for (const NodeId node : nodes) {
            if (trials_left_ == 0) break;
            std::vector<OwnerId> here = cluster_.owners_on(node);
            if (!may_do_without(here)) {
                std::erase_if(here, [&](OwnerId owner) { return !has_several_nodes(owner); });
            } else if (here.size() <= best_.size()) {
                std::vector<OwnerId> fewer = here;
                trim(fewer);
                if (fewer.size() < best_.size()) best_ = std::move(fewer);
            }
            if (const auto one = find_alone(here, trials_left_)) return {*one};
        }
        return best_;
    }

  private:
    static constexpr std::uint64_t nodes_a_trial = 64;  ///< a trial of a wide job counts as several

    /// The first of the owners whose end alone is enough; each is tried once, so many at most.
    [[nodiscard]] std::optional<OwnerId> find_alone(const std::vector<OwnerId>& owners,
                                                    std::uint64_t tried_max) {
        for (const OwnerId owner : owners) {
            if (tried_max == 0) break;
            if (!tried_.insert(owner).second) continue;
            if (may_do_without({owner})) return owner;
            --tried_max;
        }
        return std::nullopt;
    }
    [[nodiscard]] bool has_several_nodes(OwnerId owner) const {
        return cluster_.find_allocation(owner)->placement.nodes.size() > 1;
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
            const bool is_for_some =
                std::any_of(groups_.begin(), groups_.end(),
                            [&](const Request& one) { return !refuse_node(cluster_, node, one); });
            if (!is_for_some) continue;
            found.emplace_back(cluster_.owners_on(node).size(), node);
        }
        std::sort(found.begin(), found.end());
        std::vector<NodeId> nodes;
        nodes.reserve(found.size());
        for (const auto& [owners, node] : found) nodes.push_back(node);
        return nodes;
    }

    [[nodiscard]] bool fits_without(const std::vector<OwnerId>& owners) {
        const Trial trial = cluster_.trial();
        for (const OwnerId owner : owners) static_cast<void>(cluster_.release(owner));
        return placer_.place(cluster_, request_, filter_).has_value();
    }
    /// The same while there is a budget.
    [[nodiscard]] bool may_do_without(const std::vector<OwnerId>& owners) {
        const bool is_tried = trials_left_ != 0;
        trials_left_ -= std::min(trials_left_, price_);
        return is_tried && fits_without(owners);
    }

    /// Finds as few of the first nodes as have to be emptied, if all will do: all there was on
    /// them, and those that end always, is best_ then. Twice as many each time, then halves: what
    /// is emptied in vain is little.
    void empty_nodes(std::span<const NodeId> nodes, const std::vector<OwnerId>& always) {
        const auto owners_of_first = [&](std::size_t count) {
            std::vector<OwnerId> owners = always;
            for (const NodeId node : nodes.first(count)) {
                const std::vector<OwnerId> here = cluster_.owners_on(node);
                owners.insert(owners.end(), here.begin(), here.end());
            }
            std::sort(owners.begin(), owners.end());
            owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
            return owners;
        };
        std::size_t low = 0;  // so many are not enough, but for 0
        std::size_t high = std::min<std::size_t>(1, nodes.size());
        while (!fits_without(owners_of_first(high))) {
            if (high == nodes.size()) return;
            low = high;
            high = std::min(2 * high, nodes.size());
        }
        while (high - low > 1) {
            const std::size_t middle = low + (high - low) / 2;
            (fits_without(owners_of_first(middle)) ? high : low) = middle;
        }
        best_ = owners_of_first(high);
    }
    /// Leaves out who may stay: halves first, then quarters, down to each alone.
    void trim(std::vector<OwnerId>& owners) {
        for (std::size_t some = owners.size() / 2; some != 0; some /= 2) {
            for (std::size_t end = owners.size(); end != 0 && trials_left_ != 0;) {
                const std::size_t begin = end - std::min(some, end);
                std::vector<OwnerId> fewer = owners;
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                            fewer.begin() + static_cast<std::ptrdiff_t>(end));
                if (may_do_without(fewer)) owners = std::move(fewer);
                end = begin;
            }
        }
    }

    Cluster cluster_;  ///< a copy to try things on
    Shared<Request> request_;
    Placer placer_;
    const NodeFilter& filter_;
    std::uint64_t trials_left_;
    std::vector<Request> groups_;  ///< the request, then its components
    std::uint64_t price_ = 1;      ///< of one trial
    std::set<OwnerId> tried_;      ///< alone
    std::vector<OwnerId> best_;
};

}  // namespace detail

/// The owners, rising, whose allocations would have to end for the request to fit; empty when it
/// fits, or when it would not if everybody ended who has something of a node that it may have, or
/// of the cluster-wide counts that it asks for. Requires: check(request) is ok.
/// Complexity: a look at each node; trials, twice the logarithm of the nodes that have to be
/// emptied, and at most `trials_max` more to leave owners out, of which one counts as 1 + n / 64
/// for a request of n nodes. A trial is the end of its owners, a placement, and what undoes both.
[[nodiscard]] inline std::vector<OwnerId> find_evictions(const Cluster& cluster,
                                                         const Request& request,
                                                         const PlaceOptions& options = {},
                                                         const NodeFilter& filter = {},
                                                         std::uint64_t trials_max = 1000) {
    if (place(cluster, request, options, filter)) return {};
    return detail::EvictionSearch(cluster, request, options, filter, trials_max).run();
}

}  // namespace trestle
