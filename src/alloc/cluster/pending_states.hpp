// SPDX-License-Identifier: Apache-2.0
#pragma once

// PendingStates: what an operation is going to do to nodes. TransitionCache: what others did
// before.
//
// Layer: alloc. Main types: TransitionCache, PendingStates. Jobs come and go alike: a node that is
// in a state from which the same was taken before comes to the state that it came to then.
// Pitfall: neither is part of a cluster's value. A copy of a cluster, and what was moved from,
// start with none, and no answer depends on what is remembered.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alloc/cluster/states/node_states.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// A part of a plain placement that is taken from a node or given back to it; see is_plain().
struct NodeStep {
    StateId from;
    bool is_release = false;
    /// What a release has to know of the owners that stay: they have something, and their kinds.
    bool others_have_something = false;
    std::uint64_t other_kinds = 0;
    const NodePlacement* part = nullptr;
    bool is_plain = false;  ///< it depends on nothing else, and may be remembered
};

/// Remembers steps: of those whose hash ends alike the last one.
class TransitionCache {
  public:
    TransitionCache() = default;
    TransitionCache(const TransitionCache&) noexcept {}
    TransitionCache(TransitionCache&& other) noexcept { other.entries_.clear(); }
    TransitionCache& operator=(const TransitionCache&) noexcept;
    TransitionCache& operator=(TransitionCache&& other) noexcept;
    ~TransitionCache() = default;

    /// Where the step leads, if that is remembered. The states are those of all calls.
    [[nodiscard]] std::optional<StateId> find(const NodeStates& states, const NodeStep& step) const;
    void add(const NodeStates& states, const NodeStep& step, StateId to);

  private:
    static constexpr std::size_t size_min = 16;
    static constexpr std::size_t size_max = 1024;

    struct Entry {
        NodeStep step;  ///< of the part below, or of none
        NodePlacement part;
        StateId to;

        [[nodiscard]] bool is_of(const NodeStep& other) const;
    };

    /// Cheap: it is on the way of every change. Of cores the ends will do.
    [[nodiscard]] static std::size_t hash_of(const NodeStep& step);

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
class PendingStates {
  public:
    PendingStates() = default;
    PendingStates(const PendingStates&) noexcept {}
    PendingStates& operator=(const PendingStates&) noexcept { return *this; }
    ~PendingStates() = default;

    void clear() { nodes_.clear(); }
    void add(NodeId node, StateId state);
    [[nodiscard]] std::span<const NodeAfter> list() const { return nodes_; }

    /// A copy of what a node is, to be changed; good until the next.
    [[nodiscard]] NodeStateData& draft(const NodeStateData& now) { return draft_ = now; }

  private:
    std::vector<NodeAfter> nodes_;
    NodeStateData draft_;  ///< written over one of its size it allocates nothing
};

}  // namespace trestle::detail
