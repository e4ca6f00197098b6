// SPDX-License-Identifier: Apache-2.0
#pragma once

// TorusIndex: which nodes of the tori of a topology are eligible, as a bit for each place.
//
// Layer: alloc. Which nodes are eligible is the caller's business: he adds and removes them one by
// one. A place without a node never becomes eligible.
// Pitfall: the index knows nothing of boxes; each question looks at all places, 64 at a time.

#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/cluster/topology/detail/torus_grid.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/topology/torus.hpp"

namespace trestle {

/// Eligible nodes by place.
class TorusIndex {
  public:
    TorusIndex() = default;
    /// Without eligible nodes. Requires: check(topology) is ok.
    explicit TorusIndex(const TorusTopology& topology);

    /// Where a node is.
    struct Place {
        std::uint32_t torus = 0;
        std::uint32_t place = 0;
    };
    [[nodiscard]] std::optional<Place> place_of(NodeId node) const;

    [[nodiscard]] std::uint32_t torus_count() const {
        return static_cast<std::uint32_t>(grids_.size());
    }
    /// Requires, here and below: the torus or place exists.
    [[nodiscard]] const detail::TorusGrid& grid(std::uint32_t torus) const { return grids_[torus]; }
    /// Eligible nodes on a torus.
    [[nodiscard]] std::uint32_t total(std::uint32_t torus) const { return totals_[torus]; }
    [[nodiscard]] std::optional<NodeId> node_at(Place at) const {
        return nodes_[at.torus][at.place];
    }

    /// The node becomes eligible, or stops being so; nothing happens when it is on no torus.
    /// Requires: it was not, or it was.
    void add(NodeId node);
    void remove(NodeId node);

    friend bool operator==(const TorusIndex& a, const TorusIndex& b) {
        return a.grids_ == b.grids_ && a.totals_ == b.totals_ && a.nodes_ == b.nodes_;
    }

  private:
    std::vector<detail::TorusGrid> grids_;
    std::vector<std::uint32_t> totals_;
    std::vector<std::vector<std::optional<NodeId>>> nodes_;  ///< by torus and place
    std::vector<std::optional<Place>> place_of_;             ///< by node
};

}  // namespace trestle
