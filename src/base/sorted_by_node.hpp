// SPDX-License-Identifier: Apache-2.0
#pragma once

// sorted_by_node: entries in the order of their nodes.
//
// Layer: base. Main function: sorted_by_node(entries, node_count).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace trestle::detail {

/// The entries by `Entry::node`; those of one node keep their order. Requires: each node is below
/// `node_count`. Complexity: linear in the entries where they are in order already, or are not few
/// beside the nodes; else n log n.
template <class Entry>
[[nodiscard]] std::vector<Entry> sorted_by_node(std::vector<Entry> entries,
                                                std::uint32_t node_count) {
    const auto is_lower = [](const Entry& a, const Entry& b) { return a.node < b.node; };
    if (std::is_sorted(entries.begin(), entries.end(), is_lower)) return entries;
    if (entries.size() < node_count / 16) {  // a count of each node would cost more
        std::stable_sort(entries.begin(), entries.end(), is_lower);
        return entries;
    }
    std::vector<std::size_t> place_of(std::size_t{node_count} + 1);  // by node, of its next entry
    for (const Entry& one : entries) ++place_of[std::size_t{one.node.value()} + 1];
    std::partial_sum(place_of.begin(), place_of.end(), place_of.begin());
    std::vector<Entry> sorted(entries.size());
    for (const Entry& one : entries) sorted[place_of[one.node.value()]++] = one;
    return sorted;
}

}  // namespace trestle::detail
