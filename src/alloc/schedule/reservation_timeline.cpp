// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/reservation_timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "alloc/schedule/detail/idle_cluster.hpp"
#include "model/cluster_counts.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

namespace {

/// Ok when the placement is of one or more nodes and nothing but whole ones.
Status check_whole_nodes(const Cluster& cluster, const Placement& placement) {
    if (placement.nodes.empty()) return failed_precondition("no node is reserved");
    NodeSet nodes;
    for (const NodePlacement& part : placement.nodes) nodes.insert(part.node);
    TRESTLE_TRY(const Placement whole, whole_nodes(cluster, nodes));
    for (std::size_t i = 0; i < placement.nodes.size(); ++i) {
        if (i < whole.nodes.size() && whole.nodes[i] == placement.nodes[i]) continue;
        return failed_precondition("node {} is not reserved whole, as whole_nodes() makes it",
                                   cluster.name(placement.nodes[i].node));
    }
    return {};
}

/// All that the cluster has and the placement has not.
StatusOr<Placement> all_but(const Cluster& cluster, const Placement& placement) {
    NodeSet nodes;
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        if (cluster.class_of(NodeId(i)).state != NodeState::removed) nodes.insert(NodeId(i));
    }
    for (const NodePlacement& part : placement.nodes) nodes.erase(part.node);
    TRESTLE_TRY(Placement rest, whole_nodes(cluster, nodes));
    rest.cluster_counts = subtract(cluster.counts(), placement.cluster_counts);
    return rest;
}

}  // namespace

StatusOr<Timeline> reservation_timeline(const Timeline& timeline, OwnerId reservation) {
    const auto period = timeline.period_of(reservation);
    if (!period) return not_found("owner {} has nothing", reservation.value());
    for (const OwnerId owner : {outside_of_reservation, before_reservation, after_reservation}) {
        if (!timeline.period_of(owner)) continue;
        return failed_precondition("owner {} has something: its id stands for what is outside",
                                   owner.value());
    }
    const Placement& reserved = timeline.find_allocation(reservation)->placement;
    TRESTLE_TRY_STATUS(with_context(fmt::format("owner {}", reservation),
                                    check_whole_nodes(timeline.cluster(), reserved)));
    TRESTLE_TRY(Placement rest, all_but(timeline.cluster(), reserved));
    const Instant now = timeline.now();
    Timeline inside(detail::IdleCluster::without_owners(timeline.cluster()), now);
    TRESTLE_TRY_STATUS(
        inside.reserve({outside_of_reservation, {}, std::move(rest)}, {now, end_of_time}));
    if (now < period->first) {
        TRESTLE_TRY_STATUS(
            inside.reserve({before_reservation, {}, reserved}, {now, period->first}));
    }
    if (period->end < end_of_time) {
        TRESTLE_TRY_STATUS(
            inside.reserve({after_reservation, {}, reserved}, {period->end, end_of_time}));
    }
    return inside;
}

}  // namespace trestle
