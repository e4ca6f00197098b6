// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/pending_states.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/cluster/hash_sum.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

namespace detail {

TransitionCache& TransitionCache::operator=(const TransitionCache&) noexcept {
    entries_.clear();
    return *this;
}

TransitionCache& TransitionCache::operator=(TransitionCache&& other) noexcept {
    entries_.clear();
    other.entries_.clear();
    return *this;
}

std::optional<StateId> TransitionCache::find(const NodeStates& states, const NodeStep& step) const {
    if (entries_.empty() || states.epoch() != epoch_) return std::nullopt;
    const Entry& entry = entries_[hash_of(step) & (entries_.size() - 1)];
    return entry.is_of(step) ? std::optional(entry.to) : std::nullopt;
}

void TransitionCache::add(const NodeStates& states, const NodeStep& step, StateId to) {
    if (states.epoch() != epoch_) entries_.clear();
    epoch_ = states.epoch();
    if (added_++ >= entries_.size() && entries_.size() < size_max) {
        entries_ = std::vector<Entry>(std::max(4 * entries_.size(), size_min));
        added_ = 0;
    }
    Entry& entry = entries_[hash_of(step) & (entries_.size() - 1)];
    entry = {step, *step.part, to};
    entry.step.part = &entry.part;
}

bool TransitionCache::Entry::is_of(const NodeStep& other) const {
    return step.part != nullptr && step.from == other.from && step.is_release == other.is_release &&
           step.others_have_something == other.others_have_something &&
           step.other_kinds == other.other_kinds && part.cores == other.part->cores &&
           part.milli_cpus == other.part->milli_cpus && part.memory == other.part->memory &&
           part.devices == other.part->devices;
}

std::size_t TransitionCache::hash_of(const NodeStep& step) {
    HashSum sum;
    sum.add(std::uint64_t{step.from.value()} << 2 | (step.is_release ? 2 : 0) |
            (step.others_have_something ? 1 : 0));
    sum.add(step.other_kinds);
    sum.add(static_cast<std::uint64_t>(step.part->milli_cpus.value()));
    for (const MemoryShare& one : step.part->memory) {
        sum.add(static_cast<std::uint64_t>(one.bytes.value()) ^ one.domain.value());
    }
    for (const DeviceShare& one : step.part->devices) {
        sum.add(static_cast<std::uint64_t>(one.shares.value()) << 32 ^ one.device.value());
    }
    const CoreSet& cores = step.part->cores;
    sum.add(cores.first().value_or(CoreId()).value());
    sum.add(cores.last().value_or(CoreId()).value());
    return static_cast<std::size_t>(sum.result());
}

void PendingStates::add(NodeId node, StateId state) { nodes_.push_back({node, state}); }

}  // namespace detail

}  // namespace trestle
