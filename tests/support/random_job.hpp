// SPDX-License-Identifier: Apache-2.0
// Jobs and clusters with everything that place() knows of: groups of nodes, features, partitions
// with limits, counts, networks, filters; and large clusters of few kinds of nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/network_generators.hpp"
#include "support/random_fit.hpp"
#include "support/random_place.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/model/request.hpp"
#include "trestle/testing/generators.hpp"

namespace trestle {

/// How large a cluster is, and what there is besides nodes.
struct JobWorldBounds {
    std::uint32_t nodes = 6;
    bool has_network = true;
};

namespace detail {

[[nodiscard]] inline std::vector<std::string> any_features(Choices& choices) {
    std::vector<std::string> features;
    for (const char* name : {"fast", "ib", "old"}) {
        if (choices.one_in(3)) features.emplace_back(name);
    }
    return features;
}
[[nodiscard]] inline FeatureExpression any_expression(Choices& choices) {
    return *FeatureExpression::parse(choices.of(std::vector<std::string>{
        "fast", "ib", "!old", "fast|ib", "fast&ib", "!(fast|old)", "(fast&!old)|ib"}));
}

[[nodiscard]] inline Partition any_partition(Choices& choices, const char* name,
                                             std::uint32_t nodes) {
    Partition one;
    one.name = name;
    for (std::uint32_t i = 0; i < nodes; ++i) {
        if (!choices.one_in(4)) one.nodes.insert(NodeId(i));
    }
    if (choices.one_in(12)) one.state = Partition::State::drain;
    if (choices.one_in(4)) one.max_cpus_per_node = any_count(choices, {1, 6});
    if (choices.one_in(6)) one.max_memory_per_node = gib(1 + static_cast<int>(choices.below(3)));
    if (choices.one_in(6)) one.nodes_per_job.max = any_count(choices, {1, 5});
    if (choices.one_in(8)) one.nodes_per_job.min = Count(1);
    if (choices.one_in(8)) one.max_time = Seconds(600);
    using enum Partition::OverSubscribe;
    if (choices.one_in(3)) one.oversubscribe = choices.of(std::vector{yes, force, exclusive});
    if (choices.one_in(2)) one.jobs_per_core = any_count(choices, {1, 3});
    return one;
}

/// Lets some of the nodes be used: parts that are free, each by an owner of its own.
inline void use_some(Choices& choices, Cluster& cluster) {
    const char* const partitions[] = {"", "day", "night"};
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        for (auto n = choices.below(3); n > 0; --n) {
            NodePlacement taken = any_taken(choices, cluster.shape(NodeId(i)));
            taken.node = NodeId(i);
            Request request;
            request.partition = partitions[choices.below(3)];
            const OwnerId owner(cluster.allocation_count() + 1);
            // What is not free is refused, and nothing happens.
            static_cast<void>(cluster.commit({owner, request, {{std::move(taken)}, {}}}));
        }
    }
}

}  // namespace detail

/// Nodes of few shapes, used here and there.
[[nodiscard]] inline Cluster any_job_world(Choices& choices, const JobWorldBounds& bounds) {
    ClusterParts parts;
    std::vector<Shared<NodeShape>> shapes;
    testing::Bounds::Node node_bounds = small_clusters().node;
    node_bounds.shares = 4;
    for (auto n = 1 + choices.below(3); n > 0; --n) {
        shapes.push_back(testing::any_node(choices, node_bounds).shape);
    }
    const auto count = static_cast<std::uint32_t>(1 + choices.below(bounds.nodes));
    const bool is_even = choices.one_in(2);
    for (std::uint32_t i = 0; i < count; ++i) {
        Node node;
        node.name = "n" + std::to_string(i);
        node.shape = is_even ? shapes[i % shapes.size()] : choices.of(shapes);
        if (choices.one_in(3)) node.features = detail::any_features(choices);
        if (choices.one_in(4)) node.weight = static_cast<std::uint32_t>(choices.below(3));
        if (choices.one_in(16)) node.state = NodeState::drained;
        if (choices.one_in(16)) node.health = Health::failure;
        parts.nodes.push_back(std::move(node));
    }
    for (const char* name : {"day", "night"}) {
        parts.partitions.push_back(detail::any_partition(choices, name, count));
    }
    if (bounds.has_network) parts.network = testing::any_network(choices, count);
    parts.counts = {{"abaqus", Count(2)}};
    Cluster cluster = *Cluster::create(parts);
    if (!choices.one_in(4)) detail::use_some(choices, cluster);
    return cluster;
}

namespace detail {

[[nodiscard]] inline Request any_group(Choices& choices, const Cluster& cluster) {
    testing::Bounds::Request bounds;
    bounds.nodes = 3;
    bounds.tasks = 5;
    bounds.cpus = 2;
    bounds.memory_gib = 2;
    bounds.devices = 2;
    bounds.device_names = {"gpu"};
    bounds.device_types = {"", "", "a100"};
    Request request = testing::any_request(choices, bounds);
    request.topology = {};
    const auto any_name = [&] { return "n" + std::to_string(choices.below(cluster.node_count())); };
    if (choices.one_in(8)) request.required_nodes.push_back(any_name());
    if (choices.one_in(8)) request.excluded_nodes.push_back(any_name());
    if (choices.one_in(8)) request.features = any_expression(choices);
    if (choices.one_in(4)) request.partition = choices.one_in(2) ? "day" : "night";
    if (choices.one_in(10)) {
        request.feature_sets = {any_expression(choices), any_expression(choices)};
    }
    if (!request.devices.empty() && choices.one_in(6)) {
        request.device_alternatives = {{}};
    }
    if (!request.devices.empty() && choices.one_in(2)) {
        request.devices[0].shares = Count(choices.of(std::vector{1, 1, 2}));
        request.devices[0].count = Range<Count>::exactly(Count(1));
    }
    if (choices.one_in(8)) {
        request.cpus_per_task = Range<Count>::at_most(Count(0));
        request.milli_cpus = MilliCpu(500);
    }
    if (choices.one_in(6)) {
        request.nodes = Range<Count>::between(Count(1), Count(4));
        if (choices.one_in(2)) request.node_counts = {Count(2), Count(4)};
    }
    return request;
}

}  // namespace detail

/// What a job asks of the cluster; `is_simple`: without what is shared out between its nodes.
struct JobBounds {
    bool is_simple = false;
    bool has_topology = false;
};

[[nodiscard]] inline Request any_job(Choices& choices, const Cluster& cluster,
                                     const JobBounds& bounds) {
    Request request = detail::any_group(choices, cluster);
    if (choices.one_in(10)) request.cluster_counts = {{"abaqus", Count(1)}};
    if (choices.one_in(10)) request.time_limit = Seconds(900);
    if (!bounds.is_simple) {
        for (auto n = choices.one_in(4) ? 1 + choices.below(2) : 0; n > 0; --n) {
            request.components.push_back(detail::any_group(choices, cluster));
        }
        if (!request.components.empty() && choices.one_in(3)) {
            request.component_nodes = Request::ComponentNodes::shared;
        }
        for (auto n = choices.one_in(4) ? 1 + choices.below(2) : 0; n > 0; --n) {
            request.feature_counts.push_back({detail::any_expression(choices), Count(1)});
            if (request.nodes.least() > Count(1) && choices.one_in(2)) {
                request.feature_counts.back().nodes = Count(2);
            }
        }
    }
    // The oracle writes down every way of giving the devices to the nodes.
    const bool splits_devices = !request.devices.empty() && request.devices[0].per == Per::job;
    if (splits_devices && !request.nodes.max) request.nodes.max = Count(4);
    if (bounds.has_topology && choices.one_in(2)) {
        const auto nodes =
            static_cast<std::uint32_t>(std::max<std::int64_t>(1, request.nodes.least().value()));
        TopologyRequest topology = testing::any_topology_request(choices, nodes);
        if (check(topology, request.nodes).ok()) request.topology = topology;
    }
    return request;
}

namespace detail {

/// Lets a group of a job be split in many ways, with limits.
inline void split_somehow(Choices& choices, Request& request) {
    const auto any_up_to = [&](std::uint64_t n) {
        return Count(1 + static_cast<std::int64_t>(choices.below(n)));
    };
    const bool has_two_demands = !request.devices.empty() && choices.one_in(5);
    const std::uint64_t most = has_two_demands ? 3 : 4;  // the oracle writes down every split
    request.tasks = Count(1 + any_up_to(most + 1).value());
    if (!choices.one_in(3)) {
        const Count nodes = any_up_to(most);
        request.nodes = choices.one_in(2) ? Range<Count>::exactly(nodes)
                                          : Range<Count>::between(Count(1), nodes);
        request.node_counts.clear();
    }
    if (choices.one_in(4)) request.distribution.split = TaskDistribution::Split::packed;
    if (choices.one_in(6)) {
        request.task_level = choices.one_in(2) ? HardwareLevel::numa : HardwareLevel::package;
        request.cpus_per_task = Range<Count>::exactly(Count(2));
    }
    if (choices.one_in(8)) {
        request.distribution.sockets =
            choices.one_in(2) ? Distribution::cyclic : Distribution::fcyclic;
        request.distribution.level = HardwareLevel::numa;
    }
    if (choices.one_in(3)) request.tasks_per_node.max = any_up_to(4);
    if (choices.one_in(6)) request.tasks_per_node.min = any_up_to(2);
    if (!request.devices.empty() && choices.one_in(2)) request.devices[0].per = Per::job;
    if (!has_two_demands) return;
    request.devices.push_back(request.devices[0]);
    request.devices[1].per = Per::job;
    request.devices[1].count = Range<Count>::exactly(any_up_to(2));
    request.nodes.max = std::min(request.nodes.max.value_or(Count(3)), Count(3));
}

}  // namespace detail

/// A job on few nodes whose tasks and devices can be split in many ways: ranges of nodes with
/// limits of tasks on each, two demands for devices, groups.
[[nodiscard]] inline Request any_split_job(Choices& choices, const Cluster& cluster) {
    Request request = any_job(choices, cluster, {});
    detail::split_somehow(choices, request);
    if (request.components.size() > 1) request.components.pop_back();
    for (Request& one : request.components) detail::split_somehow(choices, one);
    return request;
}

/// Up to 4 nodes of any_job_world() below so many leaf switches.
[[nodiscard]] inline Cluster any_tree_world(Choices& choices, std::size_t leaves) {
    const Cluster flat = any_job_world(choices, {4, false});
    ClusterParts parts = flat.parts();
    std::vector<TreeTopology::Switch> switches(1 + leaves);
    switches[0].name = "top";
    for (std::size_t leaf = 1; leaf <= leaves; ++leaf) {
        switches[leaf].name = "s" + std::to_string(leaf);
        switches[leaf].parent = TreeTopology::SwitchId(0);
    }
    for (std::uint32_t i = 0; i < flat.node_count(); ++i) {
        if (choices.one_in(8)) continue;
        switches[1 + choices.below(leaves)].nodes.insert(NodeId(i));
    }
    std::erase_if(switches, [](const TreeTopology::Switch& one) {
        return one.parent && one.nodes.is_empty();
    });
    parts.network.trees = {{"tree", std::move(switches)}};
    Cluster cluster = *Cluster::create(std::move(parts));
    for (const Allocation& taken : flat.allocations()) static_cast<void>(cluster.commit(taken));
    return cluster;
}

}  // namespace trestle
