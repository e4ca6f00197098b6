// SPDX-License-Identifier: Apache-2.0
#pragma once

// plan_compaction: which running jobs to move, and where to, so that a request fits;
// plan_defragmentation: so that less lies in fragments.
//
// Layer: alloc. Main functions: plan_compaction(cluster, request, movable, ...),
// plan_defragmentation(cluster, movable, ...), expected_fragments. Pure: the cluster is not
// changed. A move takes an owner, once, to any nodes. There it gets what place() chooses on these
// nodes alone, for the request of the owner's allocation. No owner loses resources: a placement
// with fewer CPUs, less memory or fewer devices in all is not accepted. So owners that were
// extended stay. Owners that were adopted or have the default request stay too, because their
// request is not known. `watch` is called before each placement that is tried, as by
// Placer::set_watch().
// Pitfall: "smallest" counts moves, not their cost. It does not cover the choice of units on a
// node, which is place()'s.

#include <cstdint>
#include <functional>
#include <span>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/alloc/schedule/compaction_plan.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// Moves of `movable` owners, each feasible at its turn, after which the request fits: the fewest
/// that the budget finds. None if the request fits already. A refusal has the words of place(), and
/// how far the search went. That is gave_up when the budget ended or place() gave up, otherwise
/// that no plan within the rules helps. The filter is for the request;
/// CompactionRules::destinations is for the owners that move.
/// The policy of the options, which may be a scoring expression, chooses all places. It is no
/// function of the caller's: a plan is tried out in thousands of placements. Here and below.
/// Constraint::invalid for an owner that
/// stands twice, has nothing, or has a request that check() rejects, naming it. Complexity: what
/// CompactionRules::trials_max allows; a trial is a placement, and the moves that it is tried
/// after.
[[nodiscard]] Verdict<CompactionPlan> plan_compaction(
    const Cluster& cluster, const PreparedRequest& request, std::span<const OwnerId> movable,
    const CompactionRules& rules = {}, const PlaceOptions& options = {},
    const NodeFilter& filter = {}, const std::function<void()>& watch = {});

/// Devices in millionths that a job drawn from the typical jobs of the options could not use. It is
/// the sum over all nodes that take work, the measure of "Beware of Fragmentation".
/// Errors: InvalidArgument when the options name no typical job that has been seen, or one that
/// requests more devices than can be counted. Complexity: the states that nodes are in, times the
/// jobs.
[[nodiscard]] StatusOr<std::int64_t> expected_fragments(const Cluster& cluster,
                                                        const PolicyOptions& options);

/// Moves of `movable` owners, each feasible at its turn, each of which lowers expected_fragments().
/// The move that lowers it most comes first, as far as the gains are known; of several the lowest
/// owner. An owner goes where place() puts it by the options when it has nothing, and nowhere else.
/// With Policy::fgd that is the place with the fewest fragments. Errors: InvalidArgument for an
/// owner that stands twice or has a request that check() rejects, NotFound for one that has
/// nothing, and those of expected_fragments(). Complexity: a trial for each owner, and some for
/// each move.
[[nodiscard]] StatusOr<FragmentationPlan> plan_defragmentation(
    const Cluster& cluster, std::span<const OwnerId> movable, const CompactionRules& rules,
    const PlaceOptions& options, const std::function<void()>& watch = {});

}  // namespace trestle
