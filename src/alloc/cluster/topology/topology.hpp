// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the nodes of a job lie in the network: the face of alloc/topology.
//
// Layer: alloc. A caller that knows which nodes are eligible (they can take a part of the job)
// keeps an index for the topology that topology_for() names: LeafIndex for trees and blocks,
// TorusIndex, RingIndex, and RunIndex for ids in a row. It adds and removes nodes as they change,
// and asks select_leaves_for(), select_box(), select_on_ring() or select_contiguous(). Each is a
// pure function with a written total order, and a no says what could be had. Leaves are answered
// with numbers of nodes, so that the caller's policy chooses which; boxes and runs are answered
// with the nodes.
// Pitfall: nothing here knows a Cluster, and eligible is not the same as free: it depends on what
// each node of the job asks for.

#include <optional>

#include "alloc/cluster/topology/leaf_index.hpp"
#include "alloc/cluster/topology/select_leaves.hpp"
#include "model/topologies.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/topology_request.hpp"

namespace trestle {

namespace detail {

/// The kind of topology that is asked for by more than a name, and whether it can be done without.
struct NeededTopology {
    std::optional<TopologyKind> kind;
    bool may_be_blocks = false;  ///< instead of a tree
    bool is_required = false;
};

[[nodiscard]] NeededTopology needed_topology(const TopologyRequest& request);

}  // namespace detail

/// The topology that the request is about: the named one, or the first of the kind that it needs.
/// Nothing when it asks for none, or prefers one that is not there. A level alone means the first
/// tree, or without a tree the first blocks. A no when the name is unknown or of another kind, or
/// there is none of the kind, or a torus is named without a shape.
[[nodiscard]] Verdict<std::optional<TopologyId>> topology_for(const Network& network,
                                                              const TopologyRequest& request);

/// What the request asks of leaf switches or blocks, for so many nodes and these required ones.
/// Requires: check(request, nodes) is ok.
[[nodiscard]] LeafQuestion leaf_question(const TopologyRequest& request,
                                         LeafQuestion nodes_and_required);

/// select_leaves() for the request; where a level is only preferred and cannot be had, without it.
/// Requires: as leaf_question() and select_leaves().
[[nodiscard]] Verdict<LeafChoice> select_leaves_for(const LeafIndex& index,
                                                    const TopologyRequest& request,
                                                    LeafQuestion nodes_and_required);

}  // namespace trestle
