// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/explain.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "alloc/cluster/place/detail/job_memory.hpp"
#include "alloc/cluster/place/detail/refusals.hpp"
#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/schedule/find_relaxations.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/node/explain_fit.hpp"
#include "trestle/alloc/schedule/preemption.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

std::string nearest_relaxation(const Cluster& cluster, const std::vector<NodeId>& nodes,
                               const Request& request, const NodePart& part,
                               const FitOptions& options) {
    std::optional<ChangeKind> kind;
    std::string text;
    for (const NodeId id : nodes) {
        const Node& node = cluster.node(id);
        const NodeDemand demand = demand_of(request, part, node.shape->socket_count());
        const auto relaxations =
            explain_fit(*node.shape, cluster.usage(id), demand, options).relaxations;
        if (relaxations.empty() || (kind && *kind <= relaxations.front().kind)) continue;
        kind = relaxations.front().kind;
        text = node.name + ": " + relaxations.front().text;
    }
    return text;
}

std::vector<OwnerId> fewest_to_end(const Cluster& cluster, const Request& request,
                                   const PlaceOptions& options, const NodeFilter& filter,
                                   std::uint64_t trials_max) {
    std::vector<Victim> everybody;
    everybody.reserve(cluster.allocation_count());
    cluster.for_each_different_owner(Cluster(), [&](OwnerId owner) {
        everybody.push_back({owner, 1, {}});
    });
    PreemptionRules rules;
    rules.trials_max = trials_max;
    const auto plan = plan_preemption(cluster, request, everybody, rules, options, filter);
    std::vector<OwnerId> owners;
    if (!plan.ok() || !*plan) return owners;
    for (const Victim& one : (*plan)->victims) owners.push_back(one.owner);
    return owners;
}

}  // namespace detail

Explanation explain(const Cluster& cluster, const Request& request, const PlaceOptions& options,
                    const NodeFilter& filter, std::uint64_t trials_max) {
    Explanation result;
    const auto placement = place(cluster, request, options, filter);
    result.fits = placement.has_value();
    if (!result.fits) result.why = placement.refusal();

    StateFollower states(Scorer(cluster, PlaceOptions(), {}));
    states.follow(cluster);
    detail::RequestMemory memory(cluster, request, options.fit);
    const JobGroup first =
        groups_of(request, std::max<std::int64_t>(1, request.nodes.least().value())).front();
    detail::RefusalCounts counts(cluster);
    counts.add(memory.answers(first, cluster, states), node_rules(cluster, request), filter);
    result.fitting = Count(static_cast<std::int64_t>(counts.fitting()));
    std::vector<NodeId> full;  // the first node that each constraint of fit() removed
    for (detail::RefusalCount& one : counts.sorted()) {
        const bool is_open = !refuse_node(cluster, one.first, request) && filter.passes(one.first);
        if (is_open) {
            full.push_back(one.first);
            one.example.reason = cluster.name(one.first) + ": " + one.example.reason;
        }
        result.removed.push_back(
            {one.example.constraint, Count(one.nodes), std::move(one.example.reason)});
    }
    if (result.fits) return result;
    std::sort(full.begin(), full.end());
    result.nearest = detail::nearest_relaxation(cluster, full, request, first.part, options.fit);
    result.relaxations = find_place_relaxations(cluster, request, options, filter);
    std::vector<OwnerId> owners =
        detail::fewest_to_end(cluster, request, options, filter, trials_max);
    if (!owners.empty()) {
        std::string text = "once these owners end:";
        for (const OwnerId owner : owners) text += " " + to_text(owner);
        result.relaxations.push_back({PlaceChangeKind::ending, std::move(text), std::move(owners)});
    }
    return result;
}

std::string to_text(const Explanation& explanation) {
    std::string text = explanation.fits ? "fits" : "does not fit, " + to_text(explanation.why);
    text += fmt::format("; nodes that can take a part: {}", explanation.fitting);
    for (const ConstraintCount& one : explanation.removed) {
        text += fmt::format("\n{} removed {}, the first says: {}", one.constraint, one.nodes,
                            one.example);
    }
    if (!explanation.nearest.empty()) text += "\nnearest: " + explanation.nearest;
    for (const PlaceRelaxation& one : explanation.relaxations) text += "\nfits: " + one.text;
    return text;
}

}  // namespace trestle
