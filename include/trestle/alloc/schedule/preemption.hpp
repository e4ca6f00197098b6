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

/// The victims whose end lets place() find a placement. The first difference decides: the lowest
/// cost together; the fewest victims; the lower positions in the caller's list, read from the
/// lowest on. A request that fits already needs no victim.
///
/// If there is no plan, the refusal has one of three reasons. Either place() finds nothing even
/// after the end of all victims that the rules allow. The rules allow too little; or gave_up, when
/// the trials ended first.
///
/// The plan is exact up to `trials_max` trials, and says so (`is_cheapest`). Beyond that it is the
/// best that was found, and more trials never make it worse. A trial ends some victims, asks
/// whether the request then has a place, and undoes both. It counts as 1, and one more for each 64
/// of the victims and of the nodes asked, together.
///
/// Jobs of one node, or of equal parts whose victims are on one node each, without a requested
/// topology, are decided node by node. Then the trials are those on each node, once for nodes in
/// equal states with equal victims, and nodes asked do not count. For other jobs all sets of
/// victims are in question, which is exact for a dozen or two.
///
/// The policy of the options, which may be a scoring expression, chooses the plan's placement. It
/// is no function of the caller's: a search asks thousands of times, and only whether there is a
/// place matters to it. To place by a function, end the victims and ask a Placer with that
/// function.
///
/// Constraint::invalid for a victim that has nothing, stands twice or costs less than 0, and for
/// costs that do not add up. Each names the victim. The same for a cost_max below 0. Complexity:
/// beside the trials one look at what the victims have, and placements for a first plan. These are
/// twice the logarithm of the nodes to be emptied.
[[nodiscard]] Verdict<PreemptionPlan> plan_preemption(
    const Cluster& cluster, const PreparedRequest& request,
    std::span<const PreemptionPlan::Victim> victims, const PreemptionRules& rules = {},
    const PlaceOptions& options = {}, const NodeFilter& filter = {});

}  // namespace trestle
