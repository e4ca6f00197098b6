// SPDX-License-Identifier: Apache-2.0
#pragma once

// CompactionSearch: the fewest moves after which a request fits, as far as a budget goes.
//
// Layer: alloc (detail). Main type: CompactionSearch. First a plan is made quickly: nodes are
// emptied, those with the fewest movers first, whoever may stay does, and the others go where
// place() likes, away from the nodes that the request gets. Then everything that fewer moves could
// do is gone through, one move, two, and so on: sets of owners without whom the request fits, for
// each set all orders and destinations. For a request of one node such a set holds what makes one
// node fit, and perhaps others who make room for those.
// A reader would get wrong: that a set is enough to be away says nothing about where to; but of
// owners without whom the request does not fit no moves help, since more free never turns a yes
// into a no. Where it may, see is_monotone(), all sets of owners are gone through to the end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "trestle/alloc/compaction/compaction_plan.hpp"
#include "trestle/alloc/compaction/detail/first_plan.hpp"
#include "trestle/alloc/compaction/detail/move_trials.hpp"
#include "trestle/alloc/compaction/detail/mover_groups.hpp"
#include "trestle/alloc/compaction/detail/node_sets.hpp"
#include "trestle/alloc/place/detail/monotone.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

class CompactionSearch {
  public:
    CompactionSearch(MoveTrials& trials, const std::vector<Mover>& movers,
                     const Shared<Request>& request, const NodeFilter& filter)
        : trials_(trials), movers_(movers), request_(request), filter_(filter) {
        is_monotone_ = is_monotone(trials.cluster(), *request);
        are_alike_ = filter.is_empty() && trials.policy() != Policy::random &&
                     !tells_nodes_apart(trials.cluster(), *request);
    }

    /// Requires: the request does not fit now. Nothing when no plan is found; trials.is_sure() says
    /// whether there is none.
    [[nodiscard]] std::optional<CompactionPlan> run() {
        const auto max = trials_.rules().moves_max;
        std::size_t limit = movers_.size();  // moves in a plan
        if (max) limit = std::min(limit, static_cast<std::size_t>(max->value()));
        trials_.set_aside(trials_.left() / 2);
        std::optional<CompactionPlan> plan = FirstPlan(trials_, movers_, request_, filter_).run();
        trials_.bring_back();
        if (plan && plan->moves.size() > limit) plan.reset();
        if (plan) limit = plan->moves.size() - 1;
        if (limit != 0 && is_monotone_) {
            groups_.emplace(trials_, movers_, request_, filter_, are_alike_);
        }
        for (std::size_t k = 1; k <= limit && !trials_.is_over(); ++k) {
            tried_.clear();
            if (find_with(k)) {
                plan = std::move(found_);
                break;
            }
        }
        if (plan) plan->is_smallest = trials_.is_sure();
        return plan;
    }

  private:
    using Movers = MoverGroups::Movers;

    /// A plan of k moves, into found_.
    [[nodiscard]] bool find_with(std::size_t k) {
        Movers away;
        if (!is_monotone_) return add_helpers(away, k);
        for (std::size_t group = 0; group < groups_->count() && !trials_.is_over(); ++group) {
            if (!groups_->is_of_use(group, k)) continue;
            away = groups_->needed(group);
            was_enough_ = false;
            if (grow({groups_->others(group), groups_->none_up_to(group), k}, 0, away)) return true;
            if (!was_enough_) groups_->rule_out(group, k);
        }
        return false;
    }
    /// Owners who may be added to those who have to go.
    struct Growth {
        Movers others;
        std::size_t none_up_to = 0;  ///< so many are not enough
        std::size_t k = 0;
    };
    /// Sets of k with `away` and others from `first` on.
    [[nodiscard]] bool grow(const Growth& growth, std::size_t first, Movers& away) {
        if (away.size() > growth.none_up_to && groups_->is_enough(away)) {
            was_enough_ = true;
            return add_helpers(away, growth.k);
        }
        for (std::size_t i = first; i < growth.others.size() && away.size() < growth.k; ++i) {
            if (trials_.is_over()) return false;
            away.push_back(growth.others[i]);
            if (grow(growth, i + 1, away)) return true;
            away.pop_back();
        }
        return false;
    }
    /// Sets of k with `away`, who are enough, and any that only make room.
    [[nodiscard]] bool add_helpers(const Movers& away, std::size_t k) {
        Movers helpers;
        for (const Mover& one : movers_) {
            if (away.size() == k) break;
            if (std::find(away.begin(), away.end(), &one) == away.end()) helpers.push_back(&one);
        }
        Movers set = away;
        return add_helpers(helpers, 0, set, k);
    }
    [[nodiscard]] bool add_helpers(const Movers& helpers, std::size_t first, Movers& set,
                                   std::size_t k) {
        if (set.size() == k) return is_new(set) && rearrange(sorted(set));
        for (std::size_t i = first; i + (k - set.size()) <= helpers.size(); ++i) {
            if (trials_.is_over()) return false;
            set.push_back(helpers[i]);
            if (add_helpers(helpers, i + 1, set, k)) return true;
            set.pop_back();
        }
        return false;
    }
    /// A set counts as a trial, though it may have been tried or have nowhere to go.
    [[nodiscard]] bool is_new(const Movers& set) {
        return trials_.spend(1) && tried_.insert(sorted(set)).second;
    }
    [[nodiscard]] static Movers sorted(Movers movers) {
        std::sort(movers.begin(), movers.end(), has_lower_owner);
        return movers;
    }
    [[nodiscard]] static bool has_lower_owner(const Mover* a, const Mover* b) {
        return a->owner() < b->owner();
    }

    /// Where a mover may be put at all.
    struct Reach {
        WantedNodes wanted;
        NodeSet nodes;
        bool are_alike = false;  ///< those in the same state
    };
    [[nodiscard]] const Reach& reach_of(const Mover& mover) {
        const auto known = reaches_.find(&mover);
        if (known != reaches_.end()) return known->second;
        const Cluster& cluster = trials_.cluster();
        const Request& request = *mover.held.request;
        return reaches_
            .insert({&mover,
                     {WantedNodes(request, cluster.node_count()),
                      nodes_for(cluster, request, trials_.destinations()),
                      !tells_nodes_apart(cluster, request)}})
            .first->second;
    }

    /// All orders and destinations of those who have not moved yet.
    [[nodiscard]] bool rearrange(const Movers& rest) {
        NodeSet unlike;
        bool are_alike = are_alike_;
        for (const Mover* one : rest) {
            for (const NodePlacement& part : one->held.placement.nodes) unlike.insert(part.node);
            are_alike &= reach_of(*one).are_alike;
        }
        for (std::size_t i = 0; i < rest.size() && !trials_.is_over(); ++i) {
            const Mover& mover = *rest[i];
            const Reach& reach = reach_of(mover);
            Movers others = rest;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            DestinationSets sets(trials_.cluster(), reach.wanted, reach.nodes, unlike, are_alike);
            const SetAnswer answer =
                sets.find([&](const NodeSet& nodes) { return move_to(mover, nodes, others); });
            if (answer == SetAnswer::found) return true;
        }
        return false;
    }
    [[nodiscard]] SetAnswer move_to(const Mover& mover, const NodeSet& nodes,
                                    const Movers& others) {
        auto [fits, to] = trials_.destination(mover, &nodes);
        const SetAnswer in_vain = fits ? SetAnswer::fits : SetAnswer::none;
        if (trials_.is_over()) return SetAnswer::stop;
        if (!to) return in_vain;
        const Trial trial = trials_.cluster().trial();
        trials_.make(mover, *to);
        moves_.push_back({mover.owner(), mover.held.placement, *std::move(to)});
        if (others.empty() ? is_plan() : may_be_plan(others) && rearrange(others)) {
            return SetAnswer::found;
        }
        moves_.pop_back();
        return trials_.is_over() ? SetAnswer::stop : in_vain;
    }
    /// True when the request fits behind the moves.
    [[nodiscard]] bool is_plan() {
        auto placement = trials_.place_without({}, request_, filter_);
        if (placement) found_ = CompactionPlan{moves_, *std::move(placement), false};
        return placement.has_value();
    }
    /// False when nothing that the others do makes one.
    [[nodiscard]] bool may_be_plan(const Movers& others) {
        return !is_monotone_ || trials_.place_without(others, request_, filter_).has_value();
    }

    MoveTrials& trials_;
    const std::vector<Mover>& movers_;
    const Shared<Request>& request_;
    const NodeFilter& filter_;
    bool is_monotone_ = false;  ///< who is away does not keep the request out
    bool are_alike_ = false;    ///< nodes in the same state, to the request
    std::optional<MoverGroups> groups_;
    bool was_enough_ = false;  ///< some of the present group were
    std::set<Movers> tried_;   ///< sets of as many owners as are moved now
    std::map<const Mover*, Reach> reaches_;
    std::vector<Move> moves_;  ///< that are made now
    std::optional<CompactionPlan> found_;
};

}  // namespace trestle::detail
