// SPDX-License-Identifier: Apache-2.0
#pragma once

// LeafPicks: choices of leaf switches, or of blocks, that could hold a job, one after the other.
//
// Layer: alloc (detail). Main types: LeafSupply (the most that each leaf can give), LeafPicks.
// Fewest leaves first, then lowest leaves. A choice whose leaves cannot give enough together is
// passed over, with all choices that begin like it and cannot either.
// Pitfall: that the leaves can give enough does not mean that their nodes serve the parts.

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/cluster/topology/leaf_tree.hpp"
#include "alloc/node/step_budget.hpp"

namespace trestle::detail {

/// What the nodes at the leaves could have at the most of something that a job splits.
struct LeafAmount {
    /// Nodes by leaf, of which each can have `more` than those of the level before.
    struct Level {
        std::int64_t more = 0;
        std::vector<std::uint32_t> nodes;
    };

    std::vector<Level> levels;
    std::int64_t wanted = 0;
};

struct LeafSupply {
    std::vector<std::uint32_t> nodes;  ///< by leaf, that can take some part of the job
    std::vector<LeafAmount> amounts = {};
};

/// What a choice has to meet.
struct LeafLimits {
    std::uint32_t nodes = 1;
    std::optional<std::uint32_t> leaves_max;
    std::optional<std::uint32_t> height_max;  ///< of a domain that holds all leaves
};

class LeafPicks {
  public:
    /// Rising. True to stop.
    using Visit = absl::FunctionRef<bool(const std::vector<std::uint32_t>&)>;

    /// All references outlive this.
    LeafPicks(const LeafTree& tree, const LeafSupply& supply, const LeafLimits& limits,
              StepBudget& budget);

    /// Ends after the choice for which visit() is true, or when the budget ends. Complexity: a step
    /// for each choice, and for each beginning that cannot be continued.
    void run(Visit visit);
    /// True when the budget ended before the choices did.
    [[nodiscard]] bool has_given_up() const { return has_given_up_; }

  private:
    /// The most that leaves can give of one thing, and what is wanted of it.
    struct Bound {
        std::vector<std::int64_t> most;        ///< by leaf
        std::vector<std::int64_t> best_sum;    ///< of so many leaves
        std::vector<std::int64_t> best_later;  ///< of one leaf from this one on
        std::int64_t wanted = 0;
        std::int64_t sum = 0;  ///< of the leaves picked
    };

    /// False when no choice of so many leaves gives enough to as many nodes as the job has.
    [[nodiscard]] bool may_do(std::size_t size) const;
    /// Of the level at the best leaves, so many of them, as far as the job has nodes.
    [[nodiscard]] std::int64_t most_nodes(const LeafAmount::Level& level, std::size_t size) const;
    void add_bound(std::vector<std::int64_t> most, std::int64_t wanted);
    [[nodiscard]] bool run_size(std::size_t size, Visit visit);
    /// False when so many more leaves, from `next` on, cannot give what is missing.
    [[nodiscard]] bool may_go_on(std::uint32_t next, std::size_t more) const;
    /// False when the leaves picked cannot give enough to as many nodes as the job has.
    [[nodiscard]] bool has_enough() const;
    /// Behind the last leaf that may be picked beside this one, the lowest.
    [[nodiscard]] std::uint32_t end_of(std::uint32_t leaf) const;
    void push(std::uint32_t leaf);
    /// Returns the leaf taken back.
    std::uint32_t pop();

    const LeafTree& tree_;
    const LeafSupply& supply_;
    LeafLimits limits_;
    StepBudget& budget_;
    std::vector<Bound> bounds_;
    std::vector<std::uint32_t> pick_;
    bool has_given_up_ = false;
};

}  // namespace trestle::detail
