// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ways in a graph that come back to where they began, and the nodes that cannot go because of them.
//
// Layer: alloc (detail). Main type: Links; main functions: find_cycle, stuck_nodes, cycle_numbers.
// Graphs are walked with lists of their own in place of the stack: a way of a million links is none
// too long.
// Pitfall: of several cycles find_cycle gives one, always the same for the same graph; and a cycle
// need not block a node, where one of several ways is enough.

#include <cstddef>
#include <span>
#include <vector>

namespace trestle::detail {

/// A graph of nodes 0, 1, 2 and so on: what each leads to.
struct Links {
    std::vector<std::size_t> targets;  ///< of all nodes, one node's behind the other's
    std::vector<std::size_t> ends;     ///< by node: where its targets end

    void end_node() { ends.push_back(targets.size()); }
    [[nodiscard]] std::size_t size() const { return ends.size(); }
    [[nodiscard]] std::size_t begin_of(std::size_t node) const {
        return node == 0 ? 0 : ends[node - 1];
    }
    [[nodiscard]] std::span<const std::size_t> of(std::size_t node) const {
        return std::span(targets).subspan(begin_of(node), ends[node] - begin_of(node));
    }
};

inline constexpr std::size_t no_node = static_cast<std::size_t>(-1);

/// The nodes of a cycle in its order, beginning with the lowest; empty where there is none.
/// Complexity: linear in nodes and links.
[[nodiscard]] std::vector<std::size_t> find_cycle(const Links& links);

/// Which nodes never go. A node goes when all have gone that it leads to, or where `needs_one`, one
/// of them. Complexity: linear in nodes and links.
[[nodiscard]] std::vector<bool> stuck_nodes(const Links& links, const std::vector<bool>& needs_one);

/// For each node a number that those have in common which lead to each other and back; no_node for
/// one from which no way comes back. Only ways over nodes that are `among` count.
/// Complexity: linear in nodes and links.
[[nodiscard]] std::vector<std::size_t> cycle_numbers(const Links& links,
                                                     const std::vector<bool>& among);

}  // namespace trestle::detail
