// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/generators.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testing/detail/small_numbers.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

namespace testing {

namespace {

std::uint32_t any_divisor(Choices& choices, std::uint32_t n) {
    std::vector<std::uint32_t> divisors;
    for (std::uint32_t d = 1; d <= n; ++d) {
        if (n % d == 0) divisors.push_back(d);
    }
    return choices.of(divisors);
}

NodeDescription::Devices any_devices(Choices& choices, const Bounds::Node& bounds,
                                     std::uint32_t sockets) {
    NodeDescription::Devices devices;
    devices.name = choices.of(bounds.device_names);
    devices.type = choices.of(bounds.device_types);
    devices.count = detail::one_to(choices, bounds.devices);
    devices.shares = Count(detail::one_to(choices, bounds.shares));
    if (!bounds.has_levels) return devices;
    devices.memory = gib(detail::zero_to(choices, 2) * 40);
    devices.nearness = choices.of(std::vector{NodeDescription::Devices::Nearness::spread,
                                              NodeDescription::Devices::Nearness::anywhere,
                                              NodeDescription::Devices::Nearness::package});
    if (devices.nearness == NodeDescription::Devices::Nearness::package)
        devices.package = detail::zero_to(choices, sockets - 1);
    devices.linking = choices.of(std::vector{NodeDescription::Devices::Linking::none,
                                             NodeDescription::Devices::Linking::all,
                                             NodeDescription::Devices::Linking::pairs});
    if (devices.linking != NodeDescription::Devices::Linking::none)
        devices.link_strength = detail::one_to(choices, 3);
    return devices;
}

/// Exactly n, at least n, or n to n + 2.
template <class T>
[[nodiscard]] Range<T> any_range(Choices& choices, T n, std::int64_t unit) {
    switch (choices.below(4)) {
        case 0:
            return Range<T>::at_least(n);
        case 1:
            return Range<T>::between(n, n + T(2 * unit));
        default:
            return Range<T>::exactly(n);
    }
}

DeviceRequest any_device_request(Choices& choices, const Bounds::Request& bounds) {
    DeviceRequest devices;
    devices.name = choices.of(bounds.device_names);
    const std::string& type = choices.of(bounds.device_types);
    if (!type.empty()) devices.types = {type};
    devices.count = Range<Count>::exactly(Count(detail::one_to(choices, bounds.devices)));
    if (!bounds.has_ranges) return devices;
    devices.count = any_range(choices, *devices.count.min, 1);
    devices.per = choices.of(std::vector{Per::node, Per::job, Per::task, Per::socket});
    devices.prefer =
        choices.of(std::vector{DeviceRequest::Prefer::fewest, DeviceRequest::Prefer::most});
    devices.locality =
        choices.of(std::vector{Strictness::ignore, Strictness::prefer, Strictness::require});
    if (choices.one_in(8)) {
        devices.count = Range<Count>::exactly(Count(1));
        devices.shares = Count(1);
    }
    return devices;
}

}  // namespace

Bounds::Node Bounds::Node::small() { return {2, 2, 2, 2, 1, 2, 2, {"gpu"}, {"", "a100"}, false}; }

NodeDescription any_node_description(Choices& choices, const Bounds::Node& bounds) {
    NodeDescription node;
    node.packages = detail::one_to(choices, bounds.sockets);
    node.cores_per_package = detail::one_to(choices, bounds.cores);
    node.threads_per_core = detail::one_to(choices, bounds.threads);
    node.memory = gib(detail::zero_to(choices, bounds.memory_gib));
    if (bounds.has_levels) {
        node.domains_per_package = any_divisor(choices, node.cores_per_package);
        node.l3_per_package = choices.one_in(2) ? 0 : any_divisor(choices, node.cores_per_package);
        node.high_bandwidth = gib(detail::zero_to(choices, 1));
        node.disk = gib(detail::zero_to(choices, 2) * 100);
    }
    for (std::uint32_t n = detail::zero_to(choices, bounds.device_groups); n > 0; --n) {
        node.devices.push_back(any_devices(choices, bounds, node.packages));
    }
    return node;
}

Bounds::Request Bounds::Request::small() { return {2, 2, 2, 2, 2, {"gpu"}, {"", "a100"}, false}; }

Request any_request(Choices& choices, const Bounds::Request& bounds) {
    Request request;
    const auto nodes = Count(detail::one_to(choices, bounds.nodes));
    request.nodes = Range<Count>::exactly(nodes);
    if (const auto tasks = detail::zero_to(choices, bounds.tasks); tasks > 0) {
        request.tasks = std::max(Count(tasks), nodes);
    }
    const auto cpus = Count(detail::one_to(choices, bounds.cpus));
    const Bytes memory = gib(detail::zero_to(choices, bounds.memory_gib));
    request.cpus_per_task = Range<Count>::exactly(cpus);
    request.memory = Range<Bytes>::exactly(memory);
    if (choices.one_in(2)) request.devices = {any_device_request(choices, bounds)};
    if (!bounds.has_ranges) return request;
    request.cpus_per_task = any_range(choices, cpus, 1);
    request.memory = any_range(choices, memory, gib(1).value());
    if (choices.one_in(6)) {
        request.milli_cpus = MilliCpu(250 * std::int64_t{detail::one_to(choices, 8)});
        if (choices.one_in(2)) request.cpus_per_task = Range<Count>::exactly(Count(0));
    }
    request.memory_per = choices.of(std::vector{Per::node, Per::node, Per::cpu});
    request.memory_locality =
        choices.of(std::vector{Strictness::ignore, Strictness::prefer, Strictness::require});
    if (choices.one_in(4)) request.nodes = Range<Count>::at_least(Count(1));
    if (choices.one_in(8)) request.exclusivity = Exclusivity::whole_node;
    if (choices.one_in(8)) request.topology.switches_max = Count(1);
    if (!request.devices.empty() && choices.one_in(6)) {
        request.common_attributes = {
            {choices.of(std::vector<std::string>{"numa", "package", "island", "type"}), {}}};
    }
    return request;
}

Bounds::Cluster Bounds::Cluster::small() { return {1, 2, 1, Bounds::Node::small()}; }

ClusterParts any_cluster_parts(Choices& choices, const Bounds::Cluster& bounds) {
    ClusterParts parts;
    for (std::uint32_t group = detail::one_to(choices, bounds.groups); group > 0; --group) {
        Node node = any_node(choices, bounds.node);
        for (std::uint32_t n = detail::one_to(choices, bounds.nodes); n > 0; --n) {
            node.name = "n" + std::to_string(parts.nodes.size());
            parts.nodes.push_back(node);
        }
    }
    const std::uint32_t per_switch = detail::zero_to(choices, bounds.per_switch);
    if (per_switch == 0) return parts;
    const auto node_count = static_cast<std::uint32_t>(parts.nodes.size());
    std::vector<TreeTopology::Switch> switches = {{"top", std::nullopt, {}}};
    for (std::uint32_t first = 0; first < node_count; first += per_switch) {
        NodeSet below;
        below.insert_range({first, std::min(first + per_switch, node_count)});
        const std::string name = "s" + std::to_string(switches.size() - 1);
        switches.push_back({name, TreeTopology::SwitchId(0), std::move(below)});
    }
    parts.network.trees.push_back({"tree", std::move(switches)});
    return parts;
}

Cluster any_cluster(Choices& choices, const Bounds::Cluster& bounds) {
    auto cluster = Cluster::create(any_cluster_parts(choices, bounds));
    TRESTLE_EXPECTS(cluster.ok(), "a generated cluster is consistent");
    return *std::move(cluster);
}

}  // namespace testing

}  // namespace trestle
