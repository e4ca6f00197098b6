// SPDX-License-Identifier: Apache-2.0
#pragma once

// reservation_timeline: the timeline of the jobs that may use a reservation.
//
// Layer: alloc. Main function: reservation_timeline(timeline, reservation). Whole nodes are
// reserved for some users by an owner that the caller keeps for it, as for a window of maintenance.
// What those users do lives in a timeline of its own. It is the same cluster, in which nothing is
// free but what the owner has, while it has it. There earliest_start() and schedule_pass() answer
// as anywhere. The caller decides which jobs may use which reservation by its choice of the
// timeline.
// Pitfall: neither timeline knows the other. The caller advances both. When the reservation's end
// moves, create the inner one again and reserve its jobs in it.

#include <limits>

#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// The owners, in a reservation's timeline, of what is not inside it. One has all else for ever,
/// the others the reservation's own before it begins and after it ends. They are the largest ids
/// there are.
inline constexpr OwnerId outside_of_reservation{std::numeric_limits<OwnerId::rep>::max()};
inline constexpr OwnerId before_reservation{outside_of_reservation.value() - 1};
inline constexpr OwnerId after_reservation{outside_of_reservation.value() - 2};

/// The reservation from inside, from now on, without jobs yet. Licences and the like are inside as
/// far as the owner has them. Errors: NotFound when the owner has nothing. FailedPrecondition when
/// that is not whole nodes as whole_nodes() makes them, naming the first that is not. The same when
/// an owner has one of the three ids above. Complexity: linear in the nodes of the cluster and in
/// their owners now.
[[nodiscard]] StatusOr<Timeline> reservation_timeline(const Timeline& timeline,
                                                      OwnerId reservation);

}  // namespace trestle
