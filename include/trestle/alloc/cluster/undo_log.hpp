// SPDX-License-Identifier: Apache-2.0
#pragma once

// UndoLog: what a cluster was before each change, while a trial is open. NodePlan: what it will be.
//
// Layer: alloc. Main types: UndoLog and the kinds of changes, NodePlan. Every change of a cluster
// is one of four, so undoing them backwards undoes everything; without an open trial nothing is
// noted. A reader would get wrong: a copy of a cluster starts without a log: trials are of one
// object.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "trestle/alloc/cluster/description.hpp"
#include "trestle/alloc/cluster/node_states.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/cow/cow.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// A node was in this state.
struct NodeBefore {
    NodeId node;
    Cow<NodeStateData> data;
};
/// An owner had this, or nothing.
struct AllocationBefore {
    OwnerId owner;
    std::optional<Cow<Allocation>> allocation;
};
/// The cluster was described so, and had so many nodes.
struct DescriptionBefore {
    Cow<Description> description;
    std::uint32_t node_count = 0;
};
/// So much was left of the cluster-wide counts.
struct CountsBefore {
    std::vector<ClusterCount> counts;
};

class UndoLog {
  public:
    using Change = std::variant<NodeBefore, AllocationBefore, DescriptionBefore, CountsBefore>;

    UndoLog() = default;
    UndoLog(const UndoLog&) noexcept {}
    UndoLog& operator=(const UndoLog&) noexcept {
        TRESTLE_EXPECTS(!is_open(), "no trial of the cluster is open when it is assigned to");
        return *this;
    }
    ~UndoLog() = default;

    [[nodiscard]] bool is_open() const { return trials_ != 0; }
    /// True when a change has to be noted: a trial is open, and it is not being undone.
    [[nodiscard]] bool is_noting() const { return is_open() && !is_undoing_; }
    void set_undoing(bool is_undoing) { is_undoing_ = is_undoing; }
    [[nodiscard]] std::size_t size() const { return changes_.size(); }
    void open() { ++trials_; }
    void close() {
        if (--trials_ == 0) changes_.clear();
    }
    void add(Change change) { changes_.push_back(std::move(change)); }
    [[nodiscard]] Change pop() {
        Change last = std::move(changes_.back());
        changes_.pop_back();
        return last;
    }

  private:
    std::vector<Change> changes_;
    std::uint32_t trials_ = 0;
    bool is_undoing_ = false;
};

/// A node that an operation works on, and its state afterwards.
struct NodeAfter {
    NodeId node;
    NodeStateData data;
};

/// What an operation is going to do. Kept from one operation to the next for its memory: a state
/// that is written over one of its size allocates nothing.
class NodePlan {
  public:
    NodePlan() = default;
    NodePlan(const NodePlan&) noexcept {}
    NodePlan& operator=(const NodePlan&) noexcept { return *this; }
    ~NodePlan() = default;

    void clear() {
        size_ = 0;
        if (nodes_.size() > kept_max) nodes_.resize(kept_max);
    }
    /// The state of another node, to be changed; good until the next.
    [[nodiscard]] NodeStateData& add(NodeId node, const NodeStateData& now) {
        if (size_ == nodes_.size()) {
            nodes_.push_back({node, now});
        } else {
            nodes_[size_].node = node;
            nodes_[size_].data = now;
        }
        return nodes_[size_++].data;
    }
    [[nodiscard]] std::span<const NodeAfter> list() const { return {nodes_.data(), size_}; }

  private:
    static constexpr std::size_t kept_max = 256;

    std::vector<NodeAfter> nodes_;  ///< the first size_ of them
    std::size_t size_ = 0;
};

}  // namespace trestle::detail
