// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether more that is free can only help a request.
//
// Layer: alloc (detail). Main functions: is_monotone, is_refused_ever. It nearly always is so;
// searches for victims rely on it. Three exceptions. A partition may limit what its jobs have of a
// node: on an emptier node fit() may choose cores with more threads, which are too many then; and
// the owner that leaves the node may be of another partition. Tasks that are dealt out to sockets
// lie elsewhere when more is free, perhaps too far from what they require. Groups that share a
// node are served in one order of few. is_refused_ever asks
// such a request again without that nearness and these limits: what is refused then is refused on a
// fuller node too.

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// False when place() may say no to the request where it said yes with less free, or say different
/// things of nodes in the same state.
[[nodiscard]] bool is_monotone(const Cluster& cluster, const Request& request);

/// True when place() refuses the request in each state of the cluster's jobs: certainly so, or
/// false. `refusal`: what it says in the idle cluster.
[[nodiscard]] bool is_refused_ever(Placer& placer, const Cluster& idle,
                                   const PreparedRequest& request, const Refusal& refusal);

}  // namespace trestle::detail
