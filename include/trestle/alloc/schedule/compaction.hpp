// SPDX-License-Identifier: Apache-2.0
#pragma once

// plan_compaction: which running jobs to move, and where to, so that a request fits;
// plan_defragmentation: so that less lies in fragments.
//
// Layer: alloc. Main functions: plan_compaction(cluster, request, movable, ...),
// plan_defragmentation(cluster, movable, ...), expected_fragments. Pure: the cluster is not
// changed. A move takes an owner, once, to any nodes; what it gets of them is what place() says
// when it is asked about these nodes alone, for the request that the owner's allocation was made
// with. No owner loses resources: a place with fewer CPUs, less memory or fewer devices, all nodes
// together, is not accepted, so owners that were extended stay. Owners that were adopted or have
// the default request stay too, because their request is not known.
// Pitfall: "smallest" counts moves, not what they cost; and it does not range over the units of a
// node, which are place()'s choice.

#include <cstdint>
#include <span>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/alloc/schedule/compaction_plan.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// Moves of `movable` owners, each feasible when its turn comes, after which the request fits: the
/// fewest that the budget finds; none where it fits as it is. A refusal says what place() says, and
/// how far the search went: gave_up when the budget ended or place() gave up on something, else
/// nothing that was asked for helps. The filter is for the request; CompactionRules::destinations
/// is for the owners that move. Constraint::invalid for an owner that stands twice, has nothing or
/// whose request check() refuses, naming it. Complexity: what CompactionRules::trials_max allows; a
/// trial is a placement, and the moves that it is tried after.
[[nodiscard]] Verdict<CompactionPlan> plan_compaction(const Cluster& cluster,
                                                      const PreparedRequest& request,
                                                      std::span<const OwnerId> movable,
                                                      const CompactionRules& rules = {},
                                                      const PlaceOptions& options = {},
                                                      const NodeFilter& filter = {});

/// Millionths of a device that a typical job of the options cannot use, expected of all nodes that
/// take work together: the measure of "Beware of Fragmentation", devices that a job drawn from the
/// typical ones could not use. Errors: InvalidArgument when the options name no typical job that
/// has been seen, or one that wants more devices than can be counted. Complexity: the states that
/// nodes are in, times the jobs.
[[nodiscard]] StatusOr<std::int64_t> expected_fragments(const Cluster& cluster,
                                                        const PolicyOptions& options);

/// Moves of `movable` owners, each feasible when its turn comes and each with less
/// expected_fragments() behind it than before: the one that lowers them most has the first turn,
/// as far as the gains are known, the lowest owner where several do. An owner goes where place()
/// puts it by the options without what it has now, and nowhere else; Policy::fgd looks for the
/// least fragments there too. Errors: InvalidArgument for an owner that stands twice or whose
/// request check() refuses, NotFound for one that has nothing, and those of expected_fragments().
/// Complexity: a trial for each owner, and some for each move.
[[nodiscard]] StatusOr<FragmentationPlan> plan_defragmentation(const Cluster& cluster,
                                                               std::span<const OwnerId> movable,
                                                               const CompactionRules& rules,
                                                               const PlaceOptions& options);

}  // namespace trestle
