// SPDX-License-Identifier: Apache-2.0
#pragma once

// Splits: how many tasks and devices of a job each of its nodes has, in the order of place().
//
// Layer: alloc. Main types: Share (of one node), Split (of all nodes), SplitBounds (what a request
// allows), SplitEnumerator. The order, first difference decides: the number of devices that
// the request prefers; the tasks of the nodes, largest first, as even as fits (or as packed); the
// devices of each demand in the same way; then more devices where there are more tasks.
// Nothing here recurses over nodes: a job may have a million.
// Pitfall: the even split of groups_of(), which splits both ends of a range, comes before all of
// these and is not one of them.

#include <absl/container/inlined_vector.h>
#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "alloc/node/step_budget.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// What one node has: tasks, then the devices of each demand that is counted per job.
using Share = absl::InlinedVector<std::int64_t, 4>;

/// Nodes that have the same share.
struct ShareCount {
    Share share;
    std::int64_t nodes = 0;

    friend bool operator==(const ShareCount&, const ShareCount&) = default;
};

/// Shares of all nodes, the largest first, each once.
using Split = std::vector<ShareCount>;

/// One amount that is split: the tasks, or the devices of one demand.
struct SplitAmount {
    std::int64_t total_min = 0;
    std::int64_t total_max = 0;
    std::int64_t least = 0;  ///< on a node
    std::int64_t most = 0;   ///< on a node
    bool prefers_most = false;

    /// False when all nodes have the same number, whatever the split.
    [[nodiscard]] bool varies() const { return least != most; }
};

/// What the nodes of a cluster, whatever is free on them, allow of a request, or a component.
struct SplitLimits {
    std::int64_t tasks = 0;             ///< that any node has CPUs for
    std::vector<std::int64_t> devices;  ///< that any node has, by demand counted per job
    bool takes_less = false;            ///< a node that can take a share can take every smaller one

    /// Complexity: the classes of nodes.
    [[nodiscard]] static SplitLimits of(const Cluster& cluster, const Request& request);
};

class SplitBounds;

/// How many nodes have how much free of what a request, or a component, splits. It bounds what
/// they can take, whatever else is asked of them.
class FreeAmounts {
  public:
    /// Of these nodes, or of all. Complexity: the states that nodes are in, and the candidates.
    [[nodiscard]] static FreeAmounts of(const Cluster& cluster, const Request& request,
                                        const FitOptions& fit, const NodeSet* candidates = nullptr);

    /// False when no nodes, as many as these bounds are of, have enough of each amount.
    [[nodiscard]] bool has_room(const SplitBounds& bounds) const;
    /// The fewest nodes that have so much of the amount together; nothing when all have less.
    [[nodiscard]] std::optional<std::int64_t> nodes_with(std::size_t amount,
                                                         std::int64_t total) const;
    /// What so many nodes have at most of the amount, of which each may have `most`.
    [[nodiscard]] std::int64_t most_on(std::size_t amount, std::int64_t nodes,
                                       std::int64_t most) const;

  private:
    /// Nodes by what they have, for each amount.
    std::vector<std::map<std::int64_t, std::int64_t, std::greater<>>> nodes_;
};

/// What a request, or a component, allows on so many nodes.
class SplitBounds {
  public:
    /// True when a split other than the even one is allowed. Requires, here and below: nodes > 0.
    [[nodiscard]] static bool may_be_uneven(const Request& request, std::int64_t nodes);

    SplitBounds(const SplitLimits& limits, const Request& request, std::int64_t nodes);

    [[nodiscard]] std::int64_t nodes() const { return nodes_; }
    [[nodiscard]] bool is_packed() const { return is_packed_; }
    /// Tasks, then the demands counted per job.
    [[nodiscard]] const std::vector<SplitAmount>& amounts() const { return amounts_; }
    /// The only amount that varies, or nothing when there are several or none.
    [[nodiscard]] std::optional<std::size_t> only_amount() const;
    /// See SplitLimits::takes_less.
    [[nodiscard]] bool takes_less() const { return takes_less_; }
    /// False when no split gives the totals, whatever the nodes say.
    [[nodiscard]] bool has_any() const;
    /// The smallest share of a node.
    [[nodiscard]] Share least_share() const;
    /// True when place() prefers split `a` to `b`; an empty one is the even split.
    [[nodiscard]] bool comes_before(const Split& a, const Split& b) const;
    /// The smallest share, but for so many of one amount.
    [[nodiscard]] Share share_with(std::size_t amount, std::int64_t number) const;

  private:
    std::int64_t nodes_;
    bool is_packed_;
    bool takes_less_;
    std::vector<SplitAmount> amounts_;
};

/// The share as a part of the job on so many nodes.
[[nodiscard]] NodePart part_of(const Share& share, std::int64_t nodes);

/// The part by which a node alone is asked about the job: the largest of the even split; where
/// others are allowed, the smallest that any of them gives a node, if all nodes had room enough.
[[nodiscard]] NodePart part_of_one(const Request& request, std::int64_t nodes);

/// Goes through the splits of one request in order.
class SplitEnumerator {
  public:
    /// How many nodes, of which no more matter than the job has, can take the share.
    using Able = absl::FunctionRef<std::int64_t(const Share&)>;
    /// True to stop.
    using Visit = absl::FunctionRef<bool(const Split&)>;

    /// Splits that `able` rules out are passed over. All arguments outlive this.
    SplitEnumerator(const SplitBounds& bounds, StepBudget& budget, Able able, Visit visit)
        : bounds_(bounds), budget_(budget), able_(able), visit_(visit) {}

    /// True when visit(split) was. Ends early when the budget does. Complexity: the splits.
    [[nodiscard]] bool run();

  private:
    using Numbers = std::vector<std::int64_t>;  ///< falling
    /// Equal numbers that no node has yet.
    struct Run {
        std::int64_t number = 0;
        std::int64_t left = 0;
    };

    [[nodiscard]] bool choose_total(std::size_t at);
    [[nodiscard]] bool choose_numbers(std::size_t at);
    /// The number of amount `at` behind those chosen, and behind the one tried there last, if any;
    /// `left` have still to be given.
    [[nodiscard]] std::optional<std::int64_t> next_number(std::size_t at, std::int64_t left,
                                                          std::optional<std::int64_t> tried);
    /// False when too few nodes can take that number beside those chosen before.
    [[nodiscard]] bool may_have(std::size_t at, std::int64_t number) const;
    /// Gives the numbers of amount `at`, and those behind it, to the nodes.
    [[nodiscard]] bool align(std::size_t at);
    [[nodiscard]] Split split() const;

    const SplitBounds& bounds_;
    StepBudget& budget_;
    Able able_;
    Visit visit_;
    Numbers totals_;                ///< by amount
    std::vector<Numbers> numbers_;  ///< by amount
    std::vector<Share> shares_;     ///< by node, falling
};

}  // namespace trestle::detail
