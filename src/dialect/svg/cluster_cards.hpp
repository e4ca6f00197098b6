// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes as cards: name, CPUs, memory and devices of each, in the colours of their owners.
//
// Layer: dialect/svg, inside. Main type: NodeCards. The parts of a card are the cells of a picture
// of a node; what is different is that owners have one colour all over the cluster.
// Pitfall: what is free of a node that takes no work is drawn as what cannot be had.

#include <map>
#include <string>
#include <vector>

#include "cells.hpp"
#include "cluster_scene.hpp"
#include "frames.hpp"
#include "trestle/dialect/svg/cluster.hpp"

namespace trestle::svg {

/// Keeps references to what it is made of.
class NodeCards {
  public:
    NodeCards(const Cluster& cluster, const ClusterScene& scene,
              const ClusterPictureOptions& options);

    /// The content of a card.
    [[nodiscard]] int card(Canvas& out, Point at, int width, NodeId node) const;
    /// A line for each owner with what it has.
    [[nodiscard]] std::vector<LegendEntry> legend() const;

  private:
    [[nodiscard]] int header(Canvas& out, Point at, int width, NodeId node) const;
    void cpus(Canvas& out, Rect r, NodeId node) const;
    void memory(Canvas& out, Rect r, NodeId node) const;
    [[nodiscard]] int devices(Canvas& out, Point at, int width, NodeId node) const;
    [[nodiscard]] std::vector<BarPart> bar_parts(NodeId node,
                                                 const std::vector<std::int64_t>& by_owner,
                                                 std::int64_t free) const;
    [[nodiscard]] std::string title(NodeId node) const;
    [[nodiscard]] std::string amounts(std::size_t owner) const;

    const Cluster& cluster_;
    const ClusterScene& scene_;
    std::vector<Owner> owners_;
    std::map<NodeId, Scene> nodes_;
};

/// What is free of a node that takes no work.
void unusable_ground(Canvas& out, Rect r, bool is_drained);

}  // namespace trestle::svg
