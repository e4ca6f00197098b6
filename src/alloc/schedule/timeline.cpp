// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/timeline.hpp"

#include <optional>

#include "trestle/alloc/cluster/cluster.hpp"

namespace trestle {

std::optional<Period> Timeline::period_of(OwnerId owner) const {
    const Period* const found = periods_.find(owner);
    return found ? std::optional(*found) : std::nullopt;
}

const Allocation* Timeline::find_allocation(OwnerId owner) const {
    if (const auto* const found = reserved_.find(owner)) return &**found;
    return cluster_.find_allocation(owner);
}

std::optional<Instant> Timeline::next_end() const {
    return ends_.is_empty() ? std::nullopt : std::optional(ends_.begin()->key.at);
}

void Timeline::hash_into(HashState& state) const {
    trestle::hash_into(state, cluster_);
    trestle::hash_into(state, now_);
    trestle::hash_into(state, periods_);
    trestle::hash_into(state, reserved_);
}

void TimelineTrial::undo() {
    marks_.forget();
    timeline_ = before_;
}

}  // namespace trestle
