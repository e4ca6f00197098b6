// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/place.hpp"

#include <span>
#include <string>
#include <utility>

#include "alloc/cluster/place/detail/job_search.hpp"
#include "alloc/cluster/place/detail/one_node.hpp"
#include "alloc/cluster/place/detail/request_cache.hpp"
#include "alloc/cluster/place/detail/variants.hpp"
#include "alloc/cluster/place/state_cache.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace detail {

/// What a Placer without a memory would answer. `variants` are those of the request.
[[nodiscard]] Verdict<Placement> place_once(const Cluster& cluster, const Request& request,
                                            std::span<const Shared<Request>> variants,
                                            const PlaceOptions& options, const NodeFilter& filter) {
    StateCache states(Scorer(cluster, options, {}));
    states.follow(cluster);
    RequestCache job(cluster, variants, options.fit);
    if (filter.is_empty() && OneNode::is_all_that_is_asked(request)) {
        OneNode one_node;
        if (auto found = one_node.decide(job.preferred(), cluster, states)) {
            return *std::move(found);
        }
        if (auto why = one_node.refusal(job.preferred(), cluster)) return *std::move(why);
    }
    LeafTrees trees;
    return decide_job(job, cluster, states, options, trees, filter, RefusalWords::made);
}

}  // namespace detail

Verdict<Placement> place(const Cluster& cluster, const PreparedRequest& request,
                         const PlaceOptions& options, const NodeFilter& filter) {
    return detail::place_once(cluster, *request, request.variants(), options, filter);
}

Verdict<Placement> place(const Cluster& cluster, const Request& request,
                         const PlaceOptions& options, const NodeFilter& filter) {
    if (const Status valid = check(request); !valid.ok()) {
        return Refusal{Constraint::invalid, std::string(message(valid))};
    }
    const auto variants = detail::variants_of(Shared<Request>::borrow(request));
    return detail::place_once(cluster, request, variants, options, filter);
}

}  // namespace trestle
