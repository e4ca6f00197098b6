// SPDX-License-Identifier: Apache-2.0
#include "plan_groups.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "trestle/alloc/market/owners.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::dstack {
namespace {

/// Leaves only what lies in the place of `where`.
void keep_place(FleetCandidates& all, const World& world, const Offer& where) {
    std::erase_if(all.reusable, [&](const ReuseCandidate& one) {
        return !is_same_place(world.instances[one.instance].offer, where);
    });
    std::erase_if(all.creatable, [&](const CatalogMatch& one) {
        return !is_same_place(world.place_of(one), where);
    });
    const Refusal elsewhere{Constraint::topology,
                            fmt::format("nothing is left in {} {}, where the other groups are",
                                        where.backend, where.region)};
    if (all.reusable.empty() && all.reuse.reason.empty()) all.reuse = elsewhere;
    if (all.creatable.empty() && all.creation.reason.empty()) all.creation = elsewhere;
}

std::optional<Refusal> of_group(std::optional<Refusal> refusal, const std::string& name) {
    if (refusal) refusal->reason = fmt::format("group {}: {}", name, refusal->reason);
    return refusal;
}

Microdollars sum_of(const std::optional<Microdollars>& a, const std::optional<Microdollars>& b) {
    return checked_add(a.value_or(Microdollars()), b.value_or(Microdollars()))
        .value_or(Microdollars::max());
}

/// All groups in the place, or anywhere without one.
GroupsProposal propose_in(const World& world, const FleetConfiguration& fleet,
                          const GroupDemands& demands, OwnerId owner, const Offer* where) {
    GroupsProposal all;
    all.plan.owner = owner;
    all.answer.fleet = fleet.name;
    std::vector<Instance> instances(world.instances.begin(), world.instances.end());
    for (const RunDemand& demand : demands.demands) {
        const World now{world.fleets, instances, world.catalog};
        FleetCandidates candidates = candidates_of(fleet, instances, world.catalog, demand);
        if (where != nullptr) keep_place(candidates, now, *where);
        const auto proposal = propose(now, candidates, demand.nodes());
        const FleetAnswer answer = answer_of(fleet, candidates, proposal, demand.nodes());
        all.answer.has_capacity = proposal.has_value();
        if (!proposal) {
            all.answer.reuse = of_group(answer.reuse, demand.run.name);
            all.answer.creation = of_group(answer.creation, demand.run.name);
            all.answer.reuse_price.reset();
            all.answer.offer_price.reset();
            return all;
        }
        if (answer.reuse_price) {
            all.answer.reuse_price = sum_of(all.answer.reuse_price, answer.reuse_price);
        }
        if (!all.answer.offer_price) all.answer.offer_price = answer.offer_price;
        if (!all.answer.reuse) all.answer.reuse = of_group(answer.reuse, demand.run.name);
        if (!all.answer.creation) all.answer.creation = of_group(answer.creation, demand.run.name);
        all.created_blocks += blocks_made(now, fleet, *proposal);
        if (all.created_blocks > created_blocks_limit) return all;
        RunPlan step;
        step.owner = owner;
        fill(step, now, fleet, demand, *proposal);
        auto after = apply_plan(std::move(instances), step);
        TRESTLE_EXPECTS(after.ok(), "the blocks that were chosen are free");
        instances = *std::move(after);
        all.plan.fleet = fleet.name;
        std::move(step.nodes.begin(), step.nodes.end(), std::back_inserter(all.plan.nodes));
        std::move(step.created.begin(), step.created.end(), std::back_inserter(all.plan.created));
    }
    return all;
}

/// Each place once in which the first group could be.
std::vector<const Offer*> places_of(const World& world, const FleetCandidates& first) {
    std::vector<const Offer*> places;
    std::set<std::pair<std::string_view, std::string_view>> seen;
    const auto add = [&](const Offer& offer) {
        if (seen.emplace(offer.backend, offer.region).second) places.push_back(&offer);
    };
    for (const ReuseCandidate& one : first.reusable) add(world.instances[one.instance].offer);
    for (const CatalogMatch& one : first.creatable) add(world.place_of(one));
    return places;
}

/// Nodes of all groups together, which a run that was read from a file has in `nodes` too.
[[nodiscard]] Status check_nodes(const RunConfiguration& run) {
    if (run.kind != RunKind::task) return {};
    const Count limit(run_nodes_limit);
    Count nodes;
    for (const RunGroup& group : run.groups) {
        if (group.count.least() > limit || nodes + group.count.least() > limit) {
            return invalid_argument("group {}: expected at most {} nodes of all groups together",
                                    group.name, run_nodes_limit);
        }
        nodes += group.count.least();
    }
    return {};
}

}  // namespace

StatusOr<GroupDemands> group_demands_of(const RunConfiguration& run, const MatchOptions& options) {
    GroupDemands all;
    TRESTLE_TRY_STATUS(check_nodes(run));
    all.is_one_place = run.nodes > Count(1);
    for (const RunGroup& group : run.groups) {
        const std::string where = "group " + group.name;
        if (group.count.max && group.count.max->is_zero()) continue;
        if (!group.count.min) return invalid_argument("{}: no least number of nodes", where);
        if (run.kind == RunKind::task && group.count.min->is_zero()) {
            return invalid_argument("{}: 0 nodes, expected 1 or more", where);
        }
        all.runs.push_back(std::make_unique<RunConfiguration>(run_of(run, group)));
        all.runs.back()->name = group.name;  // for reasons
        auto demand = demand_of(*all.runs.back(), run.nodes, options);
        if (!demand.ok()) return with_context(where, demand.status());
        TRESTLE_TRY_STATUS(with_context(where + ": resources", check(demand->request)));
        all.demands.push_back(*std::move(demand));
    }
    if (all.demands.empty()) return invalid_argument("groups: no group has any node or replica");
    return all;
}

std::tuple<std::size_t, Microdollars, Microdollars> GroupsProposal::key() const {
    return {plan.created.size(), answer.reuse_price.value_or(Microdollars::max()),
            answer.offer_price.value_or(Microdollars::max())};
}

GroupsProposal propose_groups(const World& world, const FleetConfiguration& fleet,
                              const GroupDemands& demands, OwnerId owner) {
    if (!demands.is_one_place) return propose_in(world, fleet, demands, owner, nullptr);
    const FleetCandidates first =
        candidates_of(fleet, world.instances, world.catalog, demands.demands.front());
    std::optional<GroupsProposal> best;
    for (const Offer* where : places_of(world, first)) {
        GroupsProposal one = propose_in(world, fleet, demands, owner, where);
        const bool is_better = !best || (one.answer.has_capacity &&
                                         (!best->answer.has_capacity || one.key() < best->key()));
        if (is_better) best = std::move(one);
    }
    if (!best) return propose_in(world, fleet, demands, owner, nullptr);
    return *std::move(best);
}

}  // namespace trestle::dstack
