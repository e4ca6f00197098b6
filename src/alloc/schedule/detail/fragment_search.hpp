// SPDX-License-Identifier: Apache-2.0
#pragma once

// FragmentSearch: moves of which each leaves less in fragments, as far as a budget goes.
//
// Layer: alloc (detail). Main types: FragmentMeter, FragmentSearch; check_typical_jobs. An owner's
// gain is what less there is in fragments once place() has put it anew. All gains are worked out
// once; then the best is looked at again, since others have moved, and made when it is still the
// best.
// Pitfall: gains that were worked out before a move may have grown by it; so only when all are
// worked out anew is it known that there is none left.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "alloc/cluster/place/scores.hpp"
#include "alloc/schedule/detail/move_trials.hpp"
#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/alloc/schedule/compaction_plan.hpp"

namespace trestle::detail {

/// Errors: InvalidArgument when none of the jobs has been seen, or one wants more devices than can
/// be counted, naming it.
[[nodiscard]] Status check_typical_jobs(const std::vector<PolicyOptions::TypicalJob>& jobs);

/// Fragments of nodes in whole numbers, so that the order of sums does not matter.
class FragmentMeter {
  public:
    FragmentMeter(const Cluster& cluster, const PolicyOptions& options)
        : scorer_(cluster, options_of(options), {}) {}

    /// Millionths of a device. Requires: the cluster has the description that the meter is of.
    [[nodiscard]] std::int64_t of(const Cluster& cluster, const NodeStateData& state) const;
    [[nodiscard]] std::int64_t of(const Cluster& cluster) const;
    /// Of the nodes that a move changes.
    [[nodiscard]] std::int64_t of(const Cluster& cluster, const NodeSet& nodes) const;

  private:
    [[nodiscard]] static PlaceOptions options_of(const PolicyOptions& policy);

    Scorer scorer_;
};

class FragmentSearch {
  public:
    FragmentSearch(MoveTrials& trials, const std::vector<Mover>& movers,
                   const PolicyOptions& options);

    [[nodiscard]] FragmentationPlan run();

  private:
    /// What a move would add to the fragments, so that the best is first; then its owner.
    using Offer = std::pair<std::int64_t, std::size_t>;

    static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::min();

    /// The best move there is, one of the new offers; none when none lowers the fragments, or the
    /// budget ended before any was found that does.
    [[nodiscard]] std::optional<Offer> find_best();
    /// Puts an old offer where it belongs now; false when there is no budget.
    [[nodiscard]] bool work_out(Offer old);

    MoveTrials& trials_;
    const std::vector<Mover>& movers_;
    FragmentMeter meter_;
    std::set<Offer> new_;                                 ///< worked out since the last move
    std::set<Offer> old_;                                 ///< before, or not at all
    std::vector<std::optional<Placement>> destinations_;  ///< by mover; absent: nowhere
};

}  // namespace trestle::detail
