// SPDX-License-Identifier: Apache-2.0
#pragma once

// sorted_by_node: entries in the order of their nodes, in linear time.
//
// Layer: base. Main function: sorted_by_node(entries, node_count).

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace trestle::detail {

/// The entries by `Entry::node`; those of one node keep their order. Requires: each node is below
/// `node_count`. Complexity: the entries and `node_count`.
template <class Entry>
[[nodiscard]] std::vector<Entry> sorted_by_node(const std::vector<Entry>& entries,
                                                std::uint32_t node_count) {
    std::vector<std::size_t> place_of(std::size_t{node_count} + 1);  // by node, of its next entry
    for (const Entry& one : entries) ++place_of[std::size_t{one.node.value()} + 1];
    std::partial_sum(place_of.begin(), place_of.end(), place_of.begin());
    std::vector<Entry> sorted(entries.size());
    for (const Entry& one : entries) sorted[place_of[one.node.value()]++] = one;
    return sorted;
}

}  // namespace trestle::detail
