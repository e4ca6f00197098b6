// SPDX-License-Identifier: Apache-2.0
#pragma once

// Switches over places.
//
// Layer: dialect/slurm, inside. Main types: Place, Places, ViewSwitch, SwitchTree.
// Pitfall: a tree may have several roots, side by side, and a node may be below several leaves or
// none.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../job.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/model/topology/tree.hpp"

namespace trestle::slurm::choice {

/// The position of a node in Slurm's order.
using Place = std::uint32_t;
/// Neighbouring places.
using Places = Interval<Place>;

/// A switch and the places below it at any depth.
struct ViewSwitch {
    Number level = 0;  ///< 0 for a leaf
    std::optional<std::size_t> parent;
    std::vector<Places> places;  ///< rising and apart
};

/// The runs of rising places.
[[nodiscard]] std::vector<Places> runs_of_places(const std::vector<Place>& rising);

class SwitchTree {
  public:
    SwitchTree() = default;
    /// `place_of`: by node.
    SwitchTree(const TreeTopology& tree, const std::vector<Place>& place_of);

    [[nodiscard]] std::size_t size() const { return switches_.size(); }
    [[nodiscard]] const ViewSwitch& operator[](std::size_t i) const { return switches_[i]; }
    [[nodiscard]] bool is_leaf(std::size_t i) const { return switches_[i].level == 0; }
    /// The switches that a place is below, rising.
    [[nodiscard]] std::span<const std::uint32_t> above(Place place) const {
        return std::span(above_).subspan(first_above_[place],
                                         first_above_[place + 1] - first_above_[place]);
    }
    [[nodiscard]] bool is_below(Place place, std::size_t i) const;
    /// Edges from each leaf to this one; far apart if no tree joins them.
    [[nodiscard]] std::vector<Number> distances(std::size_t leaf) const;

  private:
    void index(std::size_t place_count);

    std::vector<ViewSwitch> switches_;
    std::vector<std::uint32_t> first_above_;  ///< by place, and one more
    std::vector<std::uint32_t> above_;
};

}  // namespace trestle::slurm::choice
