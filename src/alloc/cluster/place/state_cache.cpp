// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/state_cache.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "alloc/cluster/states/node_states.hpp"

namespace trestle {

void StateCache::follow(const Cluster& cluster) {
    const auto changed = cluster.journal().since(followed_);
    if (changed && changed->empty()) return;
    followed_ = cluster.journal().position();
    if (!changed) return restart(cluster);
    if (moves_.size() + changed->size() > moves_max) forget_moves();
    const NodeStates& states = cluster.states();
    if (known_.size() < states.limit()) known_.resize(states.limit());
    const std::uint64_t versions_before = versions_;
    for (const NodeId node : *changed) {
        const StateId to = states.of(node);
        learn(cluster, to);
        const StateId from = by_node_[node.value()];
        // A node that has come back; but a state with a new version is another one.
        if (from == to && known_[to.value()].version <= versions_before) continue;
        by_node_.set(node.value(), to);
        --known_[from.value()].nodes;
        ++known_[to.value()].nodes;
        moves_.push_back({node, from, to});
    }
}

std::optional<std::span<const NodeMove>> StateCache::since(std::uint64_t position) const {
    if (position < first_) return std::nullopt;
    return std::span(moves_).subspan(static_cast<std::size_t>(position - first_));
}

void StateCache::restart(const Cluster& cluster) {
    forget_moves();
    const NodeStates& states = cluster.states();
    by_node_ = states.by_node();
    for (KnownState& known : known_) known.nodes = 0;
    known_.resize(states.limit());
    states.for_each([&](StateId state) {
        learn(cluster, state);
        known_[state.value()].nodes = states.nodes_in(state);
    });
}

void StateCache::forget_moves() {
    first_ += moves_.size() + 1;
    moves_.clear();
}

void StateCache::learn(const Cluster& cluster, StateId state) {
    const Cow<NodeStateData>& data = cluster.states()[state];
    KnownState& known = known_[state.value()];
    if (known.version != 0 && known.data.is_same_object(data)) return;
    const detail::KnownClass& one = cluster.classes().known(data->node_class);
    known.version = ++versions_;
    known.sums = sums_of(data->free, *one.value.shape, one.threads);
    known.untouched = untouched_devices(data->free, *one.value.shape);
    known.node_class = data->node_class;
    known.data = data;
    if (!scorer_.has_scores()) return;
    if (!known.before) known.before = std::make_unique<Scorer::Before>();
    *known.before = scorer_.before(*data);
}

}  // namespace trestle
