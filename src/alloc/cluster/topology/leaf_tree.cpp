// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/leaf_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/topologies.hpp"
#include "model/topology/levels.hpp"

namespace trestle {

std::optional<std::uint32_t> LeafTree::leaf_of(NodeId node) const {
    if (node.value() >= leaf_of_node_.size()) return std::nullopt;
    const std::uint32_t leaf = leaf_of_node_[node.value()];
    return leaf == LeafDomain::none ? std::nullopt : std::optional(leaf);
}

LeafTree::LeafTree(const TreeTopology& topology) {
    const auto& switches = topology.switches;
    const std::vector<std::uint32_t> heights = heights_of(topology);
    std::vector<std::uint32_t> leaves(switches.size(), 0);  // below each
    for (std::size_t i = switches.size(); i-- != 0;) {
        if (heights[i] == 0) leaves[i] = 1;
        if (switches[i].parent) leaves[switches[i].parent->value()] += leaves[i];
    }
    std::vector<LeafDomain> given;
    std::vector<std::uint32_t> next(switches.size(), 0);  // the first leaf not given out below each
    std::uint32_t next_root = 0;
    std::vector<std::uint32_t> leaf_of(switches.size());
    for (std::size_t i = 0; i < switches.size(); ++i) {
        std::uint32_t& from = switches[i].parent ? next[switches[i].parent->value()] : next_root;
        const Interval<std::uint32_t> below{from, from + leaves[i]};
        next[i] = leaf_of[i] = below.first;
        from = below.end;
        if (heights[i] != 0) given.push_back({below, heights[i], LeafDomain::none});
    }
    position_of_leaf_.resize(next_root);
    for (std::uint32_t i = 0; i < switches.size(); ++i) {
        if (heights[i] != 0) continue;
        position_of_leaf_[leaf_of[i]] = i;
        add_nodes(leaf_of[i], switches[i].nodes);
    }
    connect(std::move(given));
}

LeafTree::LeafTree(const BlockTopology& topology) : kind_(TopologyKind::block) {
    const auto count = static_cast<std::uint32_t>(topology.blocks.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        position_of_leaf_.push_back(i);
        add_nodes(i, topology.blocks[i].nodes);
    }
    std::vector<LeafDomain> given;
    for (const std::uint32_t level : levels_of(topology)) {
        if (level == 0) continue;
        const std::uint64_t size = std::uint64_t{1} << level;
        for (std::uint64_t first = 0; first < count; first += size) {
            const auto last = std::min<std::uint64_t>(first + size, count);
            given.push_back({{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)},
                             level,
                             LeafDomain::none});
        }
    }
    connect(std::move(given));
}

void LeafTree::add_nodes(std::uint32_t leaf, const NodeSet& nodes) {
    if (const auto last = nodes.last(); last && last->value() >= leaf_of_node_.size()) {
        leaf_of_node_.resize(last->value() + 1, LeafDomain::none);
    }
    for (const NodeId node : nodes) leaf_of_node_[node.value()] = leaf;
}

/// Makes the levels from the switches or aggregates given, and the root.
void LeafTree::connect(std::vector<LeafDomain> given) {
    const auto leaf_count = static_cast<std::uint32_t>(position_of_leaf_.size());
    parent_of_leaf_.assign(leaf_count, LeafDomain::none);
    if (leaf_count == 0) return;
    std::sort(given.begin(), given.end(), [](const LeafDomain& a, const LeafDomain& b) {
        return std::tie(a.height, a.leaves) < std::tie(b.height, b.leaves);
    });
    for (auto at = given.begin(); at != given.end();) {
        const std::uint32_t height = at->height;
        std::vector<Interval<std::uint32_t>> same;
        for (; at != given.end() && at->height == height; ++at) same.push_back(at->leaves);
        add_level(height, std::move(same));
    }
    if (levels_.empty() || domains_.back().leaves.first != 0) {
        add_level(LeafDomain::none, {{0, leaf_count}});
    }
}

/// The domains given, rising, and what is between them as it was at the height below.
void LeafTree::add_level(std::uint32_t height, std::vector<Interval<std::uint32_t>> given) {
    const Interval<std::uint32_t> below =
        levels_.empty() ? Interval<std::uint32_t>{0, leaf_count()} : levels_.back().domains;
    const auto leaves_of = [&](std::uint32_t i) {
        return levels_.empty() ? Interval<std::uint32_t>{i, i + 1} : domains_[i].leaves;
    };
    const auto first = static_cast<std::uint32_t>(domains_.size());
    auto next = given.begin();
    for (std::uint32_t i = below.first; i < below.end;) {
        Interval<std::uint32_t> leaves = leaves_of(i);
        if (next != given.end() && next->first == leaves.first) leaves = *next++;
        const auto domain = static_cast<std::uint32_t>(domains_.size());
        for (; i < below.end && leaves_of(i).end <= leaves.end; ++i) {
            (levels_.empty() ? parent_of_leaf_[i] : domains_[i].parent) = domain;
        }
        domains_.push_back({leaves, height, LeafDomain::none});
    }
    levels_.push_back({height, {first, static_cast<std::uint32_t>(domains_.size())}});
}

}  // namespace trestle
