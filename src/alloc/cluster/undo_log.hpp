// SPDX-License-Identifier: Apache-2.0
#pragma once

// UndoLog: what a cluster was before each change, while a trial is open.
//
// Layer: alloc. Main types: UndoLog and the kinds of changes. Every change of a cluster is one of
// four, so undoing them backwards undoes everything; without an open trial nothing is noted.
// Pitfall: a copy of a cluster starts without a log: trials are of one object.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "alloc/cluster/states/description.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "base/cow/cow.hpp"
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
    UndoLog& operator=(const UndoLog&);
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
    [[nodiscard]] Change pop();

  private:
    std::vector<Change> changes_;
    std::uint32_t trials_ = 0;
    bool is_undoing_ = false;
};

}  // namespace trestle::detail
