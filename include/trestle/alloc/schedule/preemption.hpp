// SPDX-License-Identifier: Apache-2.0
#pragma once

// plan_preemption: the cheapest set of owners to preempt so that a request fits.
//
// Layer: alloc. Main function: plan_preemption(cluster, request, victims, rules); the types stand
// in preemption_plan.hpp. Pure: no owner is ended and the cluster does not change. The caller
// decides which owners may be preempted, and at which cost: priorities, quality of service, work
// that would be lost.
// Pitfall: a plan is for the cluster as it is now. After the grace times, plan again before
// committing, or commit the plan's placement as soon as all victims have ended.

#include <span>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/alloc/schedule/preemption_plan.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// The victims whose end lets place() find a placement: those that cost least together; among such
/// the fewest; among such those whose positions in the caller's list, read from the lowest on, are
/// the lower at the first difference. A request that fits already needs no victim. If there is no
/// plan, the refusal says why place() finds nothing even after the end of all victims that the
/// rules allow; else that the rules allow too little, or gave_up when the trials ended first.
///
/// Up to `trials_max` that is exact, and the plan says so (`is_cheapest`); else it is the best that
/// was found: more trials never make it worse. A trial ends some victims, asks whether the request
/// then has a place, and undoes both. It counts as 1, and one more for each 64 of the victims and,
/// but where nodes answer for themselves, of the nodes asked, together. Nodes do that for jobs of
/// one node, or of equal parts whose victims are on one node each, without wishes to the network:
/// then the trials are those on each node, once for nodes in equal states with equal victims. For
/// other jobs all sets of victims are in question, which is exact for a dozen or two.
/// Constraint::invalid for a victim that has nothing, stands twice or costs less than 0, for costs
/// that do not add up, each naming the victim, and for a cost_max below 0. Complexity: beside the
/// trials a look at what the victims have, and twice the logarithm of the nodes to be emptied
/// placements for a first plan.
[[nodiscard]] Verdict<PreemptionPlan> plan_preemption(const Cluster& cluster,
                                                      const PreparedRequest& request,
                                                      std::span<const Victim> victims,
                                                      const PreemptionRules& rules = {},
                                                      const PlaceOptions& options = {},
                                                      const NodeFilter& filter = {});

}  // namespace trestle
