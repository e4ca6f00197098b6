// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/states/node_states.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "alloc/cluster/hash_sum.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

NodeStates& NodeStates::operator=(NodeStates&& other) noexcept {
    NodeStates(std::move(other)).swap(*this);
    return *this;
}

std::optional<NodeId> NodeStates::next(StateId state, NodeId from) const {
    const auto found = entries_[state.value()].nodes.next(from.value());
    return found ? std::optional(NodeId(*found)) : std::nullopt;
}

void NodeStates::append(std::uint32_t count, const NodeStateData& data) {
    if (count == 0) return;
    const StateId state = intern(data, nullptr);
    const std::uint32_t first = node_count();
    state_of_.resize(std::size_t{first} + count, state);
    CowBitmap& nodes = entries_.write(state.value()).nodes;
    if (nodes.is_empty()) used_.insert(state.value());
    nodes.insert_range(first, node_count());
}

void NodeStates::remove_last_node() {
    const NodeId node(node_count() - 1);
    leave(node, of(node));
    state_of_.pop_back();
}

void NodeStates::move(NodeId node, StateId state) {
    const StateId before = std::exchange(state_of_.write(node.value()), state);
    if (state == before) return;
    CowBitmap& nodes = entries_.write(state.value()).nodes;
    if (nodes.is_empty()) used_.insert(state.value());
    nodes.insert(node.value());
    leave(node, before);
}

void NodeStates::forget_unused() {
    ++epoch_;
    std::uint32_t end = limit();
    while (end != 0 && entries_[end - 1].nodes.is_empty()) --end;
    entries_.resize(end);  // decisions look at numbers below limit()
    buckets_ = CowArray<std::uint32_t>(buckets_.size(), none);
    free_ = none;
    known_ = count();
    for (std::uint32_t at = 0; at < end; ++at) {
        Entry& entry = entries_.write(at);
        if (entry.nodes.is_empty()) {
            entry = {{}, 0, {}, std::exchange(free_, at)};
        } else {
            entry.next = std::exchange(buckets_.write(bucket_of(entry.hash)), at);
        }
    }
}

void NodeStates::leave(NodeId node, StateId state) {
    CowBitmap& nodes = entries_.write(state.value()).nodes;
    nodes.erase(node.value());
    if (nodes.is_empty()) used_.erase(state.value());
}

void NodeStates::swap(NodeStates& other) noexcept {
    std::swap(state_of_, other.state_of_);
    std::swap(entries_, other.entries_);
    std::swap(buckets_, other.buckets_);
    std::swap(free_, other.free_);
    std::swap(known_, other.known_);
    std::swap(used_, other.used_);
    std::swap(epoch_, other.epoch_);
}

std::uint64_t NodeStates::hash_of(const NodeStateData& data) {
    HashSum sum;
    const FreeState& free = data.free;
    sum.add(std::uint64_t{data.node_class.value()} << 1 | (free.is_idle ? 1 : 0));
    sum.add(data.kinds);
    sum.add(static_cast<std::uint64_t>(free.held_milli_cpus.value()));
    for (const Bytes bytes : free.memory) sum.add(static_cast<std::uint64_t>(bytes.value()));
    for (const Count shares : free.shares) sum.add(static_cast<std::uint64_t>(shares.value()));
    HashState state;
    state.add(sum.result());
    trestle::hash_into(state, free.cores);
    if (!free.held_rows.empty()) trestle::hash_into(state, free.held_rows);
    if (!free.held_slices.empty()) trestle::hash_into(state, free.held_slices);
    return state.result();
}

StateId NodeStates::intern(const NodeStateData& data, const Cow<NodeStateData>* object) {
    const std::uint64_t hash = hash_of(data);
    if (buckets_.size() != 0) {
        for (std::uint32_t at = buckets_[bucket_of(hash)]; at != none; at = entries_[at].next) {
            const Entry& entry = entries_[at];
            if (entry.hash == hash && *entry.data == data) return StateId(at);
        }
    }
    if (known_ >= buckets_.size()) grow();
    const std::uint32_t at = free_ != none ? free_ : limit();
    if (free_ != none) {
        free_ = entries_[at].next;
    } else {
        entries_.push_back({});
    }
    std::uint32_t& bucket = buckets_.write(bucket_of(hash));
    entries_.write(at) = {object ? *object : Cow<NodeStateData>(data), hash, {}, bucket};
    bucket = at;
    ++known_;
    return StateId(at);
}

void NodeStates::grow() {
    const std::size_t size = buckets_.size() == 0 ? 16 : 2 * buckets_.size();
    buckets_ = CowArray<std::uint32_t>(size, none);
    for (std::uint32_t at = 0; at < limit(); ++at) {
        if (entries_[at].data.is_same_object({})) continue;
        Entry& entry = entries_.write(at);
        entry.next = std::exchange(buckets_.write(bucket_of(entry.hash)), at);
    }
}

}  // namespace trestle
