// SPDX-License-Identifier: Apache-2.0
#pragma once

// A picture of a cluster: its switches or blocks, its nodes, and what of them is taken.
//
// Layer: dialect/svg. Main names: render_cluster, ClusterPictureOptions.
// Few nodes are cards with CPUs, memory and devices, coloured by owner as in a picture of a node.
// Many are cells, filled by how much of them is taken. From 16,384 on a cell stands for several
// nodes, so that a million are a picture too. Every card and cell says in a <title> what it is.
// Pitfall: "free" nodes are those that accept work and have no owner. What is free of their devices
// and CPUs is counted on all nodes, drained ones too.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/dialect/svg/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::svg {

/// How a picture of a cluster looks, and what it shows beside the usage.
struct ClusterPictureOptions {
    std::uint32_t width = 960;       ///< in pixels; 480 to 4096, else the nearer of the two
    std::string title{};             ///< empty: "cluster"
    std::vector<OwnerName> names{};  ///< the first one of an owner counts; others are numbers
    std::uint32_t cards = 64;  ///< up to so many nodes are cards, at most 1024; more are cells
    /// What a decision would take: dark on cards, a dark frame around cells.
    std::optional<Placement> proposed{};

    static constexpr auto fields(auto list) {
        return list(field("width", &ClusterPictureOptions::width),
                    field("title", &ClusterPictureOptions::title),
                    field("names", &ClusterPictureOptions::names),
                    field("cards", &ClusterPictureOptions::cards),
                    field("proposed", &ClusterPictureOptions::proposed));
    }
    friend bool operator==(const ClusterPictureOptions&, const ClusterPictureOptions&) = default;
};

/// The picture as one SVG document, the same for equal clusters and options. Nodes stand below the
/// switches of the trees; without trees in their blocks; others, and all where there are neither,
/// beside each other. Removed nodes, and switches and blocks without nodes, are left out. Texts may
/// be anything, as in render_node. Requires: what is proposed exists. Complexity: linear in the
/// nodes and switches; for cards, besides, in their cores times their owners.
[[nodiscard]] std::string render_cluster(const Cluster& cluster,
                                         const ClusterPictureOptions& options = {});

}  // namespace trestle::svg
