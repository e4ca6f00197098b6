// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/compaction_search.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/monotone.hpp"

namespace trestle {

namespace detail {

CompactionSearch::CompactionSearch(MoveTrials& trials, const std::vector<Mover>& movers,
                                   const PreparedRequest& request, const NodeFilter& filter)
    : trials_(trials), movers_(movers), request_(request), filter_(filter) {
    is_monotone_ = is_monotone(trials.cluster(), *request) && !trials.policy().may_refuse();
    are_alike_ = filter.is_empty() && trials.policy() != Policy::random &&
                 !tells_nodes_apart(trials.cluster(), *request);
}

std::optional<CompactionPlan> CompactionSearch::run() {
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

bool CompactionSearch::find_with(std::size_t k) {
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

bool CompactionSearch::grow(const Growth& growth, std::size_t first, Movers& away) {
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

bool CompactionSearch::add_helpers(const Movers& away, std::size_t k) {
    Movers helpers;
    for (const Mover& one : movers_) {
        if (away.size() == k) break;
        if (std::find(away.begin(), away.end(), &one) == away.end()) helpers.push_back(&one);
    }
    Movers set = away;
    return add_helpers(helpers, 0, set, k);
}

bool CompactionSearch::add_helpers(const Movers& helpers, std::size_t first, Movers& set,
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

CompactionSearch::Movers CompactionSearch::sorted(Movers movers) {
    std::sort(movers.begin(), movers.end(), has_lower_owner);
    return movers;
}

const CompactionSearch::Reach& CompactionSearch::reach_of(const Mover& mover) {
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

bool CompactionSearch::rearrange(const Movers& rest) {
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

SetAnswer CompactionSearch::move_to(const Mover& mover, const NodeSet& nodes,
                                    const Movers& others) {
    auto [fits, to] = trials_.destination(mover, &nodes);
    const SetAnswer in_vain = fits ? SetAnswer::fits : SetAnswer::none;
    if (trials_.is_over()) return SetAnswer::stop;
    if (!to) return in_vain;
    const Cluster::Trial trial = trials_.cluster().trial();
    trials_.make(mover, *to);
    moves_.push_back({mover.owner(), mover.held.placement, *std::move(to)});
    if (others.empty() ? is_plan() : may_be_plan(others) && rearrange(others)) {
        return SetAnswer::found;
    }
    moves_.pop_back();
    return trials_.is_over() ? SetAnswer::stop : in_vain;
}

bool CompactionSearch::is_plan() {
    auto placement = trials_.place_without({}, request_, filter_);
    if (placement) found_ = CompactionPlan{moves_, *std::move(placement), false};
    return placement.has_value();
}

}  // namespace detail

}  // namespace trestle
