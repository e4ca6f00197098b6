// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/detail/monotone.hpp"

#include <algorithm>

#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/place/node_rules.hpp"

namespace trestle {

namespace detail {

bool is_monotone(const Cluster& cluster, const Request& request) {
    const auto is_limited = [&](const Request& one) {
        const auto at = find_partition(cluster, one.partition);
        return at && PartitionLimits::limits_nodes(cluster.partitions()[*at]);
    };
    return !is_limited(request) &&
           std::none_of(request.components.begin(), request.components.end(), is_limited);
}

}  // namespace detail

}  // namespace trestle
