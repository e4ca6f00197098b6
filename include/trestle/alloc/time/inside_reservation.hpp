// SPDX-License-Identifier: Apache-2.0
#pragma once

// inside_reservation: the timeline of those who may use a reservation.
//
// Layer: alloc. Main function: inside_reservation(timeline, reservation). Whole nodes are reserved
// for some users by an owner that the caller keeps for it, as for a window of maintenance. What
// those users do lives in a timeline of its own: the same cluster, in which nothing is free but
// what the owner has, while it has it. earliest_start() and schedule_pass() answer there as
// anywhere. Who may use which reservation is the caller's choice of the timeline.
// A reader would get wrong: neither timeline knows the other. Both are advanced by the caller, and
// when the reservation's end is moved, the inner one is made anew and its jobs are reserved in it
// again.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "trestle/alloc/time/detail/idle_cluster.hpp"
#include "trestle/alloc/time/period.hpp"
#include "trestle/alloc/timeline.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// Who has, in a reservation's timeline, what is not inside it: all else for ever, and the
/// reservation's own before it begins and after it ends. The largest ids there are.
inline constexpr OwnerId outside_of_reservation{std::numeric_limits<OwnerId::rep>::max()};
inline constexpr OwnerId before_reservation{outside_of_reservation.value() - 1};
inline constexpr OwnerId after_reservation{outside_of_reservation.value() - 2};

namespace detail {

/// Ok when the placement is of one or more nodes and nothing but whole ones.
[[nodiscard]] inline Status check_whole_nodes(const Cluster& cluster, const Placement& placement) {
    if (placement.nodes.empty()) return failed_precondition("no node is reserved");
    NodeSet nodes;
    for (const NodePlacement& part : placement.nodes) nodes.insert(part.node);
    TRESTLE_TRY(const Placement whole, whole_nodes(cluster, nodes));
    for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
        if (whole.nodes[i] == placement.nodes[i]) continue;
        return failed_precondition("node {} is not reserved whole, as whole_nodes() makes it",
                                   cluster.name(whole.nodes[i].node));
    }
    return {};
}

/// All that the cluster has and the placement has not.
[[nodiscard]] inline StatusOr<Placement> all_but(const Cluster& cluster,
                                                 const Placement& placement) {
    NodeSet nodes;
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        if (cluster.class_of(NodeId(i)).state != NodeState::removed) nodes.insert(NodeId(i));
    }
    for (const NodePlacement& part : placement.nodes) nodes.erase(part.node);
    TRESTLE_TRY(Placement rest, whole_nodes(cluster, nodes));
    rest.cluster_counts = subtract(cluster.counts(), placement.cluster_counts);
    return rest;
}

}  // namespace detail

/// The reservation from inside, from now on, with nobody in it yet. Licences and the like are
/// inside as far as the owner has them. Errors: NotFound when the owner has nothing;
/// FailedPrecondition when that is not whole nodes as whole_nodes() makes them, naming the first
/// that is not, and when somebody has one of the three ids above. Complexity: linear in the nodes
/// of the cluster and in who has something of them now.
[[nodiscard]] inline StatusOr<Timeline> inside_reservation(const Timeline& timeline,
                                                           OwnerId reservation) {
    const auto period = timeline.period_of(reservation);
    if (!period) return not_found("owner {} has nothing", reservation.value());
    for (const OwnerId owner : {outside_of_reservation, before_reservation, after_reservation}) {
        if (!timeline.period_of(owner)) continue;
        return failed_precondition("owner {} has something: its id stands for what is outside",
                                   owner.value());
    }
    const Placement& reserved = timeline.find_allocation(reservation)->placement;
    TRESTLE_TRY_STATUS(with_context(fmt::format("owner {}", reservation),
                                    detail::check_whole_nodes(timeline.cluster(), reserved)));
    TRESTLE_TRY(Placement rest, detail::all_but(timeline.cluster(), reserved));
    const Instant now = timeline.now();
    Timeline inside(detail::without_owners(timeline.cluster()), now);
    TRESTLE_TRY_STATUS(
        inside.reserve({outside_of_reservation, {}, std::move(rest)}, {now, end_of_time}));
    if (now < period->first) {
        TRESTLE_TRY_STATUS(
            inside.reserve({before_reservation, {}, reserved}, {now, period->first}));
    }
    if (period->last < end_of_time) {
        TRESTLE_TRY_STATUS(
            inside.reserve({after_reservation, {}, reserved}, {period->last, end_of_time}));
    }
    return inside;
}

}  // namespace trestle
