// SPDX-License-Identifier: Apache-2.0
#pragma once

// Relaxations of a request, and of a cluster, under which a placement would be found.
//
// Layer: alloc. Main types: PlaceRelaxation, PlaceChangeKind. Each
// changes one thing and was tried: place() finds a placement with it. For what one node would
// accept instead see explain_fit() in alloc/node.
// Pitfall: nearest first means the order of PlaceChangeKind; amounts are the nearest that fit.

#include <array>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"

namespace trestle {

/// What a relaxation changes, nearest first.
enum class PlaceChangeKind {
    topology,   ///< where the nodes lie in the network
    nodes,      ///< fewer of them
    by_name,    ///< nodes that are required or excluded, candidates
    features,   ///< which nodes will do
    partition,  ///< whose nodes
    counts,     ///< licences and the like
    repair,     ///< a node that is drained, down or broken comes back
    ending,     ///< running allocations end
    waiting,    ///< time passes
};

constexpr auto enum_names(PlaceChangeKind) {
    using enum PlaceChangeKind;
    return std::array{
        named(topology, "topology"), named(nodes, "nodes"),         named(by_name, "by_name"),
        named(features, "features"), named(partition, "partition"), named(counts, "counts"),
        named(repair, "repair"),     named(ending, "ending"),       named(waiting, "waiting")};
}

/// One change with which the request would be placed.
struct PlaceRelaxation {
    PlaceChangeKind kind = PlaceChangeKind::topology;
    std::string text;             ///< `2 switches instead of 1`
    std::vector<OwnerId> owners;  ///< whose allocations have to end, or will by then

    static constexpr auto fields(auto list) {
        return list(field("kind", &PlaceRelaxation::kind), field("text", &PlaceRelaxation::text),
                    field("owners", &PlaceRelaxation::owners));
    }
    friend bool operator==(const PlaceRelaxation&, const PlaceRelaxation&) = default;
};

}  // namespace trestle
