// SPDX-License-Identifier: Apache-2.0
#pragma once

// find_cycle: a way in a graph that comes back to where it began.
//
// Layer: alloc (detail). Main type: Links; main function: find_cycle. The graph is walked depth
// first with a list of its own in place of the stack: a way of a million links is none too long.
// A reader would get wrong: of several cycles it gives one, always the same for the same graph.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace trestle::detail {

/// A graph of nodes 0, 1, 2 and so on: what each leads to.
struct Links {
    std::vector<std::size_t> targets;  ///< of all nodes, one node's behind the other's
    std::vector<std::size_t> ends;     ///< by node: where its targets end

    void end_node() { ends.push_back(targets.size()); }
};

/// The nodes of a cycle in its order, beginning with the lowest; empty where there is none.
/// Complexity: linear in nodes and links.
[[nodiscard]] inline std::vector<std::size_t> find_cycle(const Links& links) {
    constexpr std::size_t unseen = static_cast<std::size_t>(-1);
    std::vector<std::size_t> next(links.ends.size(), unseen);  // the link to follow
    std::vector<std::size_t> way;                              // from the root to where we are
    std::vector<bool> is_on_way(links.ends.size());
    const auto enter = [&](std::size_t node) {
        next[node] = node == 0 ? 0 : links.ends[node - 1];
        way.push_back(node);
        is_on_way[node] = true;
    };
    for (std::size_t root = 0; root < links.ends.size(); ++root) {
        if (next[root] == unseen) enter(root);
        while (!way.empty()) {
            const std::size_t node = way.back();
            if (next[node] == links.ends[node]) {
                is_on_way[node] = false;
                way.pop_back();
                continue;
            }
            const std::size_t target = links.targets[next[node]++];
            if (next[target] == unseen) {
                enter(target);
            } else if (is_on_way[target]) {
                way.erase(way.begin(), std::find(way.begin(), way.end(), target));
                std::rotate(way.begin(), std::min_element(way.begin(), way.end()), way.end());
                return way;
            }
        }
    }
    return {};
}

}  // namespace trestle::detail
