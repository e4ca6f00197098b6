// SPDX-License-Identifier: Apache-2.0
#pragma once

// FragmentSearch: moves of which each leaves less in fragments, as far as a budget goes.
//
// Layer: alloc (detail). Main types: FragmentMeter, FragmentSearch. An owner's gain is what less
// there is in fragments once place() has put it anew. All gains are worked out once; then the best
// is looked at again, since others have moved, and made when it is still the best.
// A reader would get wrong: gains that were worked out before a move may have grown by it; so only
// when all are worked out anew is it known that there is none left.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/compaction/compaction_plan.hpp"
#include "trestle/alloc/compaction/detail/move_trials.hpp"
#include "trestle/alloc/place/scores.hpp"

namespace trestle::detail {

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
        : trials_(trials), movers_(movers), meter_(trials.cluster(), options) {
        for (std::size_t i = 0; i < movers.size(); ++i) offers_.emplace(Key{unknown, i}, Offer());
    }

    [[nodiscard]] FragmentationPlan run() {
        FragmentationPlan plan;
        plan.before = meter_.of(trials_.cluster());
        plan.after = plan.before;
        const auto max = trials_.rules().moves_max;
        while (!max || static_cast<std::int64_t>(plan.moves.size()) < max->value()) {
            const auto best = find_best();
            if (best == offers_.end()) {
                plan.is_settled = !trials_.is_over();
                break;
            }
            const Mover& mover = movers_[best->first.second];
            trials_.make(mover, *best->second.to);
            plan.moves.push_back({mover.owner(), mover.held.placement, *best->second.to});
            plan.after += best->first.first;
            offers_.erase(best);
            ++round_;
        }
        return plan;
    }

  private:
    /// What a move would add to the fragments, so that the best is first; then who makes it.
    using Key = std::pair<std::int64_t, std::size_t>;
    struct Offer {
        std::uint64_t round = 0;      ///< in which it was worked out; 0: in none
        std::optional<Placement> to;  ///< absent: nowhere
    };
    using Offers = std::map<Key, Offer>;

    static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::min();

    /// The best move there is; none when none lowers the fragments, or the budget ended before any
    /// was found that does.
    [[nodiscard]] Offers::iterator find_best() {
        const auto is_stale = [&](const auto& one) { return one.second.round != round_; };
        const auto lowers = [](const auto& one) { return one.first.first < 0; };
        while (!offers_.empty()) {
            auto at = offers_.begin();
            if (!is_stale(*at) && lowers(*at)) return at;
            if (!is_stale(*at)) at = std::find_if(offers_.begin(), offers_.end(), is_stale);
            if (at == offers_.end()) return at;
            if (work_out(at)) continue;
            at = std::find_if_not(offers_.begin(), offers_.end(), is_stale);
            return at != offers_.end() && lowers(*at) ? at : offers_.end();
        }
        return offers_.end();
    }
    /// Puts the offer where it belongs now; false when there is no budget.
    [[nodiscard]] bool work_out(Offers::iterator at) {
        const std::size_t position = at->first.second;
        const Mover& mover = movers_[position];
        auto to = trials_.destination(mover, nullptr);
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
        offers_.erase(at);
        offers_.emplace(Key{more, position}, Offer{round_, std::move(to)});
        return true;
    }

    MoveTrials& trials_;
    const std::vector<Mover>& movers_;
    FragmentMeter meter_;
    Offers offers_;
    std::uint64_t round_ = 1;
};

}  // namespace trestle::detail
