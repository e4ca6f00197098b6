// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/detail/monotone.hpp"

#include <algorithm>

#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/place/node_rules.hpp"

namespace trestle {

namespace detail {

namespace {

bool is_dealt_near(const Request& request) {
    const bool is_dealt =
        request.distribution.sockets != Distribution::block || request.tasks_per_socket;
    const bool requires_near =
        request.core_locality == Strictness::require ||
        request.memory_locality == Strictness::require ||
        std::any_of(request.devices.begin(), request.devices.end(),
                    [](const DeviceRequest& one) { return one.locality == Strictness::require; });
    return is_dealt && requires_near;
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
        request.component_nodes == ComponentNodes::shared && !request.components.empty();
    return !shares_nodes && !is_limited(request) &&
           std::none_of(request.components.begin(), request.components.end(), is_limited);
}

}  // namespace detail

}  // namespace trestle
