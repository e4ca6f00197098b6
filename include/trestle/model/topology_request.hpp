// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a job requests of the network between its nodes.
//
// Layer: model. Main type: TopologyRequest, a part of Request. The requested field decides the kind
// of topology: switches_max a tree, segment_size blocks, shape a torus, is_on_ring a ring, level a
// tree or blocks. With a name alone, the named topology decides.
// Pitfall: in a tree or blocks the fewest leaf switches or blocks are always chosen, also below the
// limit. A limit that is only preferred differs in one point: exceeding it is no refusal.

#include <optional>
#include <string>

#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/topology/torus.hpp"

namespace trestle {

/// Where the nodes of a job lie in the network. A default one: anywhere.
struct TopologyRequest {
    std::string topology = {};  ///< by name; empty: the first of a kind that has what is asked
    std::optional<Count> switches_max = {};     ///< leaf switches that the nodes hang at
    Strictness switches = Strictness::require;  ///< how much switches_max matters
    /// All nodes below one switch of this height (0: a leaf switch), or in one aggregated block of
    /// 2^level base blocks (0: a base block).
    std::optional<Count> level = {};
    Strictness within = Strictness::require;  ///< how much level matters
    /// Nodes are taken in segments of so many, each inside one base block.
    std::optional<Count> segment_size = {};
    /// The nodes fill a box of these lengths on a torus, turned in any way.
    std::optional<TorusTopology::Shape> shape = {};
    bool is_on_ring = false;     ///< nodes that follow each other on a ring
    bool is_contiguous = false;  ///< consecutive node ids

    static constexpr auto fields(auto list) {
        return list(field("topology", &TopologyRequest::topology),
                    field("switches_max", &TopologyRequest::switches_max),
                    field("switches", &TopologyRequest::switches),
                    field("level", &TopologyRequest::level),
                    field("within", &TopologyRequest::within),
                    field("segment_size", &TopologyRequest::segment_size),
                    field("shape", &TopologyRequest::shape),
                    field("is_on_ring", &TopologyRequest::is_on_ring),
                    field("is_contiguous", &TopologyRequest::is_contiguous));
    }
    friend bool operator==(const TopologyRequest&, const TopologyRequest&) = default;
};

/// Ok when the request makes sense for so many nodes and asks for one kind of topology.
/// Errors: InvalidArgument that names the field and what was expected.
[[nodiscard]] Status check(const TopologyRequest& request, const Range<Count>& nodes);

}  // namespace trestle
