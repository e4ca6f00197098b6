// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a job has its nodes alone.
//
// Layer: alloc (detail). Main function: wants_whole_nodes.

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// True when each node that the job may have is one without other owners, by what it asks and by
/// its partitions.
[[nodiscard]] bool wants_whole_nodes(const Cluster& cluster, const Request& request);

}  // namespace trestle::detail
