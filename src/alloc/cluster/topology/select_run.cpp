// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/select_run.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace trestle {

std::optional<RingIndex::Place> RingIndex::place_of(NodeId node) const {
    if (node.value() >= place_of_.size()) return std::nullopt;
    return place_of_[node.value()];
}

RingIndex::RingIndex(const RingTopology& topology) {
    for (const RingTopology::Ring& ring : topology.rings) {
        const auto number = static_cast<std::uint32_t>(rings_.size());
        const auto size = static_cast<std::uint32_t>(ring.nodes.size());
        rings_.emplace_back(size, RunIndex::Ends::closed);
        nodes_.push_back(ring.nodes);
        for (std::uint32_t place = 0; place < size; ++place) {
            const std::uint32_t node = ring.nodes[place].value();
            if (node >= place_of_.size()) place_of_.resize(std::size_t{node} + 1);
            place_of_[node] = Place{number, place};
        }
    }
}

Verdict<std::vector<NodeId>> select_contiguous(const RunIndex& index, const RunQuestion& question) {
    return select_contiguous(index, question, [](NodeId) { return true; });
}

namespace detail {

std::vector<NodeId> nodes_from(const RingIndex& index, RingIndex::Place at, std::uint32_t count) {
    const std::uint32_t size = index.rings()[at.ring].size();
    std::vector<NodeId> nodes;
    for (std::uint32_t i = 0; i < count; ++i) {
        nodes.push_back(index.node_at({at.ring, (at.place + i) % size}));
    }
    return nodes;
}

}  // namespace detail

Verdict<std::vector<NodeId>> select_on_ring(const RingIndex& index, const RunQuestion& question) {
    return select_on_ring(index, question, [](const std::vector<NodeId>&) { return true; });
}

}  // namespace trestle
