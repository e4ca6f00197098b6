// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/explain.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/refusals.hpp"
#include "alloc/cluster/place/detail/request_cache.hpp"
#include "alloc/cluster/place/detail/variants.hpp"
#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/place/job_groups.hpp"
#include "alloc/cluster/place/split/splits.hpp"
#include "alloc/schedule/candidates/node_need.hpp"
#include "alloc/schedule/detail/time_limit.hpp"
#include "alloc/schedule/detail/window_cluster.hpp"
#include "alloc/schedule/find_relaxations.hpp"
#include "alloc/schedule/timeline/owner_moment.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/node/explain_fit.hpp"
#include "trestle/alloc/schedule/preemption.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/model/features.hpp"

namespace trestle {

namespace detail {

namespace {

/// The nearest relaxation on one of `nodes`, in words; of equal kinds that of the first node.
std::string nearest_relaxation(const Cluster& cluster, const std::vector<NodeId>& nodes,
                               const Request& request, const NodePart& part,
                               const FitOptions& options) {
    std::optional<FitExplanation::Relaxation::Kind> kind;
    std::string text;
    for (const NodeId id : nodes) {
        const Node& node = cluster.node(id);
        const NodeDemand demand = demand_of(request, part, node.shape->socket_count());
        const auto relaxations =
            explain_fit(*node.shape, cluster.ledger(id), demand, options).relaxations;
        if (relaxations.empty() || (kind && *kind <= relaxations.front().kind)) continue;
        kind = relaxations.front().kind;
        text = node.name + ": " + relaxations.front().text;
    }
    return text;
}

/// The owners, rising, that would have to end if each had the same cost; none if the end of all is
/// not enough.
std::vector<OwnerId> fewest_to_end(const Cluster& cluster, const PreparedRequest& request,
                                   const PlaceOptions& options, const NodeFilter& filter,
                                   std::uint64_t trials_max) {
    if (!may_have_place_when_idle(cluster, *request)) return {};
    std::vector<PreemptionPlan::Victim> all_owners;
    all_owners.reserve(cluster.allocation_count());
    cluster.for_each_different_owner(Cluster(), [&](OwnerId owner) {
        all_owners.push_back({owner, 1, {}});
    });
    PreemptionRules rules;
    rules.trials_max = trials_max;
    const auto plan = plan_preemption(cluster, request, all_owners, rules, options, filter);
    std::vector<OwnerId> owners;
    if (!plan) return owners;
    for (const PreemptionPlan::Victim& one : plan->victims) owners.push_back(one.owner);
    return owners;
}

/// What the nodes of a cluster say to a request.
struct NodesSay {
    Explanation explanation;   ///< without relaxations
    NodePart part;             ///< that they were asked about: part_of_one()
    std::vector<NodeId> full;  ///< the first node that each constraint of fit() removed, rising
};

/// The fewest nodes that the request accepts.
[[nodiscard]] static std::int64_t fewest_nodes(const Cluster& cluster, const Request& request) {
    const auto partition = find_partition(cluster, request.partition);
    const NodeCounts counts(
        request, partition ? cluster.partitions()[*partition].nodes_per_job : Range<Count>(),
        static_cast<std::int64_t>(request.required_nodes.size()));
    const auto first = counts.after(0, cluster.node_count());
    return first.value_or(counts.least());
}

/// What the request asks of any one of so many nodes: a feature of one of its sets, and those that
/// all of the nodes need.
[[nodiscard]] static Request for_one_node(const Request& request, std::int64_t nodes) {
    Request one = request;
    one.features = features_of_any_set(request);
    one.feature_sets.clear();
    for (const FeatureCount& count : request.feature_counts) {
        if (count.nodes.value() >= nodes) one.features = std::move(one.features) & count.features;
    }
    return one;
}

[[nodiscard]] static NodesSay ask_nodes(const Cluster& cluster, const PreparedRequest& prepared,
                                        const PlaceOptions& options, const NodeFilter& filter) {
    NodesSay said;
    Explanation& result = said.explanation;
    const auto placement = place(cluster, prepared, options, filter);
    result.fits = placement.has_value();
    if (!result.fits) result.why = placement.refusal();

    StateCache states(Scorer(cluster, PlaceOptions(), {}));
    states.follow(cluster);
    const std::int64_t nodes = fewest_nodes(cluster, *prepared);
    const Shared<Request> asked(for_one_node(*prepared, nodes));
    const Request& request = *asked;
    VariantCache cache(cluster, asked, options.fit);
    said.part = part_of_one(request, nodes);
    const JobGroup first{0, said.part, 1};
    RefusalCounts counts(cluster);
    counts.add(cache.ranking(first, cluster, states), node_rules(cluster, request), filter);
    result.fitting = Count(static_cast<std::int64_t>(counts.fitting()));
    for (RefusalCount& one : counts.sorted()) {
        const bool is_open = !refuse_node(cluster, one.first, request) && filter.passes(one.first);
        if (is_open) {
            said.full.push_back(one.first);
            one.example.reason = cluster.name(one.first) + ": " + one.example.reason;
        }
        result.removed.push_back(
            {one.example.constraint, Count(one.nodes), std::move(one.example.reason)});
    }
    std::sort(said.full.begin(), said.full.end());
    return said;
}

/// ` 3 5`.
[[nodiscard]] static std::string names_of(const std::vector<OwnerId>& owners) {
    std::string text;
    for (const OwnerId owner : owners) text += " " + to_text(owner);
    return text;
}

/// The owners, rising, that have something of the start's nodes and end no later than it begins.
[[nodiscard]] static std::vector<OwnerId> ended_on(const Timeline& timeline, const Start& start) {
    NodeSet nodes;
    for (const NodePlacement& part : start.placement.nodes) nodes.insert(part.node);
    std::vector<OwnerId> owners;
    for (const auto& moment : timeline.ends()) {
        if (start.period.first < moment.key.at) break;
        const OwnerId owner = moment.key.owner;
        const auto& parts = timeline.find_allocation(owner)->placement.nodes;
        const bool is_there = std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
            return nodes.contains(part.node);
        });
        if (is_there) owners.push_back(owner);
    }
    std::sort(owners.begin(), owners.end());
    return owners;
}

}  // namespace

}  // namespace detail

Explanation explain(const Cluster& cluster, const PreparedRequest& prepared,
                    const PlaceOptions& options, const NodeFilter& filter,
                    std::uint64_t trials_max) {
    const Request& request = *prepared;
    detail::NodesSay said = detail::ask_nodes(cluster, prepared, options, filter);
    Explanation result = std::move(said.explanation);
    if (result.fits) return result;
    result.nearest =
        detail::nearest_relaxation(cluster, said.full, request, said.part, options.fit);
    result.relaxations = find_place_relaxations(cluster, request, options, filter);
    std::vector<OwnerId> owners =
        detail::fewest_to_end(cluster, prepared, options, filter, trials_max);
    if (!owners.empty()) {
        std::string text = "once these owners end:" + detail::names_of(owners);
        result.relaxations.push_back(
            {Explanation::Relaxation::Kind::ending, std::move(text), std::move(owners)});
    }
    return result;
}

Explanation explain(const Timeline& timeline, const PreparedRequest& request,
                    const StartQuestion& question, const PlaceOptions& options,
                    const NodeFilter& filter) {
    const auto start = earliest_start(timeline, request, question, options, filter);
    if (!start && start.refusal().constraint == Constraint::invalid) {
        Explanation result;
        result.why = start.refusal();
        return result;
    }
    const Instant after = question.after.value_or(timeline.now());
    const auto duration =
        question.duration ? question.duration : time_limit_of(timeline.cluster(), *request);
    Request timed = *request;  // changes that would not let it run that long are none
    timed.time_limit = duration;
    const PreparedRequest asked(std::move(timed));
    detail::WindowCluster window;
    window.open(timeline, period_of(after, duration));
    Explanation result = detail::ask_nodes(window.cluster(), asked, options, filter).explanation;
    if (start && start->period.first == after) return result;
    result.fits = false;
    result.why = start ? *start->waits_for : start.refusal();
    result.relaxations = find_place_relaxations(window.cluster(), *asked, options, filter);
    if (!start) return result;
    std::vector<OwnerId> owners = detail::ended_on(timeline, *start);
    std::string text = fmt::format("from {} on", start->period.first);
    if (!owners.empty()) text += ", when these owners have ended:" + detail::names_of(owners);
    result.relaxations.push_back(
        {Explanation::Relaxation::Kind::waiting, std::move(text), std::move(owners)});
    return result;
}

std::string to_text(const Explanation& explanation) {
    std::string text = explanation.fits ? "fits" : "does not fit, " + to_text(explanation.why);
    text += fmt::format("; nodes that can take a part: {}", explanation.fitting);
    for (const Explanation::Removal& one : explanation.removed) {
        text += fmt::format("\n{} removed {}, the first says: {}", one.constraint, one.nodes,
                            one.example);
    }
    if (!explanation.nearest.empty()) text += "\nnearest: " + explanation.nearest;
    for (const Explanation::Relaxation& one : explanation.relaxations)
        text += "\nfits: " + one.text;
    return text;
}

}  // namespace trestle
