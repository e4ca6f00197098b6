// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeProfile: how many nodes are taken at each moment, and which in a period.
//
// Layer: alloc (detail). Main type: NodeProfile. It follows a timeline. A job that wants nodes for
// itself asks first for a period in which few enough are taken, which is a walk along a row of
// numbers; only there the nodes are looked at. Counted are nodes whose cores all have an owner, so
// that no other can have any: the number is never too high, and no start is overlooked.
// Pitfall: the count is at a moment. That at each of them enough are free does not say that the
// same ones are.

#include <absl/container/inlined_vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "alloc/cluster/states/journal.hpp"
#include "alloc/schedule/detail/period_index.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::detail {

class NodeProfile {
  public:
    /// Complexity: linear in the moments for each change since the last time; where there are many,
    /// or that is not known, n log n in all owners.
    void follow(const Timeline& timeline);

    /// The first moment from `from` on at which at most `most` nodes are taken, and all through the
    /// duration; `from`, or one at which a period ends. Nothing when there is none.
    /// Complexity: linear in the moments at which anything changes.
    [[nodiscard]] std::optional<Instant> first_with(std::int64_t most, Instant from,
                                                    std::optional<Seconds> duration) const;

    /// The most nodes that are taken at any moment of the period. Requires: follow(); its start is
    /// not before that of time. Complexity: the moments in it.
    [[nodiscard]] std::int64_t most_taken(const Period& period) const;

    /// Nodes without owners in the period, if there are so many; else nothing. Requires: follow().
    /// Complexity: linear in the owners then, and their nodes.
    [[nodiscard]] std::optional<NodeSet> untouched(const Period& period, std::int64_t wanted);

  private:
    struct Moment {
        Instant at;
        std::int64_t taken = 0;  ///< nodes, until the next one
    };
    using Run = Interval<std::uint32_t>;
    using Runs = absl::InlinedVector<Run, 4>;
    static constexpr std::size_t ahead = 8;  ///< rows that are fetched before they are looked at
    static constexpr std::size_t changes_max = 1024;  ///< that are entered one by one

    /// What an owner has, if anything.
    struct Taken {
        Runs nodes;
        Period period;
        std::int64_t whole = 0;  ///< of the nodes
    };

    /// The last moment that is not behind `at`. Requires: `at` is not before 0.
    [[nodiscard]] std::vector<Moment>::const_iterator at_or_before(Instant at) const;
    void mark(const Run& run);
    /// The first node from `node` on that is marked, where `flip` is all ones, or not marked, where
    /// it is 0; node_count_ when there is none.
    [[nodiscard]] std::uint32_t next(std::uint32_t node, std::uint64_t flip) const;

    /// Enters all owners at once: what changes at which moment is sorted and added up.
    void start_anew(const Timeline& timeline);
    /// Makes moments_, which hold what changes at them, those that hold how many are taken.
    void add_up();
    [[nodiscard]] static Taken what_has(const Timeline& timeline, OwnerId owner,
                                        const Period& period);
    void add(const Timeline& timeline, OwnerId owner);
    void remove(OwnerId owner);
    void count(const Taken& taken, std::int64_t nodes);
    /// The position of a moment, which is entered where it is new.
    [[nodiscard]] std::size_t place_of(Instant at);
    /// Drops the moments at which the number stays as it is.
    void forget_moments();

    JournalPosition followed_;
    std::uint32_t node_count_ = 0;
    std::vector<Moment> moments_{{}};  ///< rising, the first one is 0
    std::unordered_map<OwnerId, Taken> taken_;
    PeriodIndex<std::span<const Run>> rows_;  ///< the nodes in taken_, where they stay
    std::vector<std::uint64_t> words_;        ///< of untouched(), a bit for each node
};

}  // namespace trestle::detail
