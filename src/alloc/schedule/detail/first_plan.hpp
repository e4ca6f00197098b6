// SPDX-License-Identifier: Apache-2.0
#pragma once

// FirstPlan: a plan that is made quickly, and need not be the smallest.
//
// Layer: alloc (detail). Main types: FirstPlan; movers_by_node. As many nodes as needed are
// emptied, those with the fewest movers first; movers that may stay are left out; the others go one
// by one where place() likes, but to none of the nodes that the request then gets. A mover without
// a place goes first the next time; when that does not help either, its node is left alone.
// Pitfall: no job makes room for another here, and none goes to another place on a node that the
// request gets; what needs that only CompactionSearch finds.

#include <optional>
#include <utility>
#include <vector>

#include "alloc/schedule/detail/move_trials.hpp"
#include "trestle/alloc/schedule/compaction_plan.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// Nodes that movers have something on, those with the fewest movers first.
[[nodiscard]] std::vector<std::pair<NodeId, std::vector<const Mover*>>> movers_by_node(
    const std::vector<Mover>& movers);

class FirstPlan {
  public:
    FirstPlan(MoveTrials& trials, const std::vector<Mover>& movers, const PreparedRequest& request,
              const NodeFilter& filter)
        : trials_(trials), request_(request), filter_(filter), nodes_(movers_by_node(movers)) {}

    [[nodiscard]] std::optional<CompactionPlan> run();

  private:
    using Movers = std::vector<const Mover*>;

    [[nodiscard]] bool is_enough(const Movers& away) {
        return trials_.place_without(away, request_, filter_).has_value();
    }
    /// Large ones find a place less easily.
    [[nodiscard]] static bool has_more(const Mover* a, const Mover* b);

    /// All on the first nodes, as many as it takes; none when all are not enough.
    [[nodiscard]] Movers empty_nodes();
    /// Leaves out movers that may stay: halves first, then quarters, down to each alone.
    void trim(Movers& away);

    /// Moves one after the other; a mover without a place is put first.
    [[nodiscard]] std::optional<CompactionPlan> move_away(Movers& away);
    void leave_alone(const Mover& mover);

    MoveTrials& trials_;
    const PreparedRequest& request_;
    const NodeFilter& filter_;
    std::vector<std::pair<NodeId, Movers>> nodes_;
};

}  // namespace trestle::detail
