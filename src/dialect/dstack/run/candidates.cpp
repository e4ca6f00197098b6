// SPDX-License-Identifier: Apache-2.0
#include "candidates.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "../../words.hpp"
#include "trestle/alloc/blocks/owners.hpp"
#include "trestle/alloc/match.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/resources.hpp"

namespace trestle::dstack {
namespace {

[[nodiscard]] bool is_among(const std::vector<std::string>& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& one) { return words::same_word(one, name); });
}

/// Why `name` is none of `names`, if any are named.
[[nodiscard]] std::optional<Refusal> refuse_name(std::string_view what,
                                                 const std::vector<std::string>& names,
                                                 std::string_view name) {
    if (names.empty() || is_among(names, name)) return std::nullopt;
    return Refusal{Constraint::candidates,
                   fmt::format("asked {} {}, it is {}", what, fmt::join(names, " or "),
                               name.empty() ? "unknown" : name)};
}

/// What a profile says of an offer, but for zones and reservations.
[[nodiscard]] std::optional<Refusal> refuse_offer(const Profile& profile, SpotPolicy spot,
                                                  const Offer& offer) {
    if (auto no = refuse_name("backend", profile.backends, offer.backend)) return no;
    if (auto no = refuse_name("region", profile.regions, offer.region)) return no;
    if (auto no = refuse_name("instance type", profile.instance_types, offer.instance)) return no;
    if (spot != SpotPolicy::any && offer.is_spot != (spot == SpotPolicy::spot)) {
        return Refusal{Constraint::features, fmt::format("asked {}, it is {}", spot,
                                                         offer.is_spot ? "spot" : "on-demand")};
    }
    if (profile.max_price && offer.price > *profile.max_price) {
        return Refusal{Constraint::price,
                       fmt::format("asked at most ${}, it costs ${}",
                                   price_text(*profile.max_price), price_text(offer.price))};
    }
    return std::nullopt;
}

[[nodiscard]] SpotPolicy spot_of(const RunConfiguration& run) {
    return run.profile.spot_policy.value_or(SpotPolicy::on_demand);
}

[[nodiscard]] std::optional<Refusal> refuse_state(const Instance& instance) {
    if (!takes_work(instance)) {
        const std::string_view why = !instance.is_reachable               ? "unreachable"
                                     : instance.health == Health::failure ? "failed"
                                                                          : to_text(instance.state);
        return Refusal{Constraint::node_state, fmt::format("{} is {}", instance.name, why)};
    }
    return std::nullopt;
}

[[nodiscard]] std::optional<Refusal> refuse_where(const Instance& instance,
                                                  const Profile& profile) {
    const auto& zones = instance.availability_zones;
    const bool is_near = zones.empty() || profile.availability_zones.empty() ||
                         std::any_of(zones.begin(), zones.end(), [&](const std::string& zone) {
                             const auto& asked = profile.availability_zones;
                             return std::find(asked.begin(), asked.end(), zone) != asked.end();
                         });
    if (!is_near) {
        return Refusal{
            Constraint::candidates,
            fmt::format("asked zone {}, it is in {}", fmt::join(profile.availability_zones, " or "),
                        fmt::join(zones, ", "))};
    }
    if (!profile.reservation.empty() && profile.reservation != instance.reservation) {
        return Refusal{Constraint::candidates,
                       fmt::format("asked reservation {}, it is of {}", profile.reservation,
                                   instance.reservation.empty() ? "none" : instance.reservation)};
    }
    return std::nullopt;
}

/// What an instance is to check_offer: there to be had, at no further price.
[[nodiscard]] Offer idle_offer(const Instance& instance) {
    Offer offer = instance.offer;
    offer.availability = Availability::idle;
    return offer;
}

[[nodiscard]] Count gpus_of(const BlockShare& share) {
    Count gpus;
    for (const OfferedDevices& devices : share.devices) {
        if (devices.name == "gpu") gpus += devices.count;
    }
    return gpus;
}

[[nodiscard]] Verdict<ReuseCandidate> check_instance(const Instance& instance,
                                                     const RunDemand& demand) {
    const Profile& profile = demand.run.profile;
    if (auto no = refuse_state(instance)) return *std::move(no);
    const Offer offer = idle_offer(instance);
    if (auto no = refuse_offer(profile, spot_of(demand.run), offer)) return *std::move(no);
    if (auto no = refuse_where(instance, profile)) return *std::move(no);
    const auto match = check_offer(offer, demand.request);
    if (!match) return match.refusal();
    auto blocks = choose_blocks(instance, match->share.blocks);
    if (!blocks) return blocks.refusal();
    ReuseCandidate candidate{instance.state == InstanceState::provisioning,
                             offer.price,
                             gpus_of(match->share),
                             match->share.cpus,
                             match->share.memory,
                             {},
                             {},
                             0,
                             *std::move(blocks)};
    const Count left = Count(usable_blocks(instance).count()) - match->share.blocks;
    if (left.is_zero()) return candidate;
    const BlockShare rest = share_of(offer, left);
    candidate.gpus_left = gpus_of(rest);
    candidate.cpus_left = rest.cpus;
    return candidate;
}

[[nodiscard]] std::size_t backend_place(const Profile& profile, const Offer& offer) {
    const auto at =
        std::find_if(profile.backends.begin(), profile.backends.end(),
                     [&](const std::string& one) { return words::same_word(one, offer.backend); });
    return static_cast<std::size_t>(at - profile.backends.begin());
}

/// The request of a fleet to an instance as a whole.
[[nodiscard]] Request whole_request(const FleetConfiguration& fleet) {
    Request request = to_request(fleet.resources);
    request.exclusivity = Exclusivity::whole_node;
    return request;
}

[[nodiscard]] Verdict<NewCandidate> check_new(const FleetConfiguration& fleet, const Request& whole,
                                              const Offer& bought, const RunDemand& demand) {
    const SpotPolicy fleet_spot = fleet.profile.spot_policy.value_or(SpotPolicy::any);
    if (auto no = refuse_offer(demand.run.profile, spot_of(demand.run), bought)) {
        return *std::move(no);
    }
    if (auto no = refuse_offer(fleet.profile, fleet_spot, bought)) {
        return Refusal{no->constraint, "for the fleet: " + no->reason};
    }
    const Offer offer = cut_offer(fleet, bought);
    if (offer.blocks > Count(BlockSet::index_limit)) {
        return Refusal{Constraint::blocks, fmt::format("{} blocks, at most {} can be had",
                                                       offer.blocks, BlockSet::index_limit)};
    }
    const auto match = check_offer(offer, demand.request);
    if (!match) return match.refusal();
    const auto as_node = check_offer(offer, whole);
    if (!as_node) {
        return Refusal{as_node.refusal().constraint, "for the fleet: " + as_node.refusal().reason};
    }
    return NewCandidate{offer.price, backend_place(demand.run.profile, offer), 0, offer.blocks,
                        match->share.blocks};
}

/// Why the fleet can make no instance for the run, whatever is offered.
[[nodiscard]] std::optional<Refusal> refuse_creation(const FleetConfiguration& fleet,
                                                     const RunConfiguration& run,
                                                     std::size_t live) {
    const auto no = [](Constraint constraint, std::string reason) {
        return Refusal{constraint, std::move(reason)};
    };
    if (run.profile.creation_policy == CreationPolicy::reuse) {
        return no(Constraint::nodes, "the run reuses instances only");
    }
    if (fleet.ssh_config || !fleet.nodes) {
        return no(Constraint::nodes, "the fleet has the hosts that it was given");
    }
    if (fleet.nodes->max && *fleet.nodes->max <= Count(static_cast<std::int64_t>(live))) {
        return no(Constraint::nodes,
                  fmt::format("the fleet has {} of at most {} instances", live, *fleet.nodes->max));
    }
    const auto& a = fleet.profile;
    const auto& b = run.profile;
    if (!a.availability_zones.empty() && !b.availability_zones.empty() &&
        common_zones(a, b).empty()) {
        return no(Constraint::candidates, fmt::format("the fleet asked zone {}, the run {}",
                                                      fmt::join(a.availability_zones, " or "),
                                                      fmt::join(b.availability_zones, " or ")));
    }
    if (!a.reservation.empty() && !b.reservation.empty() && a.reservation != b.reservation) {
        return no(Constraint::candidates, fmt::format("the fleet asked reservation {}, the run {}",
                                                      a.reservation, b.reservation));
    }
    return std::nullopt;
}

}  // namespace

RunDemand demand_of(const RunConfiguration& run) {
    RunDemand demand{run, to_request(run.resources)};
    if (run.nodes > Count(1)) demand.request.exclusivity = Exclusivity::whole_node;
    return demand;
}

void Refusals::add(Refusal refusal) {
    ++count_;
    auto at = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& kind) {
        return kind.first.constraint == refusal.constraint;
    });
    if (at == kinds_.end()) at = kinds_.insert(at, {std::move(refusal), 0});
    ++at->count;
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
                              std::span<const Offer> offers, const RunDemand& demand) {
    FleetCandidates all;
    Refusals not_reused("instances");
    std::vector<const Instance*> live;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        if (instances[i].fleet != fleet.name) continue;
        if (instances[i].state != InstanceState::terminated) live.push_back(&instances[i]);
        auto verdict = check_instance(instances[i], demand);
        if (!verdict) {
            not_reused.add(verdict.refusal());
            continue;
        }
        all.reusable.push_back(*std::move(verdict));
        all.reusable.back().instance = i;
    }
    std::sort(all.reusable.begin(), all.reusable.end());
    all.reuse = not_reused.summary({Constraint::nodes, "the fleet has no instance"});
    if (auto no = refuse_creation(fleet, demand.run, live.size())) {
        all.creation = *std::move(no);
        return all;
    }
    const auto most = fleet.nodes->max ? fleet.nodes->max->value() : Count::max().value();
    all.room = static_cast<std::size_t>(most) - live.size();
    Refusals not_made("offers");
    const Request whole = whole_request(fleet);
    for (std::size_t i = 0; i < offers.size(); ++i) {
        const bool is_far = fleet.placement == FleetPlacement::cluster && !live.empty() &&
                            std::none_of(live.begin(), live.end(), [&](const Instance* one) {
                                return is_same_place(one->offer, offers[i]);
                            });
        if (is_far) {
            not_made.add(
                {Constraint::topology, fmt::format("the cluster is elsewhere, it is in {} {}",
                                                   offers[i].backend, offers[i].region)});
            continue;
        }
        const auto verdict = check_new(fleet, whole, offers[i], demand);
        if (!verdict) {
            not_made.add(verdict.refusal());
            continue;
        }
        all.creatable.push_back(*verdict);
        all.creatable.back().offer = i;
    }
    std::sort(all.creatable.begin(), all.creatable.end());
    all.creation = not_made.summary({Constraint::nodes, "nothing is offered"});
    return all;
}

Offer cut_offer(const FleetConfiguration& fleet, const Offer& offer) {
    Offer cut = offer;
    cut.blocks = fleet.blocks.is_auto ? even_blocks(offer) : fleet.blocks.count;
    return cut;
}

bool is_same_place(const Offer& a, const Offer& b) {
    return words::same_word(a.backend, b.backend) && words::same_word(a.region, b.region);
}

bool takes_work(const Instance& instance) {
    return instance.is_reachable && instance.health != Health::failure &&
           (instance.state == InstanceState::running ||
            instance.state == InstanceState::provisioning);
}

std::vector<std::string> common_zones(const Profile& fleet, const Profile& run) {
    if (fleet.availability_zones.empty()) return run.availability_zones;
    if (run.availability_zones.empty()) return fleet.availability_zones;
    std::vector<std::string> zones;
    for (const std::string& zone : run.availability_zones) {
        const auto& known = fleet.availability_zones;
        if (std::find(known.begin(), known.end(), zone) != known.end()) zones.push_back(zone);
    }
    return zones;
}

const std::string& common_reservation(const Profile& fleet, const Profile& run) {
    return run.reservation.empty() ? fleet.reservation : run.reservation;
}

}  // namespace trestle::dstack
