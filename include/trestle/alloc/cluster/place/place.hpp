// SPDX-License-Identifier: Apache-2.0
#pragma once

// place: which nodes of a cluster, and what of each, meet a request.
//
// Layer: alloc. Main function: place(cluster, request, options) -> Verdict<Placement>; Placer in
// place/placer.hpp does the same with a cache, explain in explain.hpp says why a request does not
// fit. Pure: the cluster is not changed. Among the placements that fit, the first difference
// decides:
//
// 1. fewest nodes;
// 2. the requested topology: fewest switches, leaves or blocks, as the topology counts them;
// 3. the split of the job over the nodes, see below;
// 4. then for each part, the largest first, among the nodes that leave a place for the others.
//    First come nodes that the request names, then nodes that PlaceOptions::spare_devices does not
//    put last. Then come the highest score of the policy and the lowest node id.
//
// On each node fit() decides.
//
// A split says how many tasks, and how many devices counted per job, each node has. Every split
// within Request::tasks_per_node that gives each node a task is possible. The even split comes
// first: its first parts get what is left over, and both ends of a range of devices are split. Of
// the others the first difference decides:
//
// 1. the total of each demand, as its `prefer` says;
// 2. the tasks of the nodes, compared from the largest number down: the smaller number (as even as
//    fits);
// 3. the devices of each demand, in the same way;
// 4. more devices where there are more tasks.
//
// With TaskDistribution::Split::packed the larger number comes first, and the even split has no
// rank of its own. With components, the splits of the last one vary first.
//
// Groups that may share nodes (Request::ComponentNodes::shared) are placed on as few nodes in all
// as serve the job with these numbers of nodes by group. That comes before the network. A part then
// takes, after nodes that its group names, those that earlier groups have. Scores are those of the
// node before the job. On a shared node fit() serves one group after the other from what is left.
// The groups are taken in their order, or in the first other order that serves all. Parts lie in
// the row of the first one.
//
// Limits of the search. If the nodes of the first split do not make up whole segments
// (TopologyRequest::segment_size), other nodes are tried. The first that do are taken, with their
// first split. Uneven splits are tried within a part of FitOptions::steps_max. That is enough if
// one amount varies and a node that can take some can take less. If the steps end, the answer is
// the even split if that fits (also for TaskDistribution::Split::packed), else an alternative that
// fits, else Constraint::gave_up. Fewer switches than the even split needs are looked for in 4,096
// steps; after that its own number of switches stands. Fewer nodes for groups that share are looked
// for in 4,096 steps, and more for many parts; after that the answer may have more nodes. Where
// groups do not fit on a shared node in any order, though there is enough of everything, another
// choice of cores could serve them. If no other node does, the answer is Constraint::gave_up.
//
// Pitfall: a node that the request names has a task even when there are fewer tasks.

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
