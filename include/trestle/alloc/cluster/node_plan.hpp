// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodePlan: what an operation is going to do to nodes. Transitions: what others did before.
//
// Layer: alloc. Main types: Transitions, NodePlan. Jobs come and go alike: a node that is in a
// state from which the same was taken before comes to the state that it came to then.
// A reader would get wrong: neither is part of a cluster's value. A copy of a cluster, and what was
// moved from, start with none, and no answer depends on what is remembered.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trestle/alloc/cluster/node_states.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// A part of a plain placement that is taken from a node or given back to it; see is_plain().
struct NodeStep {
    StateId from;
    bool is_release = false;
    /// What a release has to know of those who stay: they have something, and their kinds.
    bool others_have_something = false;
    std::uint64_t other_kinds = 0;
    const NodePlacement* part = nullptr;
    bool is_plain = false;  ///< it depends on nothing else, and may be remembered
};

/// Remembers steps: of those whose hash ends alike the last one.
class Transitions {
  public:
    Transitions() = default;
    Transitions(const Transitions&) noexcept {}
    Transitions(Transitions&& other) noexcept { other.entries_.clear(); }
    Transitions& operator=(const Transitions&) noexcept {
        entries_.clear();
        return *this;
    }
    Transitions& operator=(Transitions&& other) noexcept {
        entries_.clear();
        other.entries_.clear();
        return *this;
    }
    ~Transitions() = default;

    /// Where the step leads, if that is remembered. The states are those of all calls.
    [[nodiscard]] std::optional<StateId> find(const NodeStates& states,
                                              const NodeStep& step) const {
        if (entries_.empty() || states.epoch() != epoch_) return std::nullopt;
        const Entry& entry = entries_[hash_of(step) & (entries_.size() - 1)];
        return entry.is_of(step) ? std::optional(entry.to) : std::nullopt;
    }
    void add(const NodeStates& states, const NodeStep& step, StateId to) {
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

  private:
    static constexpr std::size_t size_min = 16;
    static constexpr std::size_t size_max = 1024;

    struct Entry {
        NodeStep step;  ///< of the part below, or of none
        NodePlacement part;
        StateId to;

        [[nodiscard]] bool is_of(const NodeStep& other) const {
            return step.part != nullptr && step.from == other.from &&
                   step.is_release == other.is_release &&
                   step.others_have_something == other.others_have_something &&
                   step.other_kinds == other.other_kinds && part.cores == other.part->cores &&
                   part.milli_cpus == other.part->milli_cpus && part.memory == other.part->memory &&
                   part.devices == other.part->devices;
        }
    };

    /// Cheap: it is on the way of every change. Of cores the ends will do.
    [[nodiscard]] static std::size_t hash_of(const NodeStep& step) {
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

    std::vector<Entry> entries_;  ///< a power of two, or none
    std::size_t added_ = 0;
    std::uint64_t epoch_ = 0;
};

/// A node that an operation works on, and the state it comes to.
struct NodeAfter {
    NodeId node;
    StateId state;
};

/// What an operation is going to do. Kept from one operation to the next for its memory.
class NodePlan {
  public:
    NodePlan() = default;
    NodePlan(const NodePlan&) noexcept {}
    NodePlan& operator=(const NodePlan&) noexcept { return *this; }
    ~NodePlan() = default;

    void clear() { nodes_.clear(); }
    void add(NodeId node, StateId state) { nodes_.push_back({node, state}); }
    [[nodiscard]] std::span<const NodeAfter> list() const { return nodes_; }

    /// A copy of what a node is, to be changed; good until the next.
    [[nodiscard]] NodeStateData& draft(const NodeStateData& now) { return draft_ = now; }

  private:
    std::vector<NodeAfter> nodes_;
    NodeStateData draft_;  ///< written over one of its size it allocates nothing
};

}  // namespace trestle::detail
