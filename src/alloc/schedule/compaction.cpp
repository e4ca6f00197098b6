// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/compaction.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/schedule/detail/compaction_search.hpp"
#include "alloc/schedule/detail/fragment_search.hpp"
#include "alloc/schedule/detail/move_trials.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

Verdict<CompactionPlan> plan_compaction(const Cluster& cluster, const PreparedRequest& request,
                                        std::span<const OwnerId> movable,
                                        const CompactionRules& rules, const PlaceOptions& options,
                                        const NodeFilter& filter,
                                        const std::function<void()>& watch) {
    const Cluster asked = cluster;  // movers point into it, and the watch may change the caller's
    const auto found = detail::movers_of(asked, movable);
    if (!found.ok()) return Refusal{Constraint::invalid, std::string(message(found.status()))};
    const std::vector<detail::Mover>& movers = *found;
    detail::MoveTrials trials(asked, options, rules, watch);
    auto now = trials.place(request, filter);
    if (now) return CompactionPlan{{}, *std::move(now), true};
    const Refusal& why = now.refusal();
    const bool is_sure = why.constraint != Constraint::gave_up;
    if (auto plan = detail::CompactionSearch(trials, movers, request, filter).run()) {
        plan->is_smallest &= is_sure;
        return *std::move(plan);
    }
    if (trials.is_over()) {
        return Refusal{Constraint::gave_up,
                       fmt::format("{}; no plan within {} trials", why.reason, rules.trials_max)};
    }
    const std::string tried =
        rules.moves_max ? fmt::format("up to {} moves", *rules.moves_max) : "all moves";
    const bool is_certain = is_sure && trials.is_sure();
    return Refusal{
        is_certain ? why.constraint : Constraint::gave_up,
        fmt::format("{}; {} of {} owners were tried in vain{}", why.reason, tried, movers.size(),
                    is_certain ? "" : ", but not all of that was answered")};
}

StatusOr<std::int64_t> expected_fragments(const Cluster& cluster, const PolicyOptions& options) {
    TRESTLE_TRY_STATUS(detail::check_typical_jobs(*options.typical_jobs));
    return detail::FragmentMeter(cluster, options).of(cluster);
}

StatusOr<FragmentationPlan> plan_defragmentation(const Cluster& cluster,
                                                 std::span<const OwnerId> movable,
                                                 const CompactionRules& rules,
                                                 const PlaceOptions& options,
                                                 const std::function<void()>& watch) {
    TRESTLE_TRY_STATUS(detail::check_typical_jobs(*options.policy_options.typical_jobs));
    const Cluster asked = cluster;
    TRESTLE_TRY(const auto movers, detail::movers_of(asked, movable));
    detail::MoveTrials trials(asked, options, rules, watch);
    return detail::FragmentSearch(trials, movers, options.policy_options).run();
}

}  // namespace trestle
