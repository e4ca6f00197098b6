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
// into a no.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "trestle/alloc/compaction/compaction_plan.hpp"
#include "trestle/alloc/compaction/detail/first_plan.hpp"
#include "trestle/alloc/compaction/detail/move_trials.hpp"
#include "trestle/alloc/compaction/detail/node_sets.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

class CompactionSearch {
  public:
    CompactionSearch(MoveTrials& trials, const std::vector<Mover>& movers,
                     const Shared<Request>& request, const NodeFilter& filter)
        : trials_(trials), movers_(movers), request_(request), filter_(filter) {
        are_alike_ =
            filter.is_empty() && trials.policy() != Policy::random && !tells_nodes_apart(*request);
    }

    /// Requires: the request does not fit now. Nothing when no plan is found; trials.is_over() says
    /// whether that is for want of a budget.
    [[nodiscard]] std::optional<CompactionPlan> run() {
        const auto max = trials_.rules().moves_max;
        std::size_t limit = movers_.size();  // moves in a plan
        if (max) limit = std::min(limit, static_cast<std::size_t>(max->value()));
        trials_.set_aside(trials_.left() / 2);
        std::optional<CompactionPlan> plan = FirstPlan(trials_, movers_, request_, filter_).run();
        trials_.bring_back();
        if (plan && plan->moves.size() > limit) plan.reset();
        if (plan) limit = plan->moves.size() - 1;
        find_groups(limit);
        for (std::size_t k = 1; k <= limit && !trials_.is_over(); ++k) {
            tried_.clear();
            if (find_with(k)) {
                plan = std::move(found_);
                break;
            }
        }
        if (plan) plan->is_smallest = !trials_.is_over();
        return plan;
    }

  private:
    using Movers = std::vector<const Mover*>;  ///< by owner

    /// Owners among whom some have to go: those on a node that may take a request of one, or all.
    struct Group {
        Movers needed;  ///< those who have to in any case
        Movers others;
    };

    [[nodiscard]] bool is_enough(const Movers& away) {
        return trials_.place_without(away, request_, filter_).has_value();
    }

    /// Those that can be enough with `limit` moves.
    void find_groups(std::size_t limit) {
        if (limit == 0) return;
        if (!WantedNodes(*request_, trials_.cluster().node_count()).is_one()) {
            Movers all;
            for (const Mover& one : movers_) all.push_back(&one);
            add_group(all, limit);
            return;
        }
        for (const auto& [node, here] : movers_by_node(movers_)) {
            if (filter_.passes(node)) add_group(here, limit);
        }
    }
    void add_group(const Movers& all, std::size_t limit) {
        if (!is_enough(all)) return;
        Group group;
        for (std::size_t i = 0; i < all.size() && group.needed.size() <= limit; ++i) {
            Movers but_one = all;
            but_one.erase(but_one.begin() + static_cast<std::ptrdiff_t>(i));
            (is_enough(but_one) ? group.others : group.needed).push_back(all[i]);
        }
        if (group.needed.size() <= limit) groups_.push_back(std::move(group));
    }

    /// A plan of k moves, into found_.
    [[nodiscard]] bool find_with(std::size_t k) {
        return std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
            if (group.needed.size() > k || trials_.is_over()) return false;
            Movers away = group.needed;
            return grow(group, 0, away, k);
        });
    }
    /// Sets of k with `away` and others of the group from `first` on.
    [[nodiscard]] bool grow(const Group& group, std::size_t first, Movers& away, std::size_t k) {
        if (!away.empty() && is_enough(away)) return add_helpers(0, away, k);
        for (std::size_t i = first; i < group.others.size() && away.size() < k; ++i) {
            if (trials_.is_over()) return false;
            away.push_back(group.others[i]);
            if (grow(group, i + 1, away, k)) return true;
            away.pop_back();
        }
        return false;
    }
    /// Sets of k with `away`, who are enough, and any from `first` on that only make room.
    [[nodiscard]] bool add_helpers(std::size_t first, Movers& away, std::size_t k) {
        if (away.size() == k) {
            Movers sorted = away;
            std::sort(sorted.begin(), sorted.end(), has_lower_owner);
            if (!tried_.insert(sorted).second) return false;
            std::vector<Move> moves;
            return rearrange(sorted, moves);
        }
        for (std::size_t i = first; i < movers_.size(); ++i) {
            if (trials_.is_over()) return false;
            if (std::find(away.begin(), away.end(), &movers_[i]) != away.end()) continue;
            away.push_back(&movers_[i]);
            if (add_helpers(i + 1, away, k)) return true;
            away.pop_back();
        }
        return false;
    }
    [[nodiscard]] static bool has_lower_owner(const Mover* a, const Mover* b) {
        return a->owner() < b->owner();
    }

    /// All orders and destinations of those who have not moved yet.
    [[nodiscard]] bool rearrange(const Movers& rest, std::vector<Move>& moves) {
        NodeSet unlike;
        bool are_alike = are_alike_;
        for (const Mover* one : rest) {
            for (const NodePlacement& part : one->held.placement.nodes) unlike.insert(part.node);
            are_alike &= !tells_nodes_apart(*one->held.request);
        }
        for (std::size_t i = 0; i < rest.size(); ++i) {
            const Mover& mover = *rest[i];
            Movers others = rest;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            const DestinationSets sets(trials_.cluster(), *mover.held.request, trials_.rules(),
                                       unlike, are_alike);
            const bool is_found = sets.find([&](const NodeSet& nodes) {
                return !trials_.is_over() && move_to(mover, nodes, others, moves);
            });
            if (is_found) return true;
        }
        return false;
    }
    [[nodiscard]] bool move_to(const Mover& mover, const NodeSet& nodes, const Movers& others,
                               std::vector<Move>& moves) {
        auto to = trials_.destination(mover, &nodes);
        if (!to) return false;
        const Trial trial = trials_.cluster().trial();
        trials_.make(mover, *to);
        auto placement = trials_.place_without(others, request_, filter_);
        if (!placement) return false;
        moves.push_back({mover.owner(), mover.held.placement, *std::move(to)});
        if (others.empty()) {
            found_ = CompactionPlan{std::move(moves), *std::move(placement), false};
            return true;
        }
        if (rearrange(others, moves)) return true;
        moves.pop_back();
        return false;
    }

    MoveTrials& trials_;
    const std::vector<Mover>& movers_;
    const Shared<Request>& request_;
    const NodeFilter& filter_;
    bool are_alike_ = false;  ///< nodes in the same state, to the request
    std::vector<Group> groups_;
    std::set<Movers> tried_;  ///< sets of as many owners as are moved now
    std::optional<CompactionPlan> found_;
};

}  // namespace trestle::detail
