// SPDX-License-Identifier: Apache-2.0
// Small clusters full of jobs, who of them may be ended at which cost, and a request that mostly
// has no place beside them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "support/random_place.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/preemption_plan.hpp"
#include "trestle/model/request.hpp"
#include "trestle/testing/generators.hpp"

namespace trestle {

/// One question to plan_preemption().
struct PreemptionCase {
    Cluster cluster;
    Request request;
    std::vector<PreemptionPlan::Victim> victims;
    PreemptionRules rules;
    PlaceOptions options;
    NodeSet candidates;  ///< of nodes; empty: all
};

/// Requests of 1 to 3 nodes; `is_large` ones ask more of each.
[[nodiscard]] inline Request any_tenant(Choices& choices, bool is_large) {
    testing::Bounds::Request bounds;
    bounds.nodes = 3;
    bounds.tasks = is_large ? 5 : 3;
    bounds.cpus = is_large ? 3 : 1;
    bounds.memory_gib = is_large ? 3 : 1;
    bounds.devices = is_large ? 3 : 1;
    bounds.device_names = {"gpu"};
    bounds.device_types = {"", "", "a100"};
    Request request;
    if (choices.one_in(is_large ? 6 : 3)) {
        request = testing::any_request(choices, bounds);
    } else {
        const auto small = [&](std::uint64_t bound) {
            return Count(1 + static_cast<std::int64_t>(choices.below(bound)));
        };
        request.nodes = Range<Count>::exactly(small(is_large ? 3 : 2));
        request.cpus_per_task = Range<Count>::exactly(small(is_large ? 3 : 2));
        if (choices.one_in(2)) {
            request.devices = {DeviceRequest{}};
            request.devices[0].count = Range<Count>::exactly(small(is_large ? 3 : 1));
        }
    }
    if (choices.one_in(4)) request.partition = "batch";
    if (choices.one_in(6)) request.cluster_counts = {{"matlab", Count(1)}};
    return request;
}

/// Nodes some of which are of one kind, in a partition and a network.
[[nodiscard]] inline Cluster any_idle_cluster(Choices& choices) {
    ClusterParts parts = testing::any_cluster_parts(choices, small_clusters());
    for (Node& node : parts.nodes) {
        if (choices.one_in(3)) node.features = {"fast"};
        if (choices.one_in(24)) node.state = NodeState::drained;
    }
    parts.partitions = {{}};
    Partition& batch = parts.partitions[0];
    batch.name = "batch";
    for (std::uint32_t i = 0; i < parts.nodes.size(); ++i) {
        if (!choices.one_in(4)) batch.nodes.insert(NodeId(i));
    }
    if (choices.one_in(3)) batch.max_cpus_per_node = Count(2 + static_cast<int>(choices.below(4)));
    if (choices.one_in(6)) batch.max_memory_per_node = gib(1);
    parts.counts = {{"matlab", Count(2)}};
    return *Cluster::create(std::move(parts));
}

/// A request with all that ties nodes together, now and then.
[[nodiscard]] inline Request any_intruder(Choices& choices, const Cluster& cluster) {
    Request request = any_tenant(choices, true);
    const auto any_name = [&] { return "n" + std::to_string(choices.below(cluster.node_count())); };
    if (choices.one_in(12)) request.required_nodes.push_back(any_name());
    if (choices.one_in(12)) request.excluded_nodes.push_back(any_name());
    if (choices.one_in(16)) request.features = {"fast"};
    if (choices.one_in(6)) request.exclusivity = Exclusivity::whole_node;
    if (choices.one_in(8)) request.topology.is_contiguous = true;
    if (choices.one_in(8)) request.topology.switches_max = Count(1);
    if (choices.one_in(12)) request.components = {any_tenant(choices, false)};
    if (choices.one_in(12)) request.device_alternatives = {{}};
    if (choices.one_in(12)) request.cluster_counts = {{"matlab", Count(2)}};
    return request;
}

[[nodiscard]] inline PreemptionRules any_preemption_rules(Choices& choices) {
    PreemptionRules rules;
    if (choices.one_in(6)) rules.victims_max = Count(static_cast<int>(choices.below(4)));
    if (choices.one_in(6)) rules.cost_max = static_cast<int>(choices.below(8));
    if (choices.one_in(6)) rules.grace_max = Seconds(static_cast<int>(choices.below(3)));
    return rules;
}

/// At most `victims_max` jobs, most of which may be ended.
[[nodiscard]] inline PreemptionCase any_preemption(Choices& choices, std::uint64_t victims_max) {
    PreemptionCase one{any_idle_cluster(choices), {}, {}, {}, {}, {}};
    const Cluster idle = one.cluster;
    const std::uint64_t costs = 1 + choices.below(4);
    const bool are_alike = choices.one_in(3);
    Request tenant = any_tenant(choices, false);
    for (std::uint64_t owner = victims_max - choices.below(victims_max / 2); owner > 0; --owner) {
        if (!are_alike) tenant = any_tenant(choices, false);
        if (!check(tenant).ok()) continue;
        auto placement = place(one.cluster, tenant);
        if (!placement) continue;
        const Status given = one.cluster.commit({OwnerId(owner), tenant, *std::move(placement)});
        TRESTLE_EXPECTS(given.ok(), "what place() gives is free");
        if (choices.one_in(12)) continue;
        PreemptionPlan::Victim victim{OwnerId(owner),
                                      static_cast<std::int64_t>(choices.below(costs)) + 1,
                                      Seconds(static_cast<int>(choices.below(3)))};
        if (choices.one_in(12)) victim.cost = 0;
        const auto at = static_cast<std::ptrdiff_t>(choices.below(one.victims.size() + 1));
        one.victims.insert(one.victims.begin() + at, victim);
    }
    for (std::uint32_t i = 0; i < one.cluster.node_count(); ++i) {  // those on it run on
        if (!choices.one_in(16)) continue;
        one.cluster.set_node_state(NodeId(i),
                                   choices.one_in(3) ? NodeState::up : NodeState::drained);
    }
    for (int tries = 0; tries < 8; ++tries) {  // for one that only has a place once some end
        Request request = any_intruder(choices, one.cluster);
        if (!check(request).ok()) continue;
        one.request = std::move(request);
        if (place(idle, one.request) && !place(one.cluster, one.request)) break;
    }
    one.rules = any_preemption_rules(choices);
    if (choices.one_in(3)) one.options = any_place_options(choices);
    if (choices.one_in(8)) {
        for (std::uint32_t i = 0; i < one.cluster.node_count(); ++i) {
            if (!choices.one_in(3)) one.candidates.insert(NodeId(i));
        }
    }
    return one;
}

}  // namespace trestle
