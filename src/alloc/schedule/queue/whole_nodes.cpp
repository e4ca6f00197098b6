// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/queue/whole_nodes.hpp"

#include <cstdint>

#include "alloc/cluster/place/eligibility.hpp"
#include "model/partition_rules.hpp"
#include "trestle/model/partition.hpp"

namespace trestle {

namespace detail {

bool wants_whole_nodes(const Cluster& cluster, const Request& request) {
    for (std::uint32_t i = 0; i <= request.components.size(); ++i) {
        const Request& one = i == 0 ? request : request.components[i - 1];
        const auto at = find_partition(cluster, partition_of(request, i));
        const auto use =
            at ? effective_exclusivity(cluster.partitions()[*at], one) : one.exclusivity;
        if (use != Exclusivity::whole_node) return false;
    }
    return true;
}

}  // namespace detail

}  // namespace trestle
