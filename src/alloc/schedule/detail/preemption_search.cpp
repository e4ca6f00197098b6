// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/preemption_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/monotone.hpp"
#include "alloc/cluster/place/detail/request_cache.hpp"
#include "alloc/schedule/detail/node_by_node.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

PreemptionSearch::PreemptionSearch(const Cluster& cluster, const PreparedRequest& request,
                                   std::span<const PreemptionPlan::Victim> victims,
                                   std::span<const Allocation* const> held,
                                   const PreemptionRules& rules, const PlaceOptions& options,
                                   const NodeFilter& filter)
    : cluster_(cluster),
      request_(request),
      held_(held),
      placer_(options),
      rules_(rules),
      filter_(filter),
      nodes_(cluster, *request, victims, held, rules, filter_),
      question_{victims, EndLimits(rules),
                is_monotone(cluster, *request) && !options.policy.may_refuse()},
      trials_(rules.trials_max) {
    for (const Request& one : nodes_.groups()) {
        nodes_asked_ += static_cast<std::uint64_t>(one.nodes.least().value());
    }
}

Verdict<PreemptionPlan> PreemptionSearch::run() {
    if (auto placement = placer_.place(cluster_, request_, filter_)) {
        return PreemptionPlan{{}, 0, {}, *std::move(placement), true};
    }
    const auto some = empty_nodes();
    if (!some && question_.is_monotone && is_sure_) return *refusal_;
    if (some) offer(EndedSet(question_.victims, *some));
    if (!node_by_node()) set_by_set(some);
    return result();
}

Verdict<Placement> PreemptionSearch::place_without(const Positions& ended) {
    const Cluster::Trial trial = cluster_.trial();
    for (const std::size_t one : ended) {
        static_cast<void>(cluster_.release(question_.victims[one].owner));
    }
    return placer_.place(cluster_, request_, filter_);
}

TrialAnswer PreemptionSearch::ask(const Positions& ended) {
    const auto found = place_without(ended);
    was_enough_ |= found.has_value();
    if (found) return TrialAnswer::yes;
    refusal_ = found.refusal();
    if (refusal_->constraint != Constraint::gave_up) return TrialAnswer::no;
    is_sure_ = false;
    return TrialAnswer::unknown;
}

void PreemptionSearch::offer(EndedSet found) {
    if (!question_.limits.allow(found) || (best_ && !comes_before(found, *best_))) return;
    best_ = std::move(found);
}

std::optional<Positions> PreemptionSearch::empty_nodes() {
    const std::vector<VictimNode>& nodes = nodes_.nodes();
    const auto of_first = [&](std::size_t count) {
        Positions ended = nodes_.of_counts();
        for (std::size_t i = 0; i < count; ++i) {
            const std::span<const std::size_t> here = nodes[i].positions;
            ended.insert(ended.end(), here.begin(), here.end());
        }
        std::sort(ended.begin(), ended.end());
        ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
        return ended;
    };
    std::size_t low = 0;  // so many are not enough, but for 0
    std::size_t high = std::min<std::size_t>(1, nodes.size());
    while (ask(of_first(high)) != TrialAnswer::yes) {
        if (high == nodes.size()) return std::nullopt;
        low = high;
        high = std::min(2 * high, nodes.size());
    }
    while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        (ask(of_first(middle)) == TrialAnswer::yes ? high : low) = middle;
    }
    return those_in_the_way(of_first(high));
}

Positions PreemptionSearch::those_in_the_way(Positions ended) {
    const Placement placement = *place_without(ended);
    NodeSet taken;
    for (const NodePlacement& part : placement.nodes) taken.insert(part.node);
    Positions fewer = nodes_.of_counts();
    std::copy_if(ended.begin(), ended.end(), std::back_inserter(fewer), [&](std::size_t position) {
        const auto& had = held_[position]->placement.nodes;
        return std::any_of(had.begin(), had.end(),
                           [&](const NodePlacement& part) { return taken.contains(part.node); });
    });
    std::sort(fewer.begin(), fewer.end());
    fewer.erase(std::unique(fewer.begin(), fewer.end()), fewer.end());
    return ask(fewer) == TrialAnswer::yes ? fewer : ended;
}

bool PreemptionSearch::node_by_node() {
    for (const Shared<Request>& variant : request_.variants()) {
        NodeByNode search(cluster_, variant, placer_.options(), filter_, nodes_, question_,
                          trials_);
        if (!search.is_all_that_is_asked()) return false;
        auto ended = search.run(best_);
        is_sure_ &= !search.has_given_up();
        if (!ended) continue;
        const TrialAnswer answer = ask(ended->positions);
        if (ended->positions.size() > question_.limits.victims_max) return false;
        if (answer == TrialAnswer::yes) {
            offer(*std::move(ended));
        } else {
            is_sure_ = false;
        }
    }
    return true;
}

void PreemptionSearch::set_by_set(const std::optional<Positions>& some) {
    const auto try_these = [&](const Positions& ended) { return try_ends(ended); };
    if (some) {
        Positions ended = *some;
        sort_by_cost(ended, question_.victims);
        leave_out(ended, question_.victims, trials_, try_these,
                  [](const EndedSet&) { return false; });
        offer(EndedSet(question_.victims, std::move(ended)));
    }
    Positions candidates = nodes_.candidates();
    sort_by_cost(candidates, question_.victims);
    for (const std::size_t one : candidates) {
        EndedSet alone(question_.victims, {one});
        const bool is_of_use = question_.limits.allow(alone) &&
                               (!best_ || comes_before(alone, *best_)) && !trials_.is_over();
        if (!is_of_use) break;
        if (try_ends(alone.positions) == TrialAnswer::yes) offer(std::move(alone));
    }
    SetSearch search(question_, trials_, try_these);
    if (auto found = search.run(std::move(candidates), best_, some.has_value())) {
        best_ = std::move(found);
    }
}

Verdict<PreemptionPlan> PreemptionSearch::result() {
    const bool is_settled = is_sure_ && !trials_.is_over();
    if (!best_) return no_plan(is_settled);
    PreemptionPlan plan;
    plan.cost = best_->cost;
    for (const std::size_t one : best_->positions) {
        plan.victims.push_back(question_.victims[one]);
        plan.grace = std::max(plan.grace, plan.victims.back().grace);
    }
    plan.placement = *place_without(best_->positions);
    plan.is_cheapest = is_settled;
    return plan;
}

Refusal PreemptionSearch::no_plan(bool is_settled) {
    if (!is_settled) {
        return {Constraint::gave_up,
                fmt::format("no victims that the rules allow within {} trials", rules_.trials_max)};
    }
    if (!was_enough_) return place_without(nodes_.candidates()).refusal();
    std::string allowed;
    if (rules_.victims_max) allowed += fmt::format(" {} victims", *rules_.victims_max);
    if (rules_.cost_max)
        allowed += fmt::format("{} a cost of {}", allowed.empty() ? "" : " and", *rules_.cost_max);
    return {Constraint::none,
            fmt::format("the end of some is enough, but not of{} at most", allowed)};
}

}  // namespace detail

}  // namespace trestle
