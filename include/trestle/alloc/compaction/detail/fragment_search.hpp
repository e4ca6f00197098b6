// SPDX-License-Identifier: Apache-2.0
#pragma once

// FragmentSearch: moves of which each leaves less in fragments, as far as a budget goes.
//
// Layer: alloc (detail). Main types: FragmentMeter, FragmentSearch; check_typical_jobs. An owner's
// gain is what less there is in fragments once place() has put it anew. All gains are worked out
// once; then the best is looked at again, since others have moved, and made when it is still the
// best. A reader would get wrong: gains that were worked out before a move may have grown by it; so
// only when all are worked out anew is it known that there is none left.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "trestle/alloc/compaction/compaction_plan.hpp"
#include "trestle/alloc/compaction/detail/move_trials.hpp"
#include "trestle/alloc/place/policy.hpp"
#include "trestle/alloc/place/scores.hpp"
#include "trestle/base/status.hpp"

namespace trestle::detail {

/// Errors: InvalidArgument when none of the jobs has been seen, or one wants more devices than can
/// be counted, naming it.
[[nodiscard]] inline Status check_typical_jobs(const std::vector<TypicalJob>& jobs) {
    bool is_any_seen = false;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (!checked_mul(jobs[i].devices, jobs[i].thousandths.value())) {
            return invalid_argument("typical job {} wants {} times {} thousandths of a device", i,
                                    jobs[i].devices, jobs[i].thousandths);
        }
        is_any_seen |= !jobs[i].seen.is_zero();
    }
    if (is_any_seen) return Status();
    return invalid_argument("fragments are measured by typical jobs, the options name none");
}

/// Fragments of nodes in whole numbers, so that the order of sums does not matter.
class FragmentMeter {
  public:
    FragmentMeter(const Cluster& cluster, const PolicyOptions& options)
        : scorer_(cluster, options_of(options), {}) {}

    /// Millionths of a device. Requires: the cluster has the description that the meter is of.
    [[nodiscard]] std::int64_t of(const Cluster& cluster, const NodeStateData& state) const {
        if (!is_usable(cluster.classes()[state.node_class])) return 0;
        return std::llround(1000 * scorer_.before(state).value);
    }
    [[nodiscard]] std::int64_t of(const Cluster& cluster) const {
        std::int64_t sum = 0;
        cluster.states().for_each([&](StateId id) {
            sum += cluster.states().nodes_in(id) * of(cluster, *cluster.states()[id]);
        });
        return sum;
    }
    /// Of the nodes that a move changes.
    [[nodiscard]] std::int64_t of(const Cluster& cluster, const NodeSet& nodes) const {
        std::int64_t sum = 0;
        for (const NodeId node : nodes) sum += of(cluster, cluster.state(node));
        return sum;
    }

  private:
    [[nodiscard]] static PlaceOptions options_of(const PolicyOptions& policy) {
        PlaceOptions options;
        options.policy = Policy::fgd;
        options.policy_options = policy;
        return options;
    }

    Scorer scorer_;
};

class FragmentSearch {
  public:
    FragmentSearch(MoveTrials& trials, const std::vector<Mover>& movers,
                   const PolicyOptions& options)
        : trials_(trials),
          movers_(movers),
          meter_(trials.cluster(), options),
          destinations_(movers.size()) {
        for (std::size_t i = 0; i < movers.size(); ++i) old_.insert({unknown, i});
    }

    [[nodiscard]] FragmentationPlan run() {
        FragmentationPlan plan;
        plan.before = meter_.of(trials_.cluster());
        plan.after = plan.before;
        const auto max = trials_.rules().moves_max;
        while (!max || static_cast<std::int64_t>(plan.moves.size()) < max->value()) {
            const std::optional<Offer> best = find_best();
            if (!best) {
                plan.is_settled = trials_.is_sure();
                break;
            }
            const Mover& mover = movers_[best->second];
            const Placement& to = *destinations_[best->second];
            trials_.make(mover, to);
            plan.moves.push_back({mover.owner(), mover.held.placement, to});
            plan.after += best->first;
            new_.erase(*best);
            old_.merge(new_);
        }
        return plan;
    }

  private:
    /// What a move would add to the fragments, so that the best is first; then who makes it.
    using Offer = std::pair<std::int64_t, std::size_t>;

    static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::min();

    /// The best move there is, one of the new offers; none when none lowers the fragments, or the
    /// budget ended before any was found that does.
    [[nodiscard]] std::optional<Offer> find_best() {
        const auto lowers = [&] { return !new_.empty() && new_.begin()->first < 0; };
        const auto is_first = [&] { return old_.empty() || *new_.begin() < *old_.begin(); };
        while (!(lowers() && is_first())) {
            if (old_.empty() || !work_out(*old_.begin())) break;
        }
        return lowers() ? std::optional(*new_.begin()) : std::nullopt;
    }
    /// Puts an old offer where it belongs now; false when there is no budget.
    [[nodiscard]] bool work_out(Offer old) {
        const Mover& mover = movers_[old.second];
        auto to = trials_.destination(mover, nullptr).to;
        if (trials_.is_over()) return false;
        std::int64_t more = 0;
        if (to) {
            NodeSet changed;
            for (const NodePlacement& part : mover.held.placement.nodes) changed.insert(part.node);
            for (const NodePlacement& part : to->nodes) changed.insert(part.node);
            more -= meter_.of(trials_.cluster(), changed);
            const Trial trial = trials_.cluster().trial();
            trials_.make(mover, *to);
            more += meter_.of(trials_.cluster(), changed);
        }
        old_.erase(old);
        new_.insert({more, old.second});
        destinations_[old.second] = std::move(to);
        return true;
    }

    MoveTrials& trials_;
    const std::vector<Mover>& movers_;
    FragmentMeter meter_;
    std::set<Offer> new_;                                 ///< worked out since the last move
    std::set<Offer> old_;                                 ///< before, or not at all
    std::vector<std::optional<Placement>> destinations_;  ///< by mover; absent: nowhere
};

}  // namespace trestle::detail
