// SPDX-License-Identifier: Apache-2.0
#pragma once

// FollowedPlan: a copy of a timeline that is changed as the timeline is, so that caches that follow
// the copy go on from call to call.
//
// Layer: alloc (detail). Main type: FollowedPlan. A pass enters into a plan what it starts and
// reserves. A new copy for each pass would be unknown to the finder's caches.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alloc/cluster/states/description.hpp"
#include "alloc/cluster/states/journal.hpp"
#include "alloc/schedule/kept/taken_counts.hpp"
#include "base/cow/cow.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

class FollowedPlan {
  public:
    [[nodiscard]] Timeline& timeline() { return plan_; }

    /// Finds where the plan, without what is reserved in it alone, differs from the timeline. False
    /// when that is not known, or the nodes are others: follow() then makes the plan anew.
    bool find_changes(const Timeline& timeline);
    /// Owners that find_changes() found: what they have is other than before, or has begun.
    [[nodiscard]] std::span<const OwnerId> changed() const { return changed_; }
    /// Makes the plan what the timeline is. False when it was made anew. Requires: find_changes()
    /// came before, and what was reserved is taken out.
    bool follow(const Timeline& timeline);
    /// Time passes, and nothing else. Requires: nothing begins or ends until then.
    [[nodiscard]] Status advance(Instant now);
    /// The next plan is made anew.
    void forget() { is_known_ = false; }

    /// Counts what the owner has in the plan, or is to have.
    void count(const TimedAllocation& one);
    /// The same of so many whole nodes that are not chosen yet. Requires: has_like_nodes().
    void count_nodes(OwnerId owner, const Period& period, std::int64_t nodes);
    /// True when all nodes are alike and take work.
    [[nodiscard]] bool has_like_nodes() const { return has_like_nodes_; }
    /// Stops to count what was counted and is in no timeline.
    void stop_counting(OwnerId owner) { counts_.remove(owner); }
    /// True when so much is taken that a job cannot have this from now on for so long.
    [[nodiscard]] bool lacks(const NodesAndCores& wanted, std::optional<Seconds> duration);

  private:
    [[nodiscard]] bool has_same_classes(const Cluster& cluster,
                                        std::span<const NodeId> nodes) const;
    [[nodiscard]] bool is_same(const Timeline& timeline, OwnerId owner) const;
    /// False when the plan cannot be changed like that.
    [[nodiscard]] bool apply(const Timeline& timeline);
    void start_anew(const Timeline& timeline);

    Timeline plan_;
    bool is_known_ = false;
    Cow<Description> description_;
    JournalPosition followed_;
    JournalPosition nodes_followed_;
    std::vector<OwnerId> started_;  ///< that were entered into the plan since
    std::vector<OwnerId> changed_;
    TakenCounts counts_;
    NodesAndCores all_;  ///< that the cluster has
    bool has_like_nodes_ = false;
};

}  // namespace trestle::detail
