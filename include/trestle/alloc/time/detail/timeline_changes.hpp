// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a timeline gives and takes: the member functions of Timeline.
//
// Layer: alloc (detail). Included by alloc/time/timeline.hpp. What runs is the cluster's and stands
// in periods_; what is reserved stands in reserved_, and by node in planned_.
// A reader would get wrong: whether units are free is first asked of the least that is left; only
// where that says no are the moments looked at one by one, for the words of the refusal.

#include <optional>
#include <utility>

#include "trestle/alloc/time/timeline.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

template <class Change>
Status Timeline::change_cluster(const Change& change) {
    Timeline changed = *this;
    TRESTLE_TRY_STATUS(change(changed.cluster_));
    std::optional<OwnerId> other;
    cluster_.for_each_different_owner(changed.cluster_, [&](OwnerId owner) { other = owner; });
    if (other) {
        return failed_precondition("owner {}: what it has changed; reserve() and cancel() do that",
                                   other->value());
    }
    Status status;
    reserved_.for_each([&](OwnerId owner, const Cow<Allocation>& allocation) {
        if (!status.ok()) return;
        status = with_context(fmt::format("owner {}", owner),
                              changed.check_free(*allocation, *periods_.find(owner)));
    });
    if (!status.ok()) return make_error(StatusCode::kFailedPrecondition, "{}", message(status));
    *this = std::move(changed);
    return {};
}

StatusOr<Placement> whole_nodes(const Cluster& cluster, const NodeSet& nodes);

}  // namespace trestle
