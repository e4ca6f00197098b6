// SPDX-License-Identifier: Apache-2.0
// Clusters in fragments and requests that often just do not fit: jobs are put on nodes at random,
// some end, and what is left over is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/random_place.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/compaction_plan.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {

/// One question to plan_compaction().
struct CompactionCase {
    Cluster cluster;
    Request request;
    std::vector<OwnerId> movable;
    CompactionRules rules;
    PlaceOptions options;
    std::optional<NodeSet> candidates;  ///< for the request

    [[nodiscard]] NodeFilter filter() const { return {candidates ? &*candidates : nullptr}; }
};

/// The first core has two threads, the others have one.
[[nodiscard]] inline NodeShape with_uneven_threads(NodeShape shape) {
    auto& cores = shape.hardware.cores;
    cores[0].threads = {OsIndex(0), OsIndex(static_cast<std::uint32_t>(cores.size()))};
    return shape;
}

/// Two to four nodes that differ in GPUs, cores, threads and sockets, at times with licences and a
/// partition.
[[nodiscard]] inline Cluster any_gpu_cluster(Choices& choices) {
    std::string text;
    for (auto n = 2 + choices.below(3); n > 0; --n) {
        const std::string node = choices.of(std::vector<std::string>{
            "(4c mem=8G gpu:4)", "(4c mem=8G gpu:4)", "(2s2c mem=8G gpu:2@s0 gpu:2@s1)",
            "(3c mem=4G gpu:2)", "(6c mem=4G gpu:3)", "(4c mem=8G)"});
        text += (text.empty() ? "" : "; ") + node;
    }
    ClusterParts parts = *testing::cluster_parts_from_text(text.c_str());
    if (choices.one_in(3)) parts.counts = {{"matlab", Count(2)}};
    if (choices.one_in(8)) parts.nodes[0].state = NodeState::drained;
    if (choices.one_in(3)) {
        const bool is_uneven = choices.one_in(2);
        Partition batch;
        batch.name = "batch";
        for (std::uint32_t i = 0; i < parts.nodes.size(); ++i) {
            if (!choices.one_in(6)) batch.nodes.insert(NodeId(i));
            NodeShape shape = *parts.nodes[i].shape;
            if (is_uneven) parts.nodes[i].shape = with_uneven_threads(std::move(shape));
        }
        const auto most = Count(1 + static_cast<int>(choices.below(4)));
        if (is_uneven || choices.one_in(2)) batch.max_cpus_per_node = most;
        if (choices.one_in(4))
            batch.max_memory_per_node = gib(choices.in(Interval<std::int64_t>{1, 3}));
        parts.partitions = {std::move(batch)};
    }
    return *Cluster::create(std::move(parts));
}

[[nodiscard]] inline Request any_gpu_job(Choices& choices, const Cluster& cluster) {
    Request request;
    const auto number = [&](std::uint64_t bound) {
        return Count(static_cast<std::int64_t>(choices.below(bound)));
    };
    if (choices.one_in(4)) {
        request.nodes = choices.of(std::vector{Range<Count>::exactly(Count(2)),
                                               Range<Count>::between(Count(1), Count(2)),
                                               Range<Count>::at_least(Count(1))});
        if (choices.one_in(2)) request.tasks = Count(1) + number(4);
    }
    request.cpus_per_task = Range<Count>::exactly(Count(1) + number(2));
    const Count gpus = number(4);
    if (!gpus.is_zero()) {
        request.devices = {DeviceRequest{}};
        request.devices[0].count = Range<Count>::exactly(gpus);
        if (choices.one_in(6)) request.devices[0].locality = Strictness::require;
    }
    if (choices.one_in(3)) request.memory = Range<Bytes>::at_least(gib(2));
    if (choices.one_in(8)) request.exclusivity = Exclusivity::whole_node;
    if (choices.one_in(10)) request.excluded_nodes = {"n0"};
    if (choices.one_in(16)) request.required_nodes = {"n1"};
    if (choices.one_in(16)) request.topology.is_contiguous = true;
    if (!cluster.partitions().empty() && !choices.one_in(3)) request.partition = "batch";
    if (!cluster.counts().empty() && choices.one_in(3)) {
        request.cluster_counts = {{"matlab", Count(1)}};
    }
    return request;
}

/// Nodes break or are drained, whoever runs there.
inline void spoil_nodes(Choices& choices, Cluster& cluster) {
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        const bool is_down = choices.one_in(2);
        if (choices.one_in(6)) {
            cluster.set_node_state(NodeId(i), is_down ? NodeState::down : NodeState::drained);
        }
        if (choices.one_in(8)) cluster.set_node_health(NodeId(i), Health::failure);
    }
}

/// At most so many owners have something, each on nodes drawn at random.
inline void scatter_jobs(Choices& choices, Cluster& cluster, std::uint64_t owners_max) {
    std::uint64_t owner = 0;
    for (int tries = 0; tries < 12 && cluster.allocation_count() < owners_max; ++tries) {
        const Request job = any_gpu_job(choices, cluster);
        NodeSet nodes;
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
            if (choices.one_in(2)) nodes.insert(NodeId(i));
        }
        auto placement = place(cluster, job, {}, {&nodes});
        if (!placement) continue;
        const bool is_adopted = choices.one_in(12);
        const Status status =
            cluster.commit({OwnerId(++owner), is_adopted ? Request() : job, *std::move(placement)});
        TRESTLE_EXPECTS(status.ok(), "what place() gives can be had");
        if (choices.one_in(5)) {
            const auto any = OwnerId(1 + choices.below(owner));
            if (cluster.find_allocation(any)) static_cast<void>(*cluster.release(any));
        }
    }
}

[[nodiscard]] inline CompactionCase any_compaction(Choices& choices, std::uint64_t owners_max) {
    CompactionCase one{any_gpu_cluster(choices), {}, {}, {}, {}, {}};
    scatter_jobs(choices, one.cluster, owners_max);
    for (const Allocation& held : one.cluster.allocations()) {
        if (!choices.one_in(8)) one.movable.push_back(held.owner);
    }
    if (choices.one_in(8)) spoil_nodes(choices, one.cluster);
    const Cluster idle = *Cluster::create(one.cluster.parts());
    for (int tries = 0; tries < 8; ++tries) {  // mostly one that fits, but for those who run
        one.request = any_gpu_job(choices, one.cluster);
        const bool lacks_room = !place(one.cluster, one.request) && place(idle, one.request);
        if (lacks_room || choices.one_in(16)) break;
    }
    one.rules.is_live = choices.one_in(3);
    one.rules.trials_max = 1'000'000;
    if (choices.one_in(8)) one.rules.destinations = NodeSet::range({0, 2});
    if (choices.one_in(8)) one.candidates = NodeSet::range({1, one.cluster.node_count()});
    do {
        one.options = any_place_options(choices);
    } while (one.options.policy == Policy::random);  // whose draws depend on who is asked about
    if (choices.one_in(10)) one.options.fit.steps_max = choices.below(24);
    return one;
}

}  // namespace trestle
