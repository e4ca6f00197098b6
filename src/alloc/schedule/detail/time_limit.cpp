// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/time_limit.hpp"

#include <optional>

#include "alloc/cluster/place/eligibility.hpp"
#include "model/partition_rules.hpp"
#include "trestle/model/partition.hpp"

namespace trestle {

std::optional<Seconds> time_limit_of(const Cluster& cluster, const Request& request) {
    if (const auto at = find_partition(cluster, request.partition)) {
        return effective_time_limit(cluster.partitions()[*at], request);
    }
    return request.time_limit;
}

}  // namespace trestle
