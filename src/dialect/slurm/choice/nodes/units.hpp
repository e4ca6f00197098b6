// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks, rings and tori over places.
//
// Layer: dialect/slurm, inside. Main types: BlockTable, RingTable, TorusTable, UnitTable; main
// functions: unit_tables, take_by_units. Switches stand in switches.hpp.
// Pitfall: a node may be in no unit; then only a job of one node may have it, by the rule of
// first nodes.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../network/blocks.hpp"
#include "../network/switches.hpp"
#include "../network/toruses.hpp"
#include "node_choice.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"
#include "trestle/model/network.hpp"

namespace trestle::slurm::choice {

/// Base blocks in the order of the file, and the places in each.
struct BlockTable {
    BlockLevels levels;
    std::vector<std::vector<Places>> bases;
};

/// The places of each ring in its order.
struct RingTable {
    std::vector<std::vector<Place>> rings;
};

/// Tori without what changes: by torus its shape, its placements and the places of its nodes.
struct TorusTable {
    struct OneTorus {
        TorusTopology::Shape shape;
        std::vector<TorusPlacement> placements;
        std::vector<std::optional<Place>> places;
    };
    std::vector<OneTorus> toruses;
};

/// A topology of units.
struct UnitTable {
    std::string name;
    std::variant<BlockTable, RingTable, TorusTable> units;
};

/// The topologies of a network but for trees. `place_of`: by node.
[[nodiscard]] std::vector<UnitTable> unit_tables(const Network& network, const SelectRules& rules,
                                                 const std::vector<Place>& place_of);

/// Whether a job is in several segments.
[[nodiscard]] inline bool has_segments(const ChoiceJob& job) {
    return job.segment > 0 && job.segment < job.min_nodes;
}

/// Whether a job of one node may have the first one, whatever unit it is in: not on a torus.
[[nodiscard]] bool gives_first_node(const UnitTable& table);

/// The places of all units that some of the places are in, rising: base blocks or rings. A torus
/// has none that jobs have alone. `places`: rising.
[[nodiscard]] std::vector<Place> places_of_units(const UnitTable& table,
                                                 const std::vector<Place>& places);

/// Leaves the numbers of nodes that units can serve; of a range with TopoMaxSizeUnroll they are
/// listed first. The result is why there is none; empty: there is one.
[[nodiscard]] std::string fit_sizes(const UnitTable& table, const TopologyParameters& topology,
                                    const std::vector<Place>& required, ChoiceJob& job);

/// The reason to wait of a job that the units of the network do not serve.
[[nodiscard]] Reason reason_of(UnitFault fault);

/// Takes nodes of one block, of one run on a ring or of one box on a torus; of one for each
/// segment. The result is why that failed, if it did. Requires: the question has units.
[[nodiscard]] UnitFault take_by_units(NodeChoice& work);

}  // namespace trestle::slurm::choice
