// SPDX-License-Identifier: Apache-2.0
#include "candidates.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "../../../words.hpp"
#include "alloc/market/judge_catalog.hpp"
#include "alloc/market/offer_constraint.hpp"
#include "alloc/market/offer_tests.hpp"
#include "alloc/market/offers/catalog_columns.hpp"
#include "alloc/market/offers/offer_counts.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/match.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/offers/combine.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/dialect/dstack/run/requirements.hpp"

namespace trestle::dstack {
namespace {

/// Why no offer can tell: the state of the instance, and what it was bought from.
[[nodiscard]] std::optional<Refusal> refuse_state(const Instance& instance,
                                                  const RunDemand& demand) {
    if (!takes_work(instance)) {
        const std::string_view why = !instance.is_reachable               ? "unreachable"
                                     : instance.health == Health::failure ? "failed"
                                                                          : to_text(instance.state);
        return Refusal{Constraint::node_state, fmt::format("{} is {}", instance.name, why)};
    }
    const auto& names = demand.instances;
    if (!names.empty() && std::find(names.begin(), names.end(), instance.name) == names.end()) {
        return Refusal{Constraint::candidates,
                       fmt::format("the run asked instance {}", fmt::join(names, " or "))};
    }
    const std::string& reservation = demand.run.profile.reservation;
    if (!reservation.empty() && reservation != instance.reservation) {
        return Refusal{Constraint::candidates,
                       fmt::format("asked reservation {}, it is of {}", reservation,
                                   instance.reservation.empty() ? "none" : instance.reservation)};
    }
    return std::nullopt;
}

/// The instance as an offer that can be had. If its zone is unknown it may be in any.
[[nodiscard]] Offer idle_offer(const Instance& instance, const RunDemand& demand) {
    Offer offer = instance.offer;
    offer.availability = Offer::Availability::idle;
    auto& zones = offer.availability_zones;
    if (zones.empty()) zones = demand.filter.availability_zones;
    return offer;
}

[[nodiscard]] Verdict<ReuseCandidate> check_instance(const Instance& instance,
                                                     const RunDemand& demand) {
    if (auto no = refuse_state(instance, demand)) return *std::move(no);
    const Offer offer = idle_offer(instance, demand);
    const auto match = check_offer(offer, demand.request, demand.filter);
    if (!match) return match.refusal();
    auto blocks = choose_blocks(instance, match->share.blocks);
    if (!blocks) return blocks.refusal();
    ReuseCandidate candidate{instance.state == Instance::State::provisioning,
                             offer.price,
                             count_of(match->share.devices, "gpu"),
                             match->share.cpus,
                             match->share.memory,
                             {},
                             {},
                             0,
                             *std::move(blocks)};
    const Count left = Count(usable_blocks(instance).count()) - match->share.blocks;
    if (left.is_zero()) return candidate;
    const BlockShare rest = share_of(offer, left);
    candidate.gpus_left = count_of(rest.devices, "gpu");
    candidate.cpus_left = rest.cpus;
    return candidate;
}

/// The instances of one fleet that are not gone.
[[nodiscard]] std::vector<const Instance*> live_of(const FleetConfiguration& fleet,
                                                   std::span<const Instance> instances) {
    std::vector<const Instance*> live;
    for (const Instance& one : instances) {
        if (one.fleet == fleet.name && one.state != Instance::State::terminated)
            live.push_back(&one);
    }
    return live;
}

void find_reusable(FleetCandidates& all, const FleetConfiguration& fleet,
                   std::span<const Instance> instances, const RunDemand& demand) {
    Refusals refusals("instances");
    for (std::size_t i = 0; i < instances.size(); ++i) {
        if (instances[i].fleet != fleet.name) continue;
        auto verdict = check_instance(instances[i], demand);
        if (!verdict) {
            const Refusal& no = verdict.refusal();
            refusals.add(no.constraint, [&] { return no.reason; });
            continue;
        }
        all.reusable.push_back(*std::move(verdict));
        all.reusable.back().instance = i;
    }
    std::sort(all.reusable.begin(), all.reusable.end());
    all.reuse = refusals.summary({Constraint::nodes, "the fleet has no instance"});
}

/// Why the fleet can make no instance, whatever is offered and asked of it.
[[nodiscard]] std::optional<Refusal> refuse_creation(const FleetConfiguration& fleet,
                                                     const RunDemand& demand, std::size_t live) {
    const auto no = [](std::string reason) {
        return Refusal{Constraint::nodes, std::move(reason)};
    };
    if (demand.run.profile.creation_policy == CreationPolicy::reuse) {
        return no("the run reuses instances only");
    }
    if (!demand.instances.empty()) return no("the run names instances that are there");
    if (fleet.ssh_config || !fleet.nodes) return no("the fleet has the hosts that it was given");
    if (fleet.nodes->max && *fleet.nodes->max <= Count(static_cast<std::int64_t>(live))) {
        return no(fmt::format("the fleet has {} of at most {} instances", live, *fleet.nodes->max));
    }
    return std::nullopt;
}

/// Of each place of the catalog whether instances there could join those of the fleet.
[[nodiscard]] std::vector<bool> near_places(const FleetConfiguration& fleet,
                                            const std::vector<const Instance*>& live,
                                            const Catalog& catalog) {
    const bool is_anywhere = fleet.placement != FleetPlacement::cluster || live.empty();
    std::vector<bool> near;
    for (const Offer& place : catalog.columns().places) {
        near.push_back(is_anywhere ||
                       std::any_of(live.begin(), live.end(), [&](const Instance* one) {
                           return is_same_place(one->offer, place);
                       }));
    }
    return near;
}

/// Why each offer of the catalog was left out, as one reason.
[[nodiscard]] Refusal refuse_offers(const Catalog& catalog, const CreationDemand& wanted,
                                    const std::vector<bool>& near) {
    const CatalogJudge share(catalog, wanted.share, wanted.filter);
    const CatalogJudge whole(catalog, wanted.whole, wanted.filter);
    Refusals refusals("offers");
    for (std::uint32_t i = 0; i < catalog.size(); ++i) {
        const std::uint32_t place = catalog.columns().place[i];
        if (!near[place]) {
            const Offer& where = catalog.columns().places[place];
            refusals.add(Constraint::topology, [&] {
                return fmt::format("the cluster is elsewhere, it is in {} {}", where.backend,
                                   where.region);
            });
        } else if (const auto test = share(i)) {
            refusals.add(constraint_of(*test), [&] {
                return explain_offer(catalog[i], wanted.share, wanted.filter)->reason;
            });
        } else if (const auto of_whole = whole(i)) {
            refusals.add(constraint_of(*of_whole), [&] {
                return "for the fleet: " +
                       explain_offer(catalog[i], wanted.whole, wanted.filter)->reason;
            });
        }
    }
    return refusals.summary({Constraint::nodes, "nothing is offered"});
}

void find_creatable(FleetCandidates& all, const FleetConfiguration& fleet,
                    const std::vector<const Instance*>& live, const Catalog& catalog,
                    const RunDemand& demand) {
    if (auto no = refuse_creation(fleet, demand, live.size())) {
        all.creation = *std::move(no);
        return;
    }
    const auto wanted = creation_of(fleet, demand);
    if (!wanted) {
        all.creation = wanted.refusal();
        return;
    }
    const auto most = fleet.nodes->max.value_or(Count::max()).value();
    all.room = static_cast<std::size_t>(most) - live.size();
    const std::vector<bool> near = near_places(fleet, live, catalog);
    const auto shares = trestle::match_offers(catalog, wanted->share, wanted->filter);
    const auto wholes = trestle::match_offers(catalog, wanted->whole, wanted->filter);
    std::set_intersection(shares.begin(), shares.end(), wholes.begin(), wholes.end(),
                          std::back_inserter(all.creatable),
                          [](const auto& a, const auto& b) { return a.offer < b.offer; });
    std::erase_if(all.creatable, [&](const CatalogMatch& one) {
        return !near[catalog.columns().place[one.offer]];
    });
    if (all.creatable.empty()) all.creation = refuse_offers(catalog, *wanted, near);
}

}  // namespace

StatusOr<RunDemand> demand_of(const RunConfiguration& run, Count nodes,
                              const MatchOptions& options) {
    RunDemand demand{run, resources_of(run), {}, {}, {}, {}};
    TRESTLE_TRY(demand.options, options_of(run, options));
    TRESTLE_TRY(demand.instances, instances_of(run));
    demand.options.nodes = nodes;
    demand.options.blocks.reset();
    demand.options.offers_max.reset();
    demand.request = request_of(demand.resources, run.profile, demand.options);
    demand.filter = filter_of(run.profile, demand.options);
    demand.filter.reservation.reset();
    demand.filter.unavailable = OfferFilter::Unavailable::leave_out;
    return demand;
}

Request whole_request(const FleetConfiguration& fleet, const Profile& profile) {
    Request request = request_of(fleet.resources, profile);
    request.exclusivity = Exclusivity::whole_node;
    return request;
}

Verdict<CreationDemand> creation_of(const FleetConfiguration& fleet, const RunDemand& demand) {
    const auto profile = combine(fleet.profile, demand.run.profile, demand.options.release);
    if (!profile) return profile.refusal();
    CreationDemand wanted;
    wanted.share = request_of(demand.resources, *profile, demand.options);
    wanted.whole = whole_request(fleet, *profile);
    const auto disk = intersect(wanted.share.disk, wanted.whole.disk);
    if (!disk) {
        return Refusal{Constraint::disk, fmt::format("disk: the fleet has {}, the run wants {}",
                                                     memory_range_text(wanted.whole.disk),
                                                     memory_range_text(wanted.share.disk))};
    }
    wanted.share.disk = *disk;
    MatchOptions options = demand.options;
    options.blocks = fleet.blocks;
    wanted.filter = filter_of(*profile, options);
    wanted.filter.unavailable = OfferFilter::Unavailable::leave_out;
    wanted.filter.needs_multinode |= fleet.placement == FleetPlacement::cluster;
    wanted.reservation = profile->reservation;
    return wanted;
}

Refusal Refusals::summary(const Refusal& none) const {
    if (kinds_.empty()) return none;
    if (count_ == 1) return kinds_.front().first;
    std::vector<Kind> kinds = kinds_;
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const Kind& a, const Kind& b) { return a.count > b.count; });
    std::vector<std::string> parts;
    for (const Kind& kind : kinds) {
        parts.push_back(
            fmt::format("{} {} ({})", kind.count, kind.first.constraint, kind.first.reason));
    }
    return {kinds.front().first.constraint,
            fmt::format("{} {}: {}", count_, what_, fmt::join(parts, ", "))};
}

FleetCandidates candidates_of(const FleetConfiguration& fleet, std::span<const Instance> instances,
                              const Catalog& catalog, const RunDemand& demand) {
    FleetCandidates all;
    find_reusable(all, fleet, instances, demand);
    find_creatable(all, fleet, live_of(fleet, instances), catalog, demand);
    return all;
}

bool is_same_place(const Offer& a, const Offer& b) {
    return words::same_word(a.backend, b.backend) && words::same_word(a.region, b.region);
}

Instance new_instance(const FleetConfiguration& fleet, const CreationDemand& wanted, Offer offer) {
    Instance instance;
    instance.fleet = fleet.name;
    instance.offer = with_blocks(std::move(offer), fleet.blocks);
    instance.offer.availability_zones = zones_left(instance.offer, wanted.filter);
    instance.offer.disk = disk_of(instance.offer, wanted.share, wanted.filter);
    instance.reservation = wanted.reservation;
    instance.state = Instance::State::provisioning;
    instance.blocks = HostBlocks::unseen(instance.offer.blocks);
    return instance;
}

}  // namespace trestle::dstack
