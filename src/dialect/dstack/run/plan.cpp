// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/plan.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "candidates.hpp"
#include "trestle/alloc/blocks/owners.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::dstack {
namespace {

/// How a fleet would take the run.
struct Proposal {
    std::vector<ReuseCandidate> reused;
    std::vector<NewCandidate> made;  ///< the same one several times
    std::optional<Microdollars> offer_price;

    /// Less is better.
    [[nodiscard]] auto key() const {
        std::vector<std::size_t> positions;
        for (const ReuseCandidate& one : reused) positions.push_back(one.instance);
        for (const NewCandidate& one : made) positions.push_back(one.offer);
        return std::tuple(made.size(), reuse_price().value_or(Microdollars::max()),
                          offer_price.value_or(Microdollars::max()), std::move(positions));
    }
    [[nodiscard]] std::optional<Microdollars> reuse_price() const {
        if (reused.empty()) return std::nullopt;
        Microdollars sum;
        for (const ReuseCandidate& one : reused) {
            sum = checked_add(sum, one.price).value_or(Microdollars::max());
        }
        return sum;
    }
};

/// The instances, offers and fleets that are decided about.
struct World {
    std::span<const FleetConfiguration> fleets;
    std::span<const Instance> instances;
    std::span<const Offer> offers;
};

/// The best nodes of the fleet in the place of `where`, which is that of a candidate.
[[nodiscard]] std::optional<Proposal> propose_at(const World& world, const FleetCandidates& all,
                                                 std::size_t nodes, const Offer& where) {
    Proposal proposal;
    for (const ReuseCandidate& one : all.reusable) {
        if (proposal.reused.size() == nodes) break;
        if (is_same_place(world.instances[one.instance].offer, where)) {
            proposal.reused.push_back(one);
        }
    }
    const auto first = std::find_if(
        all.creatable.begin(), all.creatable.end(),
        [&](const NewCandidate& one) { return is_same_place(world.offers[one.offer], where); });
    if (first != all.creatable.end()) proposal.offer_price = first->price;
    const std::size_t missing = nodes - proposal.reused.size();
    if (missing == 0) return proposal;
    if (missing > all.room || first == all.creatable.end()) return std::nullopt;
    proposal.made.assign(missing, *first);
    return proposal;
}

/// The best nodes of the fleet, or nothing.
[[nodiscard]] std::optional<Proposal> propose(const World& world, const FleetCandidates& all,
                                              std::size_t nodes) {
    if (nodes == 1) {
        Proposal proposal;
        if (!all.creatable.empty()) proposal.offer_price = all.creatable[0].price;
        if (!all.reusable.empty()) {
            proposal.reused = {all.reusable[0]};
        } else if (!all.creatable.empty()) {
            proposal.made = {all.creatable[0]};
        } else {
            return std::nullopt;
        }
        return proposal;
    }
    std::optional<Proposal> best;
    std::vector<const Offer*> seen;
    const auto look_at_place = [&](const Offer& where) {
        const bool is_known = std::any_of(
            seen.begin(), seen.end(), [&](const Offer* one) { return is_same_place(*one, where); });
        if (is_known) return;
        seen.push_back(&where);
        auto proposal = propose_at(world, all, nodes, where);
        if (proposal && (!best || proposal->key() < best->key())) best = std::move(proposal);
    };
    for (const ReuseCandidate& one : all.reusable) {
        look_at_place(world.instances[one.instance].offer);
    }
    for (const NewCandidate& one : all.creatable) look_at_place(world.offers[one.offer]);
    return best;
}

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

[[nodiscard]] FleetAnswer answer_of(const FleetConfiguration& fleet, const FleetCandidates& all,
                                    const std::optional<Proposal>& proposal, std::size_t nodes) {
    FleetAnswer answer;
    answer.fleet = fleet.name;
    answer.has_capacity = proposal.has_value();
    if (!proposal || !proposal->made.empty()) {
        answer.reuse = all.reuse;
        if (!all.reusable.empty()) {
            answer.reuse = {Constraint::nodes,
                            fmt::format("{} instances could be reused, asked {} in one backend and "
                                        "region",
                                        all.reusable.size(), nodes)};
        }
    }
    if (all.creatable.empty()) {
        answer.creation = all.creation;
    } else if (!proposal) {
        answer.creation = {Constraint::nodes,
                           fmt::format("{} more instances may be made, asked {} in one backend and "
                                       "region",
                                       all.room, nodes)};
    }
    if (proposal) {
        answer.reuse_price = proposal->reuse_price();
        answer.offer_price = proposal->offer_price;
    }
    return answer;
}

/// The lowest `fleet-n` that nobody is called.
[[nodiscard]] std::string new_name(const std::string& fleet, std::set<std::string>& names) {
    for (std::uint64_t n = 0;; ++n) {
        std::string name = fmt::format("{}-{}", fleet, n);
        if (names.insert(name).second) return name;
    }
}

void fill(RunPlan& plan, const World& world, const FleetConfiguration& fleet,
          const RunConfiguration& run, const Proposal& proposal) {
    plan.fleet = fleet.name;
    for (const ReuseCandidate& one : proposal.reused) {
        const Instance& instance = world.instances[one.instance];
        plan.nodes.push_back({share_of(instance, one.blocks), std::nullopt, one.price});
    }
    std::set<std::string> names;
    for (const Instance& instance : world.instances) names.insert(instance.name);
    for (const NewCandidate& one : proposal.made) {
        Instance instance;
        instance.name = new_name(fleet.name, names);
        instance.fleet = fleet.name;
        instance.offer = cut_offer(fleet, world.offers[one.offer]);
        instance.availability_zones = common_zones(fleet.profile, run.profile);
        instance.reservation = common_reservation(fleet.profile, run.profile);
        instance.state = InstanceState::provisioning;
        instance.blocks = HostBlocks::unseen(one.blocks);
        const auto taken = BlockSet::range({0, static_cast<std::uint32_t>(one.taken.value())});
        plan.nodes.push_back({share_of(instance, taken), one.offer, one.price});
        plan.created.push_back(std::move(instance));
    }
}

[[nodiscard]] Status check_world(const World& world, const RunConfiguration& run, OwnerId owner) {
    if (run.nodes.is_zero()) return invalid_argument("nodes: 0, expected 1 or more");
    std::set<std::string_view> names;
    for (const FleetConfiguration& fleet : world.fleets) {
        if (fleet.name.empty()) return invalid_argument("fleet: it has no name");
        if (!names.insert(fleet.name).second) {
            return invalid_argument("fleet {}: two have this name", fleet.name);
        }
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

[[nodiscard]] std::vector<Instance>::iterator find_instance(std::vector<Instance>& instances,
                                                            std::string_view name) {
    return std::find_if(instances.begin(), instances.end(),
                        [&](const Instance& one) { return one.name == name; });
}

}  // namespace

StatusOr<RunPlan> plan_run(std::span<const FleetConfiguration> fleets,
                           std::span<const Instance> instances, std::span<const Offer> offers,
                           const RunConfiguration& run, OwnerId owner) {
    const World world{fleets, instances, offers};
    TRESTLE_TRY_STATUS(check_world(world, run, owner));
    const RunDemand demand = demand_of(run);
    TRESTLE_TRY_STATUS(with_context("resources", check(demand.request)));
    RunPlan plan;
    plan.owner = owner;
    std::optional<Proposal> best;
    const FleetConfiguration* chosen = nullptr;
    const auto rank = [](const Proposal& one) {
        return std::tuple(!one.made.empty(), one.reuse_price().value_or(Microdollars::max()),
                          one.offer_price.value_or(Microdollars::max()));
    };
    for (const FleetConfiguration& fleet : fleets) {
        if (const auto no = refuse_fleet(fleet, run)) {
            plan.fleets.push_back({fleet.name, false, no, no, {}, {}});
            continue;
        }
        const FleetCandidates all = candidates_of(fleet, instances, offers, demand);
        auto proposal = propose(world, all, demand.nodes());
        plan.fleets.push_back(answer_of(fleet, all, proposal, demand.nodes()));
        if (!proposal || (best && rank(*proposal) >= rank(*best))) continue;
        best = std::move(proposal);
        chosen = &fleet;
    }
    for (const std::string& name : run.profile.fleets) {
        const bool is_known =
            std::any_of(fleets.begin(), fleets.end(),
                        [&](const FleetConfiguration& fleet) { return fleet.name == name; });
        if (is_known) continue;
        const Refusal no{Constraint::candidates, fmt::format("there is no fleet {}", name)};
        plan.fleets.push_back({name, false, no, no, {}, {}});
    }
    if (best) fill(plan, world, *chosen, run, *best);
    return plan;
}

StatusOr<std::vector<Instance>> apply_plan(std::vector<Instance> instances, const RunPlan& plan) {
    for (const Instance& created : plan.created) {
        if (find_instance(instances, created.name) != instances.end()) {
            return make_error(StatusCode::kAlreadyExists, "instance {}: there is one already",
                              created.name);
        }
        TRESTLE_TRY_STATUS(check(created));
        instances.push_back(created);
    }
    for (const PlannedNode& node : plan.nodes) {
        const auto at = find_instance(instances, node.share.instance);
        if (at == instances.end()) {
            return not_found("instance {}: it is no longer there", node.share.instance);
        }
        if (!takes_work(*at)) {
            return failed_precondition("instance {}: it no longer takes work", at->name);
        }
        TRESTLE_TRY_STATUS(take_blocks(*at, node.share.blocks, plan.owner));
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
