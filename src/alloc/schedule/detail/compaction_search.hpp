// SPDX-License-Identifier: Apache-2.0
#pragma once

// CompactionSearch: the fewest moves after which a request fits, as far as a budget goes.
//
// Layer: alloc (detail). Main type: CompactionSearch. First a plan is made quickly: nodes are
// emptied, those with the fewest movers first; movers that may stay do, and the others go where
// place() likes, away from the nodes that the request gets. Then everything that fewer moves could
// do is gone through, one move, two, and so on: sets of owners without which the request fits, for
// each set all orders and destinations. For a request of one node such a set holds what makes one
// node fit, and perhaps others that make room for those.
// Pitfall: that a set is enough to be away says nothing about where to; but of owners without which
// the request does not fit no moves help, since more free never turns a yes into a no. Where it
// may, see is_monotone(), all sets of owners are gone through to the end.

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "alloc/schedule/detail/first_plan.hpp"
#include "alloc/schedule/detail/move_trials.hpp"
#include "alloc/schedule/detail/mover_groups.hpp"
#include "alloc/schedule/detail/node_sets.hpp"
#include "trestle/alloc/schedule/compaction_plan.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

class CompactionSearch {
  public:
    CompactionSearch(MoveTrials& trials, const std::vector<Mover>& movers,
                     const PreparedRequest& request, const NodeFilter& filter);

    /// Requires: the request does not fit now. Nothing when no plan is found; trials.is_sure() says
    /// whether there is none.
    [[nodiscard]] std::optional<CompactionPlan> run();

  private:
    using Movers = MoverGroups::Movers;

    /// A plan of k moves, into found_.
    [[nodiscard]] bool find_with(std::size_t k);
    /// Owners that may be added to those that have to move.
    struct Growth {
        Movers others;
        std::size_t none_up_to = 0;  ///< so many are not enough
        std::size_t k = 0;
    };
    /// Sets of k with `away` and others from `first` on.
    [[nodiscard]] bool grow(const Growth& growth, std::size_t first, Movers& away);
    /// Sets of k with `away`, which are enough, and any that only make room.
    [[nodiscard]] bool add_helpers(const Movers& away, std::size_t k);
    [[nodiscard]] bool add_helpers(const Movers& helpers, std::size_t first, Movers& set,
                                   std::size_t k);
    /// A set counts as a trial, though it may have been tried or have nowhere to go.
    [[nodiscard]] bool is_new(const Movers& set) {
        return trials_.spend(1) && tried_.insert(sorted(set)).second;
    }
    [[nodiscard]] static Movers sorted(Movers movers);
    [[nodiscard]] static bool has_lower_owner(const Mover* a, const Mover* b) {
        return a->owner() < b->owner();
    }

    /// Where a mover may be put at all.
    struct Reach {
        WantedNodes wanted;
        NodeSet nodes;
        bool are_alike = false;  ///< those in the same state
    };
    [[nodiscard]] const Reach& reach_of(const Mover& mover);

    /// All orders and destinations of those that have not moved yet.
    [[nodiscard]] bool rearrange(const Movers& rest);
    [[nodiscard]] SetAnswer move_to(const Mover& mover, const NodeSet& nodes, const Movers& others);
    /// True when the request fits behind the moves.
    [[nodiscard]] bool is_plan();
    /// False when nothing that the others do makes one.
    [[nodiscard]] bool may_be_plan(const Movers& others) {
        return !is_monotone_ || trials_.place_without(others, request_, filter_).has_value();
    }

    MoveTrials& trials_;
    const std::vector<Mover>& movers_;
    const PreparedRequest& request_;
    const NodeFilter& filter_;
    bool is_monotone_ = false;  ///< an owner that is away does not keep the request out
    bool are_alike_ = false;    ///< nodes in the same state, to the request
    std::optional<MoverGroups> groups_;
    bool was_enough_ = false;  ///< some of the present group were
    std::set<Movers> tried_;   ///< sets of as many owners as are moved now
    std::map<const Mover*, Reach> reaches_;
    std::vector<CompactionPlan::Move> moves_;  ///< that are made now
    std::optional<CompactionPlan> found_;
};

}  // namespace trestle::detail
