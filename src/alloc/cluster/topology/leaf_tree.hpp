// SPDX-License-Identifier: Apache-2.0
#pragma once

// LeafTree: a tree of switches, or blocks and their aggregates, as intervals of numbered leaves.
//
// Layer: alloc. A leaf is what nodes hang at: a leaf switch or a base block. Leaves are numbered as
// a walk down the tree meets them (blocks in their order), so that everything above is an interval
// of leaves: a domain. Its height is that of the switch, or the level of the aggregate. The domains
// of one height part the leaves; the last domain, the root, holds them all.
// Pitfall: an uneven tree is evened out, a leaf that hangs higher than others has domains of its
// own at the heights between; and where no switch or aggregate holds all leaves, the root stands
// for the network as a whole and is higher than anything.

#include <cstdint>
#include <optional>
#include <vector>

#include "model/topologies.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/model/network.hpp"

namespace trestle {

/// An inner switch or an aggregated block.
struct LeafDomain {
    static constexpr std::uint32_t none = 0xffff'ffff;

    Interval<std::uint32_t> leaves;
    std::uint32_t height = 1;     ///< none: the network as a whole
    std::uint32_t parent = none;  ///< the next larger domain; none for the root

    friend bool operator==(const LeafDomain&, const LeafDomain&) = default;
};

/// The domains of one height.
struct LeafLevel {
    std::uint32_t height = 1;
    Interval<std::uint32_t> domains;  ///< rising by leaves

    friend bool operator==(const LeafLevel&, const LeafLevel&) = default;
};

/// What never changes about a tree or blocks.
class LeafTree {
  public:
    LeafTree() = default;
    /// Requires, here and below: check(topology) is ok. Complexity: linear in nodes and switches.
    explicit LeafTree(const TreeTopology& topology);
    explicit LeafTree(const BlockTopology& topology);

    [[nodiscard]] std::uint32_t leaf_count() const {
        return static_cast<std::uint32_t>(parent_of_leaf_.size());
    }
    /// Whether leaves are switches or blocks.
    [[nodiscard]] TopologyKind kind() const { return kind_; }
    /// Rising by height, then by leaves; the last is the root. Empty without leaves.
    [[nodiscard]] const std::vector<LeafDomain>& domains() const { return domains_; }
    /// Rising by height; the root is the only domain of the last. Empty without leaves.
    [[nodiscard]] const std::vector<LeafLevel>& levels() const { return levels_; }
    /// The smallest domain above the leaf. Requires: the leaf exists.
    [[nodiscard]] std::uint32_t parent_of_leaf(std::uint32_t leaf) const {
        return parent_of_leaf_[leaf];
    }
    /// The position of the switch or block in its topology. Requires: the leaf exists.
    [[nodiscard]] std::uint32_t position_of_leaf(std::uint32_t leaf) const {
        return position_of_leaf_[leaf];
    }
    /// Where the node hangs; nothing when the topology does not cover it.
    [[nodiscard]] std::optional<std::uint32_t> leaf_of(NodeId node) const;

    friend bool operator==(const LeafTree&, const LeafTree&) = default;

  private:
    void add_nodes(std::uint32_t leaf, const NodeSet& nodes);
    void connect(std::vector<LeafDomain> given);
    void add_level(std::uint32_t height, std::vector<Interval<std::uint32_t>> given);

    TopologyKind kind_ = TopologyKind::tree;
    std::vector<LeafDomain> domains_;
    std::vector<LeafLevel> levels_;
    std::vector<std::uint32_t> parent_of_leaf_;
    std::vector<std::uint32_t> position_of_leaf_;
    std::vector<std::uint32_t> leaf_of_node_;
};

}  // namespace trestle
