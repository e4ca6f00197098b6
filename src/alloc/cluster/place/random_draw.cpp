// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/random_draw.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trestle/base/hash.hpp"

namespace trestle {

std::uint64_t RandomDraw::next() {
    const std::uint64_t place = drawn_ + rng_.below(count_ - drawn_);
    const std::uint64_t number = at(place);
    moved_[place] = at(drawn_);
    ++drawn_;
    return number;
}

std::uint64_t RandomDraw::at(std::uint64_t place) const {
    const auto moved = moved_.find(place);
    return moved == moved_.end() ? place : moved->second;
}

std::uint64_t draw_seed(const Cluster& cluster, std::uint64_t seed) {
    HashState state;
    state.add(seed);
    state.add(cluster.allocation_count());
    const auto owner = cluster.last_owner();
    state.add(owner ? owner->value() : 0);
    return state.result();
}

std::size_t drawn_device(std::uint64_t seed, NodeId node, std::size_t count) {
    HashState state;
    state.add(seed);
    state.add(node.value());
    return static_cast<std::size_t>(Rng(state.result()).below(count));
}

NodeRow::NodeRow(const NodeStates& states, const std::vector<StateId>& some) : states_(states) {
    for (const StateId state : some) {
        blocks_.push_back({*states.next(state, NodeId(0)), state, 0});
    }
    std::sort(blocks_.begin(), blocks_.end(),
              [](const Block& a, const Block& b) { return a.lowest < b.lowest; });
    for (Block& block : blocks_) {
        block.first = size_;
        size_ += states.nodes_in(block.state);
    }
}

std::pair<NodeId, StateId> NodeRow::operator[](std::uint64_t place) const {
    const auto after = std::upper_bound(
        blocks_.begin(), blocks_.end(), place,
        [](std::uint64_t wanted, const Block& block) { return wanted < block.first; });
    const Block& block = *std::prev(after);
    const auto rank = static_cast<std::uint32_t>(place - block.first);
    return {states_.nth(block.state, rank), block.state};
}

}  // namespace trestle
