// SPDX-License-Identifier: Apache-2.0
#pragma once

// What differs between two timelines: the clusters of now, and the reservations.
//
// Layer: alloc. Main type: TimelineDiff; diff(before, after) is empty exactly when both are equal.
// Between a timeline and a copy of it the cost is that of what happened since.
// Pitfall: a reservation that began is no change of its period; that its owner runs now is one of
// the cluster.

#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster_diff.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fields.hpp"

namespace trestle {

/// All that differs between two timelines.
struct TimelineDiff {
    ClusterDiff cluster;                                         ///< of now
    std::vector<Change<OwnerId, TimedAllocation>> reservations;  ///< by owner, of what runs too
    std::optional<std::pair<Instant, Instant>> now;  ///< before and after; absent: the same

    [[nodiscard]] bool is_empty() const { return *this == TimelineDiff(); }

    static constexpr auto fields(auto list) {
        return list(field("cluster", &TimelineDiff::cluster),
                    field("reservations", &TimelineDiff::reservations),
                    field("now", &TimelineDiff::now));
    }
    friend bool operator==(const TimelineDiff&, const TimelineDiff&) = default;
};

/// Complexity: that of what the two do not share.
[[nodiscard]] TimelineDiff diff(const Timeline& before, const Timeline& after);

}  // namespace trestle
