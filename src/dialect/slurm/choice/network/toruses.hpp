// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which box on a torus: the rule of topology/torus3d over plain numbers.
//
// Layer: dialect/slurm, inside. Main types: TorusBox, TorusPlaces, TorusState; main functions:
// anchors_of, best_box. Boxes go past the end of an axis to its start.
// Pitfall: only shapes that are configured are looked at, and these are not turned.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/dialect/slurm/conf/topology_conf.hpp"
#include "trestle/model/topology/torus.hpp"
#include "unit_supply.hpp"

namespace trestle::slurm::choice {

/// A box of a torus.
struct TorusBox {
    TorusTopology::Shape corner;
    TorusTopology::Shape lengths;
};

/// The places where a placement may begin, z fastest, from its seed on.
[[nodiscard]] std::vector<TorusBox> anchors_of(const TorusPlacement& placement,
                                               const TorusTopology::Shape& torus);

/// The positions of a box in Torus::nodes.
[[nodiscard]] std::vector<std::size_t> places_of(const TorusBox& box,
                                                 const TorusTopology::Shape& torus);

/// Whether two boxes share a place.
[[nodiscard]] bool overlap(const TorusBox& a, const TorusBox& b, const TorusTopology::Shape& torus);

/// A node of a torus.
struct TorusPlaceState {
    bool is_free = false;
    bool is_required = false;  ///< the job names it; then it is free too
    Number weight = 0;
    UnitSupply supply;
};

/// A torus and what its nodes have left.
struct TorusState {
    TorusTopology::Shape shape;
    std::vector<const TorusPlacement*> placements;
    std::vector<TorusPlaceState> places;  ///< as in Torus::nodes
};

/// A box of a torus of a list.
struct ChosenBox {
    std::size_t torus = 0;
    TorusBox box;
};

/// The box of a placement of exactly need.nodes nodes, all of them free, that holds what is needed
/// and has every required node: the least weight first, then the torus of the fewest free nodes,
/// then the fewest boxes of the next larger placements that are free now and would not be, then the
/// first. Absent: there is none. Requires: need.nodes > 0.
[[nodiscard]] std::optional<ChosenBox> best_box(const std::vector<TorusState>& toruses,
                                                const UnitSupply& need);

}  // namespace trestle::slurm::choice
