// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/torus_index.hpp"

#include <cstdint>
#include <optional>

#include "trestle/base/contract.hpp"

namespace trestle {

TorusIndex::TorusIndex(const TorusTopology& topology) {
    for (const TorusTopology::Torus& torus : topology.toruses) {
        const auto number = static_cast<std::uint32_t>(grids_.size());
        grids_.emplace_back(torus.shape);
        totals_.push_back(0);
        nodes_.push_back(torus.nodes);
        for (std::uint32_t place = 0; place < torus.nodes.size(); ++place) {
            if (!torus.nodes[place]) continue;
            const std::uint32_t node = torus.nodes[place]->value();
            if (node >= place_of_.size()) place_of_.resize(std::size_t{node} + 1);
            place_of_[node] = Place{number, place};
        }
    }
}

std::optional<TorusIndex::Place> TorusIndex::place_of(NodeId node) const {
    if (node.value() >= place_of_.size()) return std::nullopt;
    return place_of_[node.value()];
}

void TorusIndex::add(NodeId node) {
    const auto at = place_of(node);
    if (!at) return;
    TRESTLE_EXPECTS(!grids_[at->torus].test(at->place), "the node is not eligible yet");
    grids_[at->torus].set(at->place);
    ++totals_[at->torus];
}

void TorusIndex::remove(NodeId node) {
    const auto at = place_of(node);
    if (!at) return;
    TRESTLE_EXPECTS(grids_[at->torus].test(at->place), "the node is eligible");
    grids_[at->torus].clear(at->place);
    --totals_[at->torus];
}

}  // namespace trestle
