// SPDX-License-Identifier: Apache-2.0
#pragma once

// explain: why a request has no place now, node by node, counted by constraint.
//
// Layer: alloc. Main types: Explanation, ConstraintCount. Each node is counted under the constraint
// that it names; the binding one is that which removed the most nodes. For all that one node has to
// say see explain_fit.hpp.
// A reader would get wrong: a node counted as fitting may still not help, when the request needs
// several nodes or a shape of the network that they do not form.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/fit/explain_fit.hpp"
#include "trestle/alloc/place.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// How many nodes one constraint removed, and what it said of the first of them.
struct ConstraintCount {
    Constraint constraint = Constraint::none;
    Count nodes;
    std::string example;  ///< `n3: asked 2 gpu, 1 free of ...`

    static constexpr auto fields() {
        return field_list(field("constraint", &ConstraintCount::constraint),
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

    static constexpr auto fields() {
        return field_list(field("fits", &Explanation::fits), field("why", &Explanation::why),
                          field("fitting", &Explanation::fitting),
                          field("removed", &Explanation::removed),
                          field("nearest", &Explanation::nearest));
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

}  // namespace detail

/// What each node says to the largest part of the request with its preferred devices.
/// Requires: check(request) is ok. Complexity: that of place(), one fit() a node, and one
/// explain_fit() for each constraint that removed nodes.
[[nodiscard]] inline Explanation explain(const Cluster& cluster, const Request& request,
                                         const PlaceOptions& options = {}) {
    Explanation result;
    const auto placement = place(cluster, request, options);
    result.fits = placement.has_value();
    if (!result.fits) result.why = placement.refusal();
    const NodePart part{0, std::max<std::int64_t>(1, request.nodes.least().value())};
    std::vector<NodeId> full;  // the first node that each constraint of fit() removed
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        const Node& node = cluster.node(NodeId(i));
        auto refusal = refuse_node(cluster, NodeId(i), request);
        const bool is_open = !refusal;
        if (is_open) {
            const NodeDemand demand = demand_of(request, part, socket_count(*node.shape));
            const auto verdict = fit(*node.shape, cluster.usage(NodeId(i)), demand, options.fit);
            if (verdict) {
                result.fitting += Count(1);
                continue;
            }
            refusal = {verdict.refusal().constraint, node.name + ": " + verdict.refusal().reason};
        }
        auto at = std::find_if(
            result.removed.begin(), result.removed.end(),
            [&](const ConstraintCount& c) { return c.constraint == refusal->constraint; });
        if (at == result.removed.end()) {
            at = result.removed.insert(at, {refusal->constraint, Count(), refusal->reason});
            if (is_open) full.emplace_back(i);
        }
        at->nodes += Count(1);
    }
    std::stable_sort(
        result.removed.begin(), result.removed.end(),
        [](const ConstraintCount& a, const ConstraintCount& b) { return a.nodes > b.nodes; });
    if (!result.fits) {
        result.nearest = detail::nearest_relaxation(cluster, full, request, part, options.fit);
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
    return text;
}

}  // namespace trestle
