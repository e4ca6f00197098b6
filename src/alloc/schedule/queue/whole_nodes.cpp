// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/queue/whole_nodes.hpp"

#include <algorithm>
#include <string>

#include "alloc/cluster/place/eligibility.hpp"
#include "model/partition_rules.hpp"
#include "trestle/model/partition.hpp"

namespace trestle {

namespace detail {

bool wants_whole_nodes(const Cluster& cluster, const Request& request) {
    const auto is_whole = [&](const Request& one, const std::string& partition) {
        const auto at = find_partition(cluster, partition);
        const auto use =
            at ? effective_exclusivity(cluster.partitions()[*at], one) : one.exclusivity;
        return use == Exclusivity::whole_node;
    };
    return is_whole(request, request.partition) &&
           std::all_of(
               request.components.begin(), request.components.end(), [&](const Request& one) {
                   return is_whole(one, one.partition.empty() ? request.partition : one.partition);
               });
}

}  // namespace detail

}  // namespace trestle
