// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/request.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle {

namespace {

Status check_devices(const std::vector<DeviceRequest>& devices) {
    for (const DeviceRequest& device : devices) {
        if (device.name.empty()) return invalid_argument("devices: a demand has no name");
        if (!device.count.is_rising() || !device.memory.is_rising() ||
            !device.total_memory.is_rising() || !device.compute_capability.is_rising()) {
            return invalid_argument("devices: {}: expected rising ranges", device.name);
        }
        if (device.per == Per::cpu || device.per == Per::device) {
            return invalid_argument(
                "devices: {}: counted per {}, expected node, job, task or socket", device.name,
                to_text(device.per));
        }
        if (device.shares_per != Per::device && device.shares_per != Per::node) {
            return invalid_argument("devices: {}: shares per {}, expected device or node",
                                    device.name, to_text(device.shares_per));
        }
        if (!device.slice.empty() && !device.shares.is_zero()) {
            return invalid_argument("devices: {}: shares of instances, expected one or the other",
                                    device.name);
        }
        if (device.locality_level == HardwareLevel::thread) {
            return invalid_argument("devices: {}: locality_level: thread, expected core or wider",
                                    device.name);
        }
    }
    return {};
}

/// Some number of nodes that the request accepts can have its tasks.
Status check_tasks_per_node(const Request& request) {
    const Range<Count>& each = request.tasks_per_node;
    if (!each.is_rising() || each.max == Count(0)) {
        return invalid_argument("tasks_per_node: expected a rising range that holds 1 or more");
    }
    if (!request.tasks) return {};
    const std::int64_t tasks = request.tasks->value();
    const std::int64_t fewest = std::max<std::int64_t>(1, request.nodes.least().value());
    if (each.least() > Count(1) && each.least().value() > tasks / fewest) {
        return invalid_argument(
            "tasks_per_node: {} or more on {} nodes, expected no more than the {} tasks",
            each.least().value(), fewest, tasks);
    }
    if (!each.max || !request.nodes.max) return {};
    const auto most = checked_mul(*each.max, request.nodes.max->value());
    if (!most || !(*most < *request.tasks)) return {};
    return invalid_argument("tasks_per_node: at most {} on {} nodes, expected room for {} tasks",
                            each.max->value(), request.nodes.max->value(), tasks);
}

Status check_counts(const Request& request) {
    const std::array counts{std::pair("tasks", request.tasks),
                            std::pair("threads_per_core", request.threads_per_core),
                            std::pair("tasks_per_core", request.tasks_per_core),
                            std::pair("tasks_per_socket", request.tasks_per_socket),
                            std::pair("sockets_per_node", request.sockets_per_node),
                            std::pair("cores_per_socket", request.cores_per_socket)};
    for (const auto& [name, count] : counts) {
        if (count == Count(0)) return invalid_argument("{}: 0, expected 1 or more", name);
    }
    TRESTLE_TRY_STATUS(check_tasks_per_node(request));
    if (request.distribution.plane_size.is_zero()) {
        return invalid_argument("distribution: planes of 0 tasks, expected 1 or more");
    }
    if (request.distribution.nodes == Distribution::fcyclic) {
        return invalid_argument(
            "distribution: fcyclic over nodes, expected block, cyclic or plane");
    }
    for (const auto& [name, level] :
         {std::pair("distribution", request.distribution.level),
          std::pair("task_level", request.task_level.value_or(HardwareLevel::package))}) {
        if (level == HardwareLevel::machine || level >= HardwareLevel::core) {
            return invalid_argument("{}: level {}, expected package, die, numa, l3 or l2", name,
                                    to_text(level));
        }
    }
    return {};
}

Status check_nodes(const Request& request) {
    if (!request.nodes.is_rising() || request.nodes.max == Count(0)) {
        return invalid_argument("nodes: expected a rising range that holds 1 or more");
    }
    Count before;
    for (const Count count : request.node_counts) {
        if (!(before < count)) {
            return invalid_argument("node_counts: {} behind {}, expected rising counts from 1 on",
                                    count.value(), before.value());
        }
        if (!request.nodes.contains(count)) {
            return invalid_argument("node_counts: {}, expected a count in nodes, {}", count.value(),
                                    to_text(request.nodes));
        }
        before = count;
    }
    for (const FeatureCount& one : request.feature_counts) {
        if (one.features.is_empty() || one.nodes.is_zero()) {
            return invalid_argument(
                "feature_counts: {} nodes with \"{}\", expected 1 or more and a feature",
                one.nodes.value(), to_text(one.features));
        }
        if (request.nodes.max && *request.nodes.max < one.nodes) {
            return invalid_argument("feature_counts: {} nodes with {}, expected at most {}",
                                    one.nodes.value(), to_text(one.features),
                                    request.nodes.max->value());
        }
    }
    for (const FeatureExpression& one : request.feature_sets) {
        if (one.is_empty()) {
            return invalid_argument("feature_sets: an empty expression, expected a feature");
        }
    }
    return {};
}

/// Combinations of alternatives that a request may have; the comment at check() names the number.
constexpr std::uint64_t request_alternatives_max = 4096;

/// How many requests without alternatives this one stands for, as far as one more than the limit.
std::uint64_t alternatives_of(const Request& request) {
    std::uint64_t count = request.device_alternatives.size() + 1;
    count *= std::max<std::uint64_t>(request.feature_sets.size(), 1);
    for (const Request& one : request.components) {
        count *= alternatives_of(one);
        if (count > request_alternatives_max) return request_alternatives_max + 1;
    }
    return count;
}

/// The attributes that devices are to have in common have names and are those of demands.
Status check_common_attributes(const Request& request) {
    const auto asks_for = [&](const std::string& name) {
        const auto in = [&](const std::vector<DeviceRequest>& devices) {
            return std::any_of(devices.begin(), devices.end(),
                               [&](const DeviceRequest& device) { return device.name == name; });
        };
        return in(request.devices) || std::any_of(request.device_alternatives.begin(),
                                                  request.device_alternatives.end(), in);
    };
    for (const Request::CommonAttribute& one : request.common_attributes) {
        if (one.name.empty()) {
            return invalid_argument("common_attributes: an entry without name, expected one");
        }
        for (const std::string& device : one.devices) {
            if (asks_for(device)) continue;
            return invalid_argument(
                "common_attributes: {}: {}, expected a name of devices that are asked for",
                one.name, device);
        }
    }
    return {};
}

}  // namespace

Status check(const Request& request) {
    if (const auto count = alternatives_of(request); count > request_alternatives_max) {
        return invalid_argument(
            "device_alternatives, feature_sets: more than {} combinations of them and those of the "
            "components, expected no more",
            request_alternatives_max);
    }
    TRESTLE_TRY_STATUS(check_nodes(request));
    TRESTLE_TRY_STATUS(check_counts(request));
    const bool may_be_without_cores = !request.milli_cpus.is_zero();
    if (!request.cpus_per_task.is_rising() ||
        (request.cpus_per_task.max == Count(0) && !may_be_without_cores)) {
        return invalid_argument("cpus_per_task: expected a rising range that holds 1 or more");
    }
    if (!request.memory.is_rising()) {
        return invalid_argument("memory: expected a rising range");
    }
    if (!request.disk.is_rising()) {
        return invalid_argument("disk: expected a rising range");
    }
    if (request.memory_per != Per::node && request.memory_per != Per::cpu &&
        request.memory_per != Per::device) {
        return invalid_argument("memory_per: {}, expected node, cpu or device",
                                to_text(request.memory_per));
    }
    if (request.core_level == HardwareLevel::thread ||
        request.memory_level == HardwareLevel::thread) {
        return invalid_argument("core_level, memory_level: thread, expected core or wider");
    }
    if (!request.system_cores.is_zero() && request.exclusivity != Exclusivity::whole_node) {
        return invalid_argument("system_cores: {} of a shared node, expected a whole node",
                                request.system_cores.value());
    }
    TRESTLE_TRY_STATUS(check_devices(request.devices));
    for (const auto& devices : request.device_alternatives) {
        TRESTLE_TRY_STATUS(check_devices(devices));
    }
    TRESTLE_TRY_STATUS(check_common_attributes(request));
    TRESTLE_TRY_STATUS(with_context("topology", check(request.topology, request.nodes)));
    TRESTLE_TRY_STATUS(with_context("cluster_counts", check(request.cluster_counts)));
    for (std::size_t i = 0; i < request.components.size(); ++i) {
        const Request& one = request.components[i];
        const std::string where = "components[" + std::to_string(i) + "]";
        if (!one.components.empty() || !one.cluster_counts.empty() || one.time_limit ||
            one.price_max || one.component_nodes != Request::ComponentNodes::apart) {
            return invalid_argument(
                "{}: time_limit, price_max, cluster_counts, components or component_nodes, "
                "expected them in the request itself",
                where);
        }
        TRESTLE_TRY_STATUS(with_context(where, check(one)));
    }
    return {};
}

}  // namespace trestle
