// SPDX-License-Identifier: Apache-2.0
#pragma once

// SegmentPicks: choices of nodes that make up whole segments at given leaves, one after the other.
//
// Layer: alloc (detail). Main types: SegmentLeaf, SegmentPicks. Every leaf gives one segment at
// least; low leaves give most. Nodes of one kind are alike, so only their number is chosen.
// Pitfall: the nodes of a choice may still not serve the parts of the job.

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "alloc/node/step_budget.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::detail {

/// The nodes of one leaf that can take some part.
struct SegmentLeaf {
    std::vector<NodeId> required;            ///< in every choice
    std::vector<std::vector<NodeId>> kinds;  ///< the others; the nodes that can take most first

    [[nodiscard]] std::size_t count() const;
};

/// What a choice has to meet.
struct SegmentLimits {
    std::uint32_t size = 1;      ///< nodes of a segment
    std::uint32_t segments = 1;  ///< in all
    /// True when a node of one kind can replace a node of every later kind.
    bool are_nested = false;
};

class SegmentPicks {
  public:
    /// True to stop.
    using Visit = absl::FunctionRef<bool(const NodeSet&)>;

    SegmentPicks(std::vector<SegmentLeaf> leaves, const SegmentLimits& limits, StepBudget& budget)
        : leaves_(std::move(leaves)), limits_(limits), budget_(budget) {}

    /// Ends after the choice for which visit() is true, or when the budget ends. Complexity: a step
    /// for each choice.
    void run(Visit visit);
    /// True when the budget ended before the choices did.
    [[nodiscard]] bool has_given_up() const { return has_given_up_; }

  private:
    /// Chooses at the leaves from `at` on. True to stop.
    [[nodiscard]] bool choose_leaf(std::size_t at, std::uint32_t segments, const NodeSet& before,
                                   Visit visit);
    /// Chooses so many nodes of the kinds from `kind` on, then at the later leaves.
    [[nodiscard]] bool choose_kind(std::size_t at, std::size_t kind, std::size_t nodes,
                                   std::uint32_t segments_later, const NodeSet& before,
                                   Visit visit);

    std::vector<SegmentLeaf> leaves_;
    SegmentLimits limits_;
    StepBudget& budget_;
    bool has_given_up_ = false;
};

}  // namespace trestle::detail
