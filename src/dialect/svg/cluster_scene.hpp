// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a picture of a cluster shows: groups of nodes, one inside the other, and what they add up
// to.
//
// Layer: dialect/svg, inside. Main types: Tally, NodeGroup, NodeCell, ClusterScene. Nodes in one
// state are reckoned once, so that a million nodes are a million additions.
// Pitfall: groups stand in one list, outer ones before inner ones.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::svg {

/// Of something: all there is, and what is free.
struct Share {
    std::int64_t all = 0;
    std::int64_t free = 0;

    Share& operator+=(const Share& other);
    [[nodiscard]] std::int64_t taken() const { return all - free; }
};

/// What nodes add up to.
struct Tally {
    Share nodes;                 ///< free: take work, and have no owner
    std::int64_t drained = 0;    ///< take no work
    std::int64_t broken = 0;     ///< down, or their health is failure
    std::int64_t worn = 0;       ///< others whose health is warning
    Share cpus;                  ///< hardware threads, in thousandths
    Share memory;                ///< bytes that requests are met from
    std::vector<Share> devices;  ///< in thousandths, by the names of the scene
    Share filling;  ///< what a cell is filled by: devices, or CPUs where there are none

    Tally& operator+=(const Tally& other);
    [[nodiscard]] std::int64_t in_use() const { return nodes.taken() - drained - broken; }
};

/// Nodes that a picture shows as one thing: one node, or several that follow each other.
struct NodeCell {
    NodeId first;
    std::string label;
    Tally tally;
};

/// A switch, a block, or what holds all others.
struct NodeGroup {
    std::string label;  ///< empty: needs no frame
    std::vector<std::size_t> parts;
    NodeSet nodes;  ///< directly in it
    Tally tally;    ///< with those of its parts
};

/// A cluster as it is drawn. Keeps a reference to the cluster.
class ClusterScene {
  public:
    explicit ClusterScene(const Cluster& cluster);

    /// The first one holds all others.
    [[nodiscard]] const std::vector<NodeGroup>& groups() const { return groups_; }
    [[nodiscard]] const std::vector<std::string>& device_names() const { return device_names_; }
    [[nodiscard]] const Tally& tally() const { return groups_.front().tally; }
    [[nodiscard]] const Tally& tally_of(NodeId node) const;

    /// Everything in a group as cells of at most so many nodes: whole switches as far as they fit,
    /// those too large in pieces.
    [[nodiscard]] std::vector<NodeCell> cells_of(std::size_t group, std::int64_t most) const;
    /// The groups in a group that hold nodes themselves, in order.
    [[nodiscard]] std::vector<std::size_t> leaves_of(std::size_t group) const;

    /// `gpu 3 of 8 free, CPUs 12 of 64 free, memory 3 of 4 GiB free`: what there is none of is left
    /// out.
    [[nodiscard]] std::string words(const Tally& tally) const;

  private:
    void add_groups();
    std::size_t add_group(std::size_t parent, const std::string& label, const NodeSet& nodes);
    void count();
    void join_chains();
    void add_nodes(const NodeGroup& leaf, std::int64_t most, std::vector<NodeCell>& cells) const;
    [[nodiscard]] Tally reckon(const NodeStateData& state) const;

    const Cluster& cluster_;
    std::vector<std::string> device_names_;
    std::vector<Tally> by_state_;  ///< by StateId
    std::vector<NodeGroup> groups_;
};

/// `4,096`.
[[nodiscard]] std::string number_words(std::int64_t number);
/// Thousandths as `12` or `12.5`.
[[nodiscard]] std::string thousandths_words(std::int64_t number);
/// `3 of 4 GiB`.
[[nodiscard]] std::string bytes_words(const Share& share);

}  // namespace trestle::svg
