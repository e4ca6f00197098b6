// SPDX-License-Identifier: Apache-2.0
#pragma once

// explain: why a request has no place now, counted by constraint, and what would give it one.
//
// Layer: alloc. Main types: Explanation, ConstraintCount. Each node is counted under the constraint
// that it names; the binding one is that which removed the most nodes. States speak for their
// nodes. For all that one node has to say see fit/explain_fit.hpp.
// A reader would get wrong: a node counted as fitting may still not help, when the request needs
// several nodes or a shape of the network that they do not form.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/explain/relaxations.hpp"
#include "trestle/alloc/fit/explain_fit.hpp"
#include "trestle/alloc/place.hpp"
#include "trestle/alloc/place/detail/job_memory.hpp"
#include "trestle/alloc/place/detail/refusals.hpp"
#include "trestle/alloc/preemption.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// How many nodes one constraint removed, and what it said of the first of them.
struct ConstraintCount {
    Constraint constraint = Constraint::none;
    Count nodes;
    std::string example;  ///< `n3: asked 2 gpu, 1 free of ...`

    static constexpr auto fields(auto list) {
        return list(field("constraint", &ConstraintCount::constraint),
                    field("nodes", &ConstraintCount::nodes),
                    field("example", &ConstraintCount::example));
    }
    friend bool operator==(const ConstraintCount&, const ConstraintCount&) = default;
};

/// What each node says to a request, counted by constraint.
struct Explanation {
    bool fits = false;                     ///< place() finds a placement
    Refusal why;                           ///< what place() says when it finds none
    Count fitting;                         ///< nodes that can take the largest part
    std::vector<ConstraintCount> removed;  ///< most nodes first
    /// What one of the nodes would take instead, `n3: 7 gpu instead of 8`: the nearest relaxation
    /// of the largest part among the first nodes that each constraint removed. Empty when it fits,
    /// or when none of these has one.
    std::string nearest;
    /// Single changes to the request as a whole, or to the cluster, with which it was placed when
    /// tried; the last names the allocations that would have to end. Empty when it fits.
    std::vector<PlaceRelaxation> relaxations;

    static constexpr auto fields(auto list) {
        return list(field("fits", &Explanation::fits), field("why", &Explanation::why),
                    field("fitting", &Explanation::fitting),
                    field("removed", &Explanation::removed),
                    field("nearest", &Explanation::nearest),
                    field("relaxations", &Explanation::relaxations));
    }
    friend bool operator==(const Explanation&, const Explanation&) = default;
};

namespace detail {

/// The nearest relaxation on one of `nodes`, in words; of equal kinds that of the first node.
[[nodiscard]] inline std::string nearest_relaxation(const Cluster& cluster,
                                                    const std::vector<NodeId>& nodes,
                                                    const Request& request, const NodePart& part,
                                                    const FitOptions& options) {
    std::optional<ChangeKind> kind;
    std::string text;
    for (const NodeId id : nodes) {
        const Node& node = cluster.node(id);
        const NodeDemand demand = demand_of(request, part, socket_count(*node.shape));
        const auto relaxations =
            explain_fit(*node.shape, cluster.usage(id), demand, options).relaxations;
        if (relaxations.empty() || (kind && *kind <= relaxations.front().kind)) continue;
        kind = relaxations.front().kind;
        text = node.name + ": " + relaxations.front().text;
    }
    return text;
}

/// The owners, rising, that would have to end, were the end of each as dear as that of any other;
/// none where that of all of them is not enough.
[[nodiscard]] inline std::vector<OwnerId> fewest_to_end(const Cluster& cluster,
                                                        const Request& request,
                                                        const PlaceOptions& options,
                                                        const NodeFilter& filter,
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

/// What the nodes say to the largest part of the request with its preferred devices.
/// Requires: check(request) is ok. Complexity: the states that nodes are in, with a filter the
/// nodes; where the request does not fit, also a few dozen placements and plan_preemption() with
/// `trials_max`, in which any may end at the same cost.
[[nodiscard]] inline Explanation explain(const Cluster& cluster, const Request& request,
                                         const PlaceOptions& options = {},
                                         const NodeFilter& filter = {},
                                         std::uint64_t trials_max = 1000) {
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

/// A line for the answer, one for each constraint, one for the nearest relaxation.
[[nodiscard]] inline std::string to_text(const Explanation& explanation) {
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
