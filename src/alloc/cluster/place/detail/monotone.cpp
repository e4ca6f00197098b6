// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/detail/monotone.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/place/node_rules.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "model/partition_rules.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/partition.hpp"

namespace trestle {

namespace detail {

namespace {

bool require_near(const std::vector<DeviceRequest>& devices) {
    return std::any_of(devices.begin(), devices.end(), [](const DeviceRequest& one) {
        return one.locality == Strictness::require;
    });
}

bool is_dealt_near(const Request& request) {
    const bool is_dealt =
        request.distribution.sockets != Distribution::block || request.tasks_per_socket;
    const bool requires_near = request.core_locality == Strictness::require ||
                               request.memory_locality == Strictness::require ||
                               require_near(request.devices) ||
                               std::any_of(request.device_alternatives.begin(),
                                           request.device_alternatives.end(), require_near);
    return is_dealt && requires_near;
}

bool is_definite(const Refusal& refusal) {
    return refusal.constraint != Constraint::gave_up && refusal.constraint != Constraint::invalid;
}

const Partition* partition_of(const Cluster& cluster, const Request& group) {
    const auto at = find_partition(cluster, group.partition);
    return at ? &cluster.partitions()[*at] : nullptr;
}

/// The job's groups, each with the partition that it is placed in and the job's time limit.
std::vector<Request> groups_with_partitions(const Request& request) {
    std::vector<Request> groups{request};
    for (const Request& component : request.components) {
        groups.push_back(component);
        if (component.partition.empty()) groups.back().partition = request.partition;
        groups.back().time_limit = request.time_limit;
    }
    return groups;
}

/// True when each node of the partition gives the group, if anything, the same amounts of CPUs and
/// memory whatever is free on it.
bool has_fixed_amounts(const Cluster& cluster, const Request& group) {
    const bool is_split = group.nodes.max != Count(1) && group.tasks.has_value();
    const bool is_dealt =
        group.distribution.sockets != Distribution::block || group.tasks_per_socket.has_value();
    const bool has_fixed_devices =
        std::all_of(group.devices.begin(), group.devices.end(), [](const DeviceRequest& one) {
            return one.count.max && one.count.min == one.count.max && one.per != Per::job &&
                   one.locality != Strictness::require;
        });
    if (is_split || is_dealt || !has_fixed_devices || !group.device_alternatives.empty())
        return false;
    for (std::uint32_t id = 0; id < cluster.classes().size(); ++id) {
        const NodeClass& one = cluster.classes()[ClassId(id)];
        if (refuse_class(cluster, one, group, "")) continue;
        if (ThreadCounts(one.shape->hardware).kinds().size() > 1) return false;
    }
    return true;
}

void drop_nearness(Request& group) {
    const auto relax = [](Strictness& one) {
        if (one == Strictness::require) one = Strictness::prefer;
    };
    relax(group.core_locality);
    relax(group.memory_locality);
    for (DeviceRequest& one : group.devices) relax(one.locality);
    for (auto& devices : group.device_alternatives) {
        for (DeviceRequest& one : devices) relax(one.locality);
    }
}

/// Takes all groups out of their partitions. How they share nodes stays; limits of partitions to
/// the job as a whole do not.
void drop_partitions(const Cluster& cluster, std::vector<Request>& groups) {
    for (Request& group : groups) {
        const Partition* partition = partition_of(cluster, group);
        if (partition != nullptr) group.exclusivity = effective_exclusivity(*partition, group);
        group.partition.clear();
    }
}

/// The nodes of the partitions of all groups; nothing where one may have any node.
std::optional<NodeSet> partition_nodes(const Cluster& cluster, const std::vector<Request>& groups) {
    NodeSet nodes;
    for (const Request& group : groups) {
        const Partition* partition = partition_of(cluster, group);
        if (partition == nullptr) return std::nullopt;
        nodes |= partition->nodes;
    }
    return nodes;
}

}  // namespace

bool is_monotone(const Cluster& cluster, const Request& request) {
    const auto is_limited = [&](const Request& one) {
        const auto at = find_partition(cluster, one.partition);
        return is_dealt_near(one) ||
               (at && PartitionLimits::limits_nodes(cluster.partitions()[*at]));
    };
    // With more that is free, fit() may choose for one group what another needs.
    const bool shares_nodes =
        request.component_nodes == Request::ComponentNodes::shared && !request.components.empty();
    return !shares_nodes && !is_limited(request) &&
           std::none_of(request.components.begin(), request.components.end(), is_limited);
}

bool is_refused_ever(Placer& placer, const Cluster& idle, const PreparedRequest& request,
                     const Refusal& refusal) {
    if (!is_definite(refusal)) return false;
    if (is_monotone(idle, *request)) return true;
    std::vector<Request> groups = groups_with_partitions(*request);
    const std::optional<NodeSet> nodes = partition_nodes(idle, groups);
    bool is_limited = false;
    for (Request& group : groups) {
        const Partition* partition = partition_of(idle, group);
        if (partition != nullptr && refuse(*partition, group)) return true;
        if (is_dealt_near(group)) drop_nearness(group);
        is_limited |= partition != nullptr && PartitionLimits::limits_nodes(*partition) &&
                      !has_fixed_amounts(idle, group);
    }
    if (is_limited) drop_partitions(idle, groups);
    NodeFilter filter;
    if (is_limited && nodes) filter.candidates = &*nodes;
    Request relaxed = groups.front();
    relaxed.components.assign(std::next(groups.begin()), groups.end());
    for (Request& one : relaxed.components) one.time_limit.reset();
    const auto found = placer.place(idle, PreparedRequest(std::move(relaxed)), filter);
    return !found && is_definite(found.refusal());
}

}  // namespace detail

}  // namespace trestle
