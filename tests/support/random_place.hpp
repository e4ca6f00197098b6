// SPDX-License-Identifier: Apache-2.0
// Clusters in use and requests for place(): small, uneven, often just too large.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/random_fit.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/model/request.hpp"
#include "trestle/testing/generators.hpp"

namespace trestle {

/// One question to place().
struct PlaceCase {
    Cluster cluster;
    Request request;
};

[[nodiscard]] inline testing::Bounds::Cluster small_clusters() {
    testing::Bounds::Cluster bounds;
    bounds.groups = 3;
    bounds.nodes = 2;
    bounds.node.cores = 3;
    bounds.node.memory_gib = 4;
    bounds.node.devices = 3;
    bounds.node.device_groups = 1;
    bounds.node.device_names = {"gpu"};
    return bounds;
}

/// Up to 6 nodes, some of them used, drained or with a feature, in up to one partition.
[[nodiscard]] inline Cluster any_used_cluster(Choices& choices) {
    ClusterParts parts = testing::any_cluster_parts(choices, small_clusters());
    for (Node& node : parts.nodes) {
        if (choices.one_in(3)) node.features = {"fast"};
        if (choices.one_in(12)) node.state = NodeState::drained;
    }
    parts.partitions = {{}};
    parts.partitions[0].name = "batch";
    for (std::uint32_t i = 0; i < parts.nodes.size(); ++i) {
        if (!choices.one_in(4)) parts.partitions[0].nodes.insert(NodeId(i));
    }
    Cluster cluster = *Cluster::create(std::move(parts));
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        if (choices.one_in(2)) continue;
        NodePlacement taken;
        taken.node = NodeId(i);
        const std::uint32_t cores = cluster.node(NodeId(i)).shape->hardware.core_count();
        for (std::uint32_t core = 0; core < cores; ++core) {
            if (choices.one_in(3)) taken.cores.insert(CoreId(core));
        }
        const Status status = cluster.commit({OwnerId(i), {}, {{std::move(taken)}}});
        TRESTLE_EXPECTS(status.ok(), "the cores are free");
    }
    return cluster;
}

/// Jobs that are expected, some of which no node can host.
[[nodiscard]] inline std::vector<PolicyOptions::TypicalJob> any_typical_jobs(Choices& choices) {
    std::vector<PolicyOptions::TypicalJob> jobs;
    for (auto n = 1 + choices.below(4); n > 0; --n) {
        PolicyOptions::TypicalJob job;
        job.cpus = MilliCpu(500 * choices.in(Interval<std::int64_t>{0, 5}));
        job.devices = Count(choices.in(Interval<std::int64_t>{0, 3}));
        if (choices.one_in(2)) job.thousandths = Count(choices.of(std::vector{250, 500, 810}));
        if (choices.one_in(4)) job.types = {"a100"};
        job.seen = Count(choices.in(Interval<std::int64_t>{1, 5}));
        jobs.push_back(std::move(job));
    }
    return jobs;
}

[[nodiscard]] inline PlaceOptions any_place_options(Choices& choices, Policy policy) {
    PlaceOptions options;
    options.policy = policy;
    if (choices.one_in(2)) options.policy_options.score_steps = 100;
    options.policy_options.seed = choices.below(4);
    options.policy_options.typical_jobs = any_typical_jobs(choices);
    options.spare_devices = options.policy_options.seed == 0;
    if (choices.one_in(4)) options.fit.rows = 2;
    return options;
}
[[nodiscard]] inline PlaceOptions any_place_options(Choices& choices) {
    const auto names = enum_names(Policy());
    return any_place_options(choices, names[choices.below(names.size())].value);
}

[[nodiscard]] inline PlaceCase any_place_case(Choices& choices) {
    PlaceCase one{any_used_cluster(choices), {}};
    testing::Bounds::Request bounds;
    bounds.nodes = 4;
    bounds.tasks = 7;
    bounds.cpus = 2;
    bounds.memory_gib = 2;
    bounds.devices = 2;
    bounds.device_names = {"gpu"};
    bounds.device_types = {"", "", "a100"};
    one.request = testing::any_request(choices, bounds);
    const auto any_name = [&] {
        return "n" + std::to_string(choices.below(one.cluster.node_count()));
    };
    if (choices.one_in(6)) one.request.required_nodes.push_back(any_name());
    if (choices.one_in(6)) one.request.excluded_nodes.push_back(any_name());
    if (choices.one_in(8)) one.request.features = {"fast"};
    if (choices.one_in(8)) one.request.partition = "batch";
    if (choices.one_in(6)) one.request.topology.is_contiguous = true;
    if (choices.one_in(6)) one.request.topology.switches_max = Count(2);
    if (!one.request.devices.empty() && choices.one_in(4)) {
        one.request.devices[0].total_memory = Range<Bytes>::at_least(gib(80));
    }
    return one;
}

}  // namespace trestle
