// SPDX-License-Identifier: Apache-2.0
#pragma once

// place: which nodes of a cluster, and what of each, meet a request.
//
// Layer: alloc. Main function: place(cluster, request, options) -> Verdict<Placement>; Placer in
// place/placer.hpp does the same with a memory, explain in explain.hpp says why not. Pure: the
// cluster is not changed. The order, first difference decides: fewest nodes; what the network is
// asked for (fewest switches, leaves or blocks as the topology counts them); then for each part,
// the largest first, among the nodes that leave a place for the others: nodes that the request
// names; those that PlaceOptions::spare_devices does not put last; the highest score of the policy;
// the lowest node id. On each node fit() decides.
// Pitfall: tasks and per-job counts are split evenly over the nodes, the first parts one more, so
// that a node which is asked for has a task even when there are fewer tasks.

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// The best placement under the order above, or why there is none. Alternatives to the devices are
/// for the whole job: they are looked at where the preferred ones find no placement.
/// Complexity: one fit() for each state that nodes are in, for each different part of the job; not
/// the nodes.
[[nodiscard]] Verdict<Placement> place(const Cluster& cluster, const PreparedRequest& request,
                                       const PlaceOptions& options = {},
                                       const NodeFilter& filter = {});
/// The same for a request that is asked about once; it is not copied. Constraint::invalid where
/// check(request) is an error, with its message.
[[nodiscard]] Verdict<Placement> place(const Cluster& cluster, const Request& request,
                                       const PlaceOptions& options = {},
                                       const NodeFilter& filter = {});

}  // namespace trestle
