// SPDX-License-Identifier: Apache-2.0
#pragma once

// What explain() proposes: single changes with which a request would be placed.
//
// Layer: alloc. Main function: find_place_relaxations.

#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// Single changes with which the request would be placed, nearest first; none when it is placed as
/// it is. Requires: check(request) is ok. Complexity: a few dozen placements.
[[nodiscard]] std::vector<Explanation::Relaxation> find_place_relaxations(
    const Cluster& cluster, const Request& request, const PlaceOptions& options = {},
    const NodeFilter& filter = {});

}  // namespace trestle
