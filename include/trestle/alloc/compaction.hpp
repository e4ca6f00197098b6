// SPDX-License-Identifier: Apache-2.0
#pragma once

// plan_compaction: which running jobs to move, and where to, so that a request fits or less lies
// in fragments.
//
// Layer: alloc. Main functions: plan_compaction(cluster, request, movable, ...) and, with a score
// in place of a request, plan_compaction(cluster, movable, ...); expected_fragments. Pure: the
// cluster is not changed. A move takes an owner, once, to any nodes; what it gets of them is what
// place() says when it is asked about these nodes alone, for the request that the owner's
// allocation was made with. Nobody loses by it: a place with less CPUs, memory or devices than the
// owner has, all nodes together, is none. So who was adopted without a request, or extended beyond
// it, stays where it is.
// A reader would get wrong: "smallest" counts moves, not what they cost; and it does not range over
// the units of a node, which are place()'s choice.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/compaction/compaction_plan.hpp"
#include "trestle/alloc/compaction/detail/compaction_search.hpp"
#include "trestle/alloc/compaction/detail/fragment_search.hpp"
#include "trestle/alloc/compaction/detail/move_trials.hpp"
#include "trestle/alloc/place.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// Moves of `movable` owners, each feasible when its turn comes, after which the request fits: the
/// fewest that the budget finds; none where it fits as it is. A refusal says what place() says, and
/// how far the search went: gave_up when the budget ended, else nothing that was asked for helps.
/// The filter is for the request; CompactionRules::destinations for those who move. A placement
/// that gives up counts as a no. Errors: InvalidArgument for an owner that stands twice or whose
/// request check() refuses, NotFound for one that has nothing, naming it. Requires: check(*request)
/// is ok. Complexity: what CompactionRules::trials_max allows; a trial is a placement, and the
/// moves that it is tried after.
[[nodiscard]] inline StatusOr<Verdict<CompactionPlan>> plan_compaction(
    const Cluster& cluster, const Shared<Request>& request, std::span<const OwnerId> movable,
    const CompactionRules& rules = {}, const PlaceOptions& options = {},
    const NodeFilter& filter = {}) {
    using Result = Verdict<CompactionPlan>;
    TRESTLE_TRY(const auto movers, detail::movers_of(cluster, movable));
    auto now = place(cluster, *request, options, filter);
    if (now) return Result(CompactionPlan{{}, *std::move(now), true});
    detail::MoveTrials trials(cluster, options, rules);
    auto plan = detail::CompactionSearch(trials, movers, request, filter).run();
    if (plan) return Result(*std::move(plan));
    const Refusal& why = now.refusal();
    if (trials.is_over()) {
        return Result(Refusal{Constraint::gave_up, fmt::format("{}; no plan within {} trials",
                                                               why.reason, rules.trials_max)});
    }
    const std::string tried =
        rules.moves_max ? fmt::format("up to {} moves", *rules.moves_max) : "all moves";
    return Result(Refusal{why.constraint, fmt::format("{}; {} of {} owners were tried in vain",
                                                      why.reason, tried, movers.size())});
}

/// Millionths of a device that a typical job of the options cannot use, expected of all nodes that
/// take work together: the measure of "Beware of Fragmentation", see TypicalJobs::fragments().
/// Requires: one of the jobs has been seen, or there is none.
/// Complexity: the states that nodes are in, times the jobs.
[[nodiscard]] inline std::int64_t expected_fragments(const Cluster& cluster,
                                                     const PolicyOptions& options) {
    return detail::FragmentMeter(cluster, options).of(cluster);
}

/// Moves of `movable` owners, each feasible when its turn comes and each with less
/// expected_fragments() behind it than before: the one that lowers them most has the first turn,
/// as far as the gains are known, the lowest owner where several do. An owner goes where place()
/// puts it by the options without what it has now; Policy::fgd looks for the least fragments there
/// too. Errors: those above, and InvalidArgument when the options name no typical jobs. Complexity:
/// a trial for each owner, and some for each move.
[[nodiscard]] inline StatusOr<FragmentationPlan> plan_compaction(
    const Cluster& cluster, std::span<const OwnerId> movable, const PlaceOptions& options,
    const CompactionRules& rules = {}) {
    const std::vector<TypicalJob>& jobs = *options.policy_options.typical_jobs;
    if (std::all_of(jobs.begin(), jobs.end(), [](const auto& one) { return one.seen.is_zero(); })) {
        return invalid_argument("fragments are measured by typical jobs, the options name none");
    }
    TRESTLE_TRY(const auto movers, detail::movers_of(cluster, movable));
    detail::MoveTrials trials(cluster, options, rules);
    return detail::FragmentSearch(trials, movers, options.policy_options).run();
}

}  // namespace trestle
