// SPDX-License-Identifier: Apache-2.0
#pragma once

// What plan_compaction() and plan_defragmentation() are asked and say: rules for moves, and moves
// in the order of their turns.
//
// Layer: alloc. Main types: Move, CompactionRules, CompactionPlan, FragmentationPlan.
// Pitfall: a move is a proposal. To carry it out, release the owner and commit the new placement,
// one move after the other. A live one is taken before the old place is given back, and needs both
// for a while.

#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// How owners may be moved, and how long to search.
struct CompactionRules {
    /// True: a job runs on while it moves, so that the new place is free before the old one is
    /// given back. False: it is stopped and started again, on units that may be its own. What it
    /// has of cluster-wide counts goes with it either way.
    bool is_live = false;
    std::optional<Count> moves_max;  ///< in a plan; absent: each owner once
    /// Nodes that moved owners may come to; absent: all.
    std::optional<NodeSet> destinations;
    /// Placements that are tried at most. One without n owners counts as 1 + n / 16, and a set of
    /// owners whose moves are looked for as one more.
    std::uint64_t trials_max = 10'000;

    static constexpr auto fields(auto list) {
        return list(field("is_live", &CompactionRules::is_live),
                    field("moves_max", &CompactionRules::moves_max),
                    field("destinations", &CompactionRules::destinations),
                    field("trials_max", &CompactionRules::trials_max));
    }
    friend bool operator==(const CompactionRules&, const CompactionRules&) = default;
};

/// Moves after which a request fits.
struct CompactionPlan {
    /// An owner goes from what it has to something else.
    struct Move {
        OwnerId owner;
        Placement from;  ///< all that it has
        Placement to;    ///< what place() gives for its request, on other units or other nodes

        static constexpr auto fields(auto list) {
            return list(field("owner", &Move::owner), field("from", &Move::from),
                        field("to", &Move::to));
        }
        friend bool operator==(const Move&, const Move&) = default;
    };

    std::vector<Move> moves;   ///< in the order of their turns, each owner at most once
    Placement placement;       ///< of the request, after the moves
    bool is_smallest = false;  ///< known: nothing that fewer moves can do is enough

    static constexpr auto fields(auto list) {
        return list(field("moves", &CompactionPlan::moves),
                    field("placement", &CompactionPlan::placement),
                    field("is_smallest", &CompactionPlan::is_smallest));
    }
    friend bool operator==(const CompactionPlan&, const CompactionPlan&) = default;
};

/// Moves of which each leaves less in fragments.
struct FragmentationPlan {
    std::vector<CompactionPlan::Move>
        moves;                ///< in the order of their turns, each owner at most once
    std::int64_t before = 0;  ///< expected_fragments() without them
    std::int64_t after = 0;   ///< and behind the last
    /// Known: no further move of an owner to where place() would put it would lower it.
    bool is_settled = false;

    static constexpr auto fields(auto list) {
        return list(field("moves", &FragmentationPlan::moves),
                    field("before", &FragmentationPlan::before),
                    field("after", &FragmentationPlan::after),
                    field("is_settled", &FragmentationPlan::is_settled));
    }
    friend bool operator==(const FragmentationPlan&, const FragmentationPlan&) = default;
};

}  // namespace trestle
