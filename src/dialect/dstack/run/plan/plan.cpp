// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "../../offers/bare_hints.hpp"
#include "candidates.hpp"
#include "plan_groups.hpp"
#include "proposal.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::dstack {
namespace {

/// Why the run cannot go into the fleet, whatever it has.
[[nodiscard]] std::optional<Refusal> refuse_fleet(const FleetConfiguration& fleet,
                                                  const RunConfiguration& run) {
    const auto& named = run.profile.fleets;
    if (!named.empty() && std::find(named.begin(), named.end(), fleet.name) == named.end()) {
        return Refusal{Constraint::candidates,
                       fmt::format("the run asked fleet {}", fmt::join(named, " or "))};
    }
    if (run.nodes > Count(1) && fleet.placement != FleetPlacement::cluster) {
        return Refusal{Constraint::topology, fmt::format("placement {}, {} nodes need cluster",
                                                         fleet.placement, run.nodes)};
    }
    return std::nullopt;
}

[[nodiscard]] Status check_world(const World& world, const RunConfiguration& run, OwnerId owner) {
    if (run.nodes.is_zero() || Count(run_nodes_limit) < run.nodes) {
        return invalid_argument("nodes: {}, expected 1 to {}", run.nodes, run_nodes_limit);
    }
    std::set<std::string_view> names;
    for (const FleetConfiguration& fleet : world.fleets) {
        if (fleet.name.empty()) return invalid_argument("fleet: it has no name");
        if (!names.insert(fleet.name).second) {
            return invalid_argument("fleet {}: two have this name", fleet.name);
        }
        TRESTLE_TRY_STATUS(with_context("fleet " + fleet.name + ": resources",
                                        check(whole_request(fleet, fleet.profile))));
    }
    names.clear();
    for (const Instance& instance : world.instances) {
        TRESTLE_TRY_STATUS(check(instance));
        if (!names.insert(instance.name).second) {
            return invalid_argument("instance {}: two have this name", instance.name);
        }
        if (!instance.blocks.blocks_of(owner).is_empty()) {
            return failed_precondition("instance {}: owner {} has blocks of it already",
                                       instance.name, owner.value());
        }
    }
    return {};
}

/// Each block of a new instance is a value of its own.
[[nodiscard]] Status check_created(const std::string& fleet, std::int64_t blocks) {
    if (blocks <= created_blocks_limit) return {};
    return invalid_argument("fleet {}: new instances of {} blocks together: expected {} at most",
                            fleet, blocks, created_blocks_limit);
}

/// Answers for fleets that the run names and that are not there.
void add_unknown_fleets(RunPlan& plan, const World& world, const RunConfiguration& run) {
    for (const std::string& name : run.profile.fleets) {
        const bool is_known =
            std::any_of(world.fleets.begin(), world.fleets.end(),
                        [&](const FleetConfiguration& fleet) { return fleet.name == name; });
        if (is_known) continue;
        const Refusal no{Constraint::candidates, fmt::format("there is no fleet {}", name)};
        plan.fleets.push_back({name, false, no, no, {}, {}});
    }
}

/// The plan, without hints.
[[nodiscard]] StatusOr<RunPlan> decide(const World& world, const RunDemand& demand, OwnerId owner) {
    const RunConfiguration& run = demand.run;
    RunPlan plan;
    plan.owner = owner;
    std::optional<Proposal> best;
    const FleetConfiguration* chosen = nullptr;
    for (const FleetConfiguration& fleet : world.fleets) {
        if (const auto no = refuse_fleet(fleet, run)) {
            plan.fleets.push_back({fleet.name, false, no, no, {}, {}});
            continue;
        }
        const FleetCandidates all = candidates_of(fleet, world.instances, world.catalog, demand);
        auto proposal = propose(world, all, demand.nodes());
        plan.fleets.push_back(answer_of(fleet, all, proposal, demand.nodes()));
        if (!proposal || (best && proposal->key() >= best->key())) continue;
        best = std::move(proposal);
        chosen = &fleet;
    }
    add_unknown_fleets(plan, world, run);
    if (!best) return plan;
    TRESTLE_TRY_STATUS(check_created(chosen->name, blocks_made(world, *chosen, *best)));
    fill(plan, world, *chosen, demand, *best);
    return plan;
}

/// The same of a run with groups.
[[nodiscard]] StatusOr<RunPlan> decide_groups(const World& world, const RunConfiguration& run,
                                              OwnerId owner, const MatchOptions& options) {
    TRESTLE_TRY(const GroupDemands demands, group_demands_of(run, options));
    RunPlan plan;
    plan.owner = owner;
    std::optional<GroupsProposal> best;
    for (const FleetConfiguration& fleet : world.fleets) {
        if (const auto no = refuse_fleet(fleet, run)) {
            plan.fleets.push_back({fleet.name, false, no, no, {}, {}});
            continue;
        }
        GroupsProposal proposal = propose_groups(world, fleet, demands, owner);
        plan.fleets.push_back(proposal.answer);
        if (!proposal.answer.has_capacity) continue;
        if (best && proposal.key() >= best->key()) continue;
        best = std::move(proposal);
    }
    add_unknown_fleets(plan, world, run);
    if (!best) return plan;
    TRESTLE_TRY_STATUS(check_created(best->answer.fleet, best->created_blocks));
    plan.fleet = best->answer.fleet;
    plan.nodes = std::move(best->plan.nodes);
    plan.created = std::move(best->plan.created);
    return plan;
}

}  // namespace

StatusOr<RunPlan> plan_run(std::span<const FleetConfiguration> fleets,
                           std::span<const Instance> instances, const Catalog& catalog,
                           const RunConfiguration& run, OwnerId owner,
                           const MatchOptions& options) {
    const World world{fleets, instances, catalog};
    TRESTLE_TRY_STATUS(check_world(world, run, owner));
    if (!run.groups.empty()) return decide_groups(world, run, owner, options);
    TRESTLE_TRY(const RunDemand demand, demand_of(run, run.nodes, options));
    TRESTLE_TRY_STATUS(with_context("resources", check(demand.request)));
    TRESTLE_TRY(RunPlan plan, decide(world, demand, owner));
    if (plan.has_capacity()) return plan;
    BareHints found = find_bare_hints(run.resources, [&](const Resources& changed) {
        RunConfiguration other = run;
        other.resources = changed;
        const auto asked = demand_of(other, other.nodes, options);
        if (!asked.ok()) return false;
        const auto changed_plan = decide(world, *asked, owner);
        return changed_plan.ok() && changed_plan->has_capacity();
    });
    plan.hints = std::move(found.hints);
    plan.is_together = found.is_together;
    return plan;
}

StatusOr<std::vector<Instance>> apply_plan(std::vector<Instance> instances, const RunPlan& plan) {
    std::map<std::string, std::size_t> positions;
    for (std::size_t i = 0; i < instances.size(); ++i) positions.emplace(instances[i].name, i);
    for (const Instance& created : plan.created) {
        if (!positions.emplace(created.name, instances.size()).second) {
            return make_error(StatusCode::kAlreadyExists, "instance {}: there is one already",
                              created.name);
        }
        TRESTLE_TRY_STATUS(check(created));
        instances.push_back(created);
    }
    for (const PlannedNode& node : plan.nodes) {
        const auto at = positions.find(node.share.instance);
        if (at == positions.end()) {
            return not_found("instance {}: it is no longer there", node.share.instance);
        }
        Instance& instance = instances[at->second];
        if (!takes_work(instance)) {
            return failed_precondition("instance {}: it no longer takes work", instance.name);
        }
        TRESTLE_TRY_STATUS(check(instance));
        TRESTLE_TRY_STATUS(take_blocks(instance, node.share.blocks, plan.owner));
    }
    return instances;
}

StatusOr<std::vector<Instance>> release_run(std::vector<Instance> instances, OwnerId owner) {
    bool has_any = false;
    for (Instance& instance : instances) {
        const BlockSet blocks = instance.blocks.blocks_of(owner);
        if (blocks.is_empty()) continue;
        has_any = true;
        TRESTLE_TRY_STATUS(give_back_blocks(instance, blocks, owner));
    }
    if (!has_any) return not_found("owner {} has no block", owner.value());
    return instances;
}

}  // namespace trestle::dstack
