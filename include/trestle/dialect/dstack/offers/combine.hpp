// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a fleet and a run want together: the intersection, or what they disagree about.
//
// Layer: dialect/dstack. Main function: combine.
// Pitfall: an empty list in a profile accepts everything, so lists with nothing in common are a
// refusal and never an empty list.

#include "trestle/base/verdict.hpp"
#include "trestle/dialect/dstack/profile.hpp"
#include "trestle/dialect/dstack/release.hpp"
#include "trestle/dialect/dstack/resources.hpp"

namespace trestle::dstack {

/// Resources that both accept. Ranges are intersected, also compute capability, of which the
/// stronger bound wins, in 0.21 the weaker. Architecture and vendor are those of either, or equal.
/// Names of GPUs are those in both, without regard to case but in 0.21, in the fleet's order and
/// spelling; shm_size is the smaller. A null gpu or disk leaves the other's. A Refusal names the
/// key and what both sides say.
[[nodiscard]] Verdict<Resources> combine(const Resources& fleet, const Resources& run,
                                         Release release = default_release);

/// Places and prices that both accept. Lists are intersected, without regard to case but in
/// 0.21, in the fleet's order. Reservation is that of either, or equal. `spot_policy` is equal,
/// where auto accepts either and a fleet or run without one is on-demand. `max_price` is the lower,
/// idle_duration the shorter, off the longest. What only runs say (fleets, creation_policy, retry,
/// max_duration, stop_duration) is the run's, retry the fleet's where the run has none. A Refusal
/// names the key and what both sides say.
[[nodiscard]] Verdict<Profile> combine(const Profile& fleet, const Profile& run,
                                       Release release = default_release);

}  // namespace trestle::dstack
