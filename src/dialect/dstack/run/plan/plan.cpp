// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "../offers/bare_hints.hpp"
#include "alloc/market/offers/catalog_columns.hpp"
#include "alloc/market/offers/offer_counts.hpp"
#include "candidates.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::dstack {
namespace {

/// How a fleet would take the run.
struct Proposal {
    std::vector<ReuseCandidate> reused;
    std::vector<CatalogMatch> made;  ///< the same one several times
    std::optional<Microdollars> offer_price;

    /// Less is better.
    [[nodiscard]] auto key() const {
        return std::tuple(made.size(), reuse_price().value_or(Microdollars::max()),
                          offer_price.value_or(Microdollars::max()));
    }
    /// Decides between equals in one fleet.
    [[nodiscard]] std::vector<std::size_t> positions() const {
        std::vector<std::size_t> all;
        for (const ReuseCandidate& one : reused) all.push_back(one.instance);
        for (const CatalogMatch& one : made) all.push_back(one.offer);
        return all;
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

/// The fleets, instances and offers that are decided about.
struct World {
    std::span<const FleetConfiguration> fleets;
    std::span<const Instance> instances;
    const Catalog& catalog;

    [[nodiscard]] const Offer& place_of(const CatalogMatch& one) const {
        return catalog.columns().places[catalog.columns().place[one.offer]];
    }
    [[nodiscard]] Microdollars price_of(const CatalogMatch& one) const {
        return catalog.columns().price[one.offer];
    }
};

/// The first offer of each place, in their order.
[[nodiscard]] std::vector<CatalogMatch> first_of_places(const World& world,
                                                        const FleetCandidates& all) {
    std::vector<CatalogMatch> firsts;
    std::vector<bool> is_seen(world.catalog.columns().places.size());
    for (const CatalogMatch& one : all.creatable) {
        const std::uint32_t place = world.catalog.columns().place[one.offer];
        if (!is_seen[place]) firsts.push_back(one);
        is_seen[place] = true;
    }
    return firsts;
}

/// The best nodes of the fleet in the place of `where`, which is that of a candidate. `offers` are
/// the first of each place.
[[nodiscard]] std::optional<Proposal> propose_at(const World& world, const FleetCandidates& all,
                                                 const std::vector<CatalogMatch>& offers,
                                                 std::size_t nodes, const Offer& where) {
    Proposal proposal;
    for (const ReuseCandidate& one : all.reusable) {
        if (proposal.reused.size() == nodes) break;
        if (is_same_place(world.instances[one.instance].offer, where)) {
            proposal.reused.push_back(one);
        }
    }
    const auto first = std::find_if(offers.begin(), offers.end(), [&](const CatalogMatch& one) {
        return is_same_place(world.place_of(one), where);
    });
    if (first != offers.end()) proposal.offer_price = world.price_of(*first);
    const std::size_t missing = nodes - proposal.reused.size();
    if (missing == 0) return proposal;
    if (missing > all.room || first == offers.end()) return std::nullopt;
    proposal.made.assign(missing, *first);
    return proposal;
}

/// The best nodes of the fleet, or nothing.
[[nodiscard]] std::optional<Proposal> propose(const World& world, const FleetCandidates& all,
                                              std::size_t nodes) {
    if (nodes == 1) {
        Proposal proposal;
        if (!all.creatable.empty()) proposal.offer_price = world.price_of(all.creatable[0]);
        if (!all.reusable.empty()) {
            proposal.reused = {all.reusable[0]};
        } else if (!all.creatable.empty()) {
            proposal.made = {all.creatable[0]};
        } else {
            return std::nullopt;
        }
        return proposal;
    }
    const std::vector<CatalogMatch> offers = first_of_places(world, all);
    std::optional<Proposal> best;
    std::vector<const Offer*> seen;
    const auto look_at_place = [&](const Offer& where) {
        const bool is_known = std::any_of(
            seen.begin(), seen.end(), [&](const Offer* one) { return is_same_place(*one, where); });
        if (is_known) return;
        seen.push_back(&where);
        auto proposal = propose_at(world, all, offers, nodes, where);
        if (!proposal) return;
        const auto key = [](const Proposal& one) { return std::pair(one.key(), one.positions()); };
        if (!best || key(*proposal) < key(*best)) best = std::move(proposal);
    };
    for (const ReuseCandidate& one : all.reusable) {
        look_at_place(world.instances[one.instance].offer);
    }
    for (const CatalogMatch& one : offers) look_at_place(world.place_of(one));
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

/// Names of new instances, lowest first: each `fleet-n` that nobody is called.
class NewNames {
  public:
    NewNames(std::string fleet, std::span<const Instance> instances) : fleet_(std::move(fleet)) {
        for (const Instance& instance : instances) taken_.insert(instance.name);
    }
    [[nodiscard]] std::string next() {
        for (;; ++next_) {
            std::string name = fmt::format("{}-{}", fleet_, next_);
            if (taken_.insert(name).second) return name;
        }
    }

  private:
    std::string fleet_;
    std::set<std::string> taken_;
    std::uint64_t next_ = 0;
};

void fill(RunPlan& plan, const World& world, const FleetConfiguration& fleet,
          const RunDemand& demand, const Proposal& proposal) {
    plan.fleet = fleet.name;
    for (const ReuseCandidate& one : proposal.reused) {
        const Instance& instance = world.instances[one.instance];
        plan.nodes.push_back({share_of(instance, one.blocks), std::nullopt, one.price});
    }
    if (proposal.made.empty()) return;
    NewNames names(fleet.name, world.instances);
    const auto wanted = creation_of(fleet, demand);
    for (const CatalogMatch& one : proposal.made) {
        Instance instance = new_instance(fleet, *wanted, world.catalog[one.offer]);
        instance.name = names.next();
        const auto taken = BlockSet::range({0, one.blocks});
        plan.nodes.push_back({share_of(instance, taken), one.offer, world.price_of(one)});
        plan.created.push_back(std::move(instance));
    }
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
[[nodiscard]] Status check_created(const World& world, const FleetConfiguration& fleet,
                                   const Proposal& proposal) {
    if (proposal.made.empty()) return {};
    const Offer offer = with_blocks(world.catalog[proposal.made[0].offer], fleet.blocks);
    const auto instances = static_cast<std::int64_t>(proposal.made.size());
    if (offer.blocks.value() <= created_blocks_limit / instances) return {};
    return invalid_argument("fleet {}: {} new instances of {} blocks: expected {} blocks at most",
                            fleet.name, instances, offer.blocks, created_blocks_limit);
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
    for (const std::string& name : run.profile.fleets) {
        const bool is_known =
            std::any_of(world.fleets.begin(), world.fleets.end(),
                        [&](const FleetConfiguration& fleet) { return fleet.name == name; });
        if (is_known) continue;
        const Refusal no{Constraint::candidates, fmt::format("there is no fleet {}", name)};
        plan.fleets.push_back({name, false, no, no, {}, {}});
    }
    if (!best) return plan;
    TRESTLE_TRY_STATUS(check_created(world, *chosen, *best));
    fill(plan, world, *chosen, demand, *best);
    return plan;
}

}  // namespace

StatusOr<RunPlan> plan_run(std::span<const FleetConfiguration> fleets,
                           std::span<const Instance> instances, const Catalog& catalog,
                           const RunConfiguration& run, OwnerId owner,
                           const MatchOptions& options) {
    const World world{fleets, instances, catalog};
    TRESTLE_TRY_STATUS(check_world(world, run, owner));
    TRESTLE_TRY(const RunDemand demand, demand_of(run, options));
    TRESTLE_TRY_STATUS(with_context("resources", check(demand.request)));
    TRESTLE_TRY(RunPlan plan, decide(world, demand, owner));
    if (plan.has_capacity()) return plan;
    BareHints found = find_bare_hints(run.resources, [&](const Resources& changed) {
        RunConfiguration other = run;
        other.resources = changed;
        const auto asked = demand_of(other, options);
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
