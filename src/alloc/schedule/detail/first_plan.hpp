// SPDX-License-Identifier: Apache-2.0
#pragma once

// FirstPlan: a plan that is made quickly, and need not be the smallest.
//
// Layer: alloc (detail). Main types: MoversByNode, FirstPlan. As many nodes as needed are
// emptied, those with the fewest movers first; movers that may stay are left out; the others go one
// by one where place() likes, but to none of the nodes that the request then gets. A mover without
// a place goes first the next time; when that does not help either, its node is left alone.
// Pitfall: no job makes room for another here, and none goes to another place on a node that the
// request gets; what needs that only CompactionSearch finds.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alloc/schedule/detail/move_trials.hpp"
#include "trestle/alloc/schedule/compaction_plan.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// Nodes that movers have something on, those with the fewest movers first.
class MoversByNode {
  public:
    struct Here {
        NodeId node;
        std::span<const Mover* const> movers;  ///< by owner
    };

    /// Requires: the nodes of the movers are below `node_count`.
    MoversByNode(const std::vector<Mover>& movers, std::uint32_t node_count);
    MoversByNode(const MoversByNode&) = delete;
    MoversByNode& operator=(const MoversByNode&) = delete;

    [[nodiscard]] const std::vector<Here>& nodes() const { return nodes_; }
    template <class Which>
    void erase_if(const Which& which) {
        std::erase_if(nodes_, which);
    }

  private:
    std::vector<const Mover*> movers_;  ///< of all nodes
    std::vector<Here> nodes_;
};

class FirstPlan {
  public:
    FirstPlan(MoveTrials& trials, const std::vector<Mover>& movers, const PreparedRequest& request,
              const NodeFilter& filter)
        : trials_(trials),
          request_(request),
          filter_(filter),
          by_node_(movers, trials.cluster().node_count()) {}

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
    MoversByNode by_node_;
};

}  // namespace trestle::detail
