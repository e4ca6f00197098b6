// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/place.hpp"

#include <span>
#include <utility>

#include "alloc/cluster/place/detail/job_memory.hpp"
#include "alloc/cluster/place/detail/job_search.hpp"
#include "alloc/cluster/place/detail/one_node.hpp"
#include "alloc/cluster/place/detail/variants.hpp"
#include "alloc/cluster/place/state_follower.hpp"

namespace trestle {

namespace detail {

/// What a Placer without a memory would answer. `variants` are those of the request.
[[nodiscard]] Verdict<Placement> place_once(const Cluster& cluster, const Request& request,
                                            std::span<const Shared<Request>> variants,
                                            const PlaceOptions& options, const NodeFilter& filter) {
    StateFollower states(Scorer(cluster, options, {}));
    states.follow(cluster);
    JobMemory job(cluster, variants, options.fit);
    if (filter.is_empty() && OneNode::is_all_that_is_asked(request)) {
        auto decided = OneNode().decide(job.preferred(), cluster, states);
        if (decided) return *std::move(decided);
    }
    LeafTrees trees;
    return job.first_alternative([&](RequestMemory& one) {
        return JobSearch(cluster, states, options, trees, one, filter).run();
    });
}

}  // namespace detail

Verdict<Placement> place(const Cluster& cluster, const PreparedRequest& request,
                         const PlaceOptions& options, const NodeFilter& filter) {
    return detail::place_once(cluster, *request, request.variants(), options, filter);
}

Verdict<Placement> place(const Cluster& cluster, const Request& request,
                         const PlaceOptions& options, const NodeFilter& filter) {
    const auto variants = detail::variants_of(Shared<Request>::borrow(request));
    return detail::place_once(cluster, request, variants, options, filter);
}

}  // namespace trestle
