// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes by the names of a list, whichever of the two is longer.
//
// Layer: dialect/slurm, inside. Main name: look_up.

#include <cstdint>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/node_names.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::slurm {

/// What a list of names is.
struct NodesOfList {
    std::vector<NodeId> nodes;  ///< in the order of the list, where it is not the longer one
    std::uint64_t strangers =
        0;  ///< names that are none; of a long list also those that stand twice
    std::string first_stranger;  ///< empty where it was not looked for
};

/// Complexity: the shorter one, times the logarithm of the runs of names or the runs of the list.
[[nodiscard]] inline NodesOfList look_up(const Hostlist& list, const NodeNames& names) {
    NodesOfList found;
    if (list.size() > std::uint64_t{names.size()} * 2 + 1000) {
        for (std::uint32_t i = 0; i < names.size(); ++i) {
            if (list.contains(names[NodeId(i)])) found.nodes.emplace_back(i);
        }
        found.strangers = list.size() - found.nodes.size();
        return found;
    }
    list.for_each([&](const std::string& name) {
        if (const auto node = names.find(name)) {
            found.nodes.push_back(*node);
        } else if (found.strangers++ == 0) {
            found.first_stranger = name;
        }
    });
    return found;
}

}  // namespace trestle::slurm
