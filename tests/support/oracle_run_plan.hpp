// SPDX-License-Identifier: Apache-2.0
// Where a run goes, by looking at every set of nodes in every fleet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/node/step_budget.hpp"
#include "trestle/alloc/market/match.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/alloc/market/split.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"

namespace trestle {

/// Fleets, what they have, and what is offered.
struct PlanWorld {
    std::vector<dstack::FleetConfiguration> fleets;
    std::vector<Instance> instances;
    Catalog catalog;
};

/// What the oracle says: the fleet, and by rank the instance or (as `offer n`) what is bought, each
/// with the number of blocks. Empty: no capacity.
using PlanText = std::vector<std::string>;

/// One way to have one node; less is better.
struct OracleNode {
    std::tuple<bool, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
               std::int64_t, std::size_t>
        key;
    std::int64_t price = 0;
    std::string place;
    std::string text;
    std::size_t position = 0;
};

class PlanOracle {
  public:
    PlanOracle(const PlanWorld& world, const dstack::RunConfiguration& run)
        : world_(world), run_(run), request_(dstack::to_request(run.resources)) {
        if (run.nodes > Count(1)) request_.exclusivity = Exclusivity::whole_node;
    }

    [[nodiscard]] PlanText answer() const {
        // (new ones, price of reused, price of the offer) and the fleet's nodes.
        std::optional<std::tuple<std::size_t, std::int64_t, std::int64_t, std::size_t, PlanText>>
            best;
        for (std::size_t i = 0; i < world_.fleets.size(); ++i) {
            auto way = best_in(world_.fleets[i]);
            if (!way) continue;
            auto& [made, reused, offered, positions, text] = *way;
            text.insert(text.begin(), world_.fleets[i].name);
            std::tuple key(made, reused, offered, i, text);
            if (!best || key < *best) best = std::move(key);
        }
        return best ? std::get<4>(*best) : PlanText();
    }

  private:
    /// (new ones, price of reused, price of the offer, positions, nodes)
    using Way =
        std::tuple<std::size_t, std::int64_t, std::int64_t, std::vector<std::size_t>, PlanText>;
    static constexpr std::int64_t none = INT64_MAX;

    static bool names(const std::vector<std::string>& wanted, const std::string& name) {
        return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    }
    static bool shares(const std::vector<std::string>& wanted,
                       const std::vector<std::string>& zones) {
        return wanted.empty() || std::any_of(zones.begin(), zones.end(),
                                             [&](const auto& zone) { return names(wanted, zone); });
    }

    /// What the profile says of places and prices. In the worlds of the tests aws can do everything
    /// and lambda has neither spot nor several nodes.
    [[nodiscard]] bool accepts(const Offer& offer) const {
        const bool takes_spot =
            run_.profile.spot_policy == dstack::SpotPolicy::any && offer.backend != "lambda";
        return (!offer.is_spot || takes_spot) && names(run_.profile.regions, offer.region) &&
               names(run_.profile.backends, offer.backend) &&
               (!run_.profile.max_price || offer.price <= *run_.profile.max_price) &&
               (run_.nodes == Count(1) || offer.backend != "lambda");
    }

    [[nodiscard]] std::vector<OracleNode> reusable(const dstack::FleetConfiguration& fleet) const {
        std::vector<OracleNode> nodes;
        for (std::size_t i = 0; i < world_.instances.size(); ++i) {
            const Instance& one = world_.instances[i];
            if (one.fleet != fleet.name || !accepts(one.offer) || !one.is_reachable ||
                one.health == Health::failure || one.state == Instance::State::terminating ||
                one.state == Instance::State::terminated ||
                (!run_.profile.reservation.empty() &&
                 run_.profile.reservation != one.reservation) ||
                !(one.offer.availability_zones.empty() ||
                  shares(run_.profile.availability_zones, one.offer.availability_zones))) {
                continue;
            }
            Offer offer = one.offer;
            offer.availability = Offer::Availability::idle;
            const auto match = check_offer(offer, request_);
            const auto usable = static_cast<std::int64_t>(usable_blocks(one).count());
            if (!match || match->share.blocks.value() > usable) continue;
            std::int64_t gpus = 0;
            std::int64_t all_gpus = 0;
            for (const auto& devices : offer.devices) all_gpus += devices.count.value();
            const std::int64_t blocks = offer.blocks.value();
            const std::int64_t left = usable - match->share.blocks.value();
            for (const auto& devices : match->share.devices) gpus += devices.count.value();
            nodes.push_back({{one.state == Instance::State::provisioning, offer.price.value(), gpus,
                              match->share.cpus.value(), match->share.memory.value(),
                              left * all_gpus / blocks, left * offer.cpus.value() / blocks, i},
                             offer.price.value(),
                             offer.backend + offer.region,
                             one.name + " " + std::to_string(match->share.blocks.value()),
                             i});
        }
        return nodes;
    }

    [[nodiscard]] std::vector<OracleNode> creatable(const dstack::FleetConfiguration& fleet) const {
        std::vector<OracleNode> nodes;
        if (run_.profile.creation_policy == dstack::CreationPolicy::reuse || !fleet.nodes)
            return {};
        Request whole = dstack::to_request(fleet.resources);
        whole.exclusivity = Exclusivity::whole_node;
        for (std::uint32_t i = 0; i < world_.catalog.size(); ++i) {
            Offer offer = world_.catalog[i];
            offer.blocks = fleet.blocks.is_auto ? even_blocks(offer) : fleet.blocks.count;
            const auto match = check_offer(offer, request_);
            if (!accepts(offer) || !match || !check_offer(offer, whole)) continue;
            if (!accepts_both(fleet, offer)) continue;
            bool is_near = true;
            if (fleet.placement == FleetPlacement::cluster) {
                const auto lives = [&](const Instance& one) {
                    return one.fleet == fleet.name && one.state != Instance::State::terminated;
                };
                const auto count =
                    std::count_if(world_.instances.begin(), world_.instances.end(), lives);
                is_near = count == 0 ||
                          std::any_of(world_.instances.begin(), world_.instances.end(),
                                      [&](const Instance& one) {
                                          return lives(one) && one.offer.backend == offer.backend &&
                                                 one.offer.region == offer.region;
                                      });
            }
            if (!is_near) continue;
            nodes.push_back(
                {{false, 0, 0, 0, 0, 0, 0, i},
                 offer.price.value(),
                 offer.backend + offer.region,
                 "offer " + std::to_string(i) + " " + std::to_string(match->share.blocks.value()),
                 i});
        }
        return nodes;
    }

    /// What the fleet says beside the run.
    [[nodiscard]] bool accepts_both(const dstack::FleetConfiguration& fleet,
                                    const Offer& offer) const {
        const dstack::Profile& theirs = fleet.profile;
        const dstack::Profile& ours = run_.profile;
        const std::string& reservation =
            ours.reservation.empty() ? theirs.reservation : ours.reservation;
        if (!names(theirs.regions, offer.region)) return false;
        const bool makes_spot = theirs.spot_policy.value_or(dstack::SpotPolicy::on_demand) !=
                                dstack::SpotPolicy::on_demand;
        if (offer.is_spot && !makes_spot) return false;
        if (theirs.max_price && *theirs.max_price < offer.price) return false;
        if (!theirs.reservation.empty() && theirs.reservation != reservation) return false;
        if (!reservation.empty() && (offer.is_spot || offer.backend == "lambda")) return false;
        if (fleet.placement == FleetPlacement::cluster && offer.backend == "lambda") return false;
        if (ours.availability_zones.empty()) {
            return shares(theirs.availability_zones, offer.availability_zones);
        }
        std::vector<std::string> both;
        for (const std::string& zone : ours.availability_zones) {
            if (names(theirs.availability_zones, zone)) both.push_back(zone);
        }
        return !both.empty() && shares(both, offer.availability_zones);
    }

    [[nodiscard]] std::size_t room(const dstack::FleetConfiguration& fleet) const {
        if (!fleet.nodes) return 0;
        const auto live = static_cast<std::int64_t>(std::count_if(
            world_.instances.begin(), world_.instances.end(), [&](const Instance& one) {
                return one.fleet == fleet.name && one.state != Instance::State::terminated;
            }));
        if (!fleet.nodes->max) return 1'000;
        return static_cast<std::size_t>(
            std::max<std::int64_t>(0, fleet.nodes->max->value() - live));
    }

    /// Every set of instances of one place, filled up with every offer of the place.
    [[nodiscard]] std::optional<Way> best_in(const dstack::FleetConfiguration& fleet) const {
        const auto nodes = static_cast<std::size_t>(run_.nodes.value());
        const auto& named = run_.profile.fleets;
        if (!named.empty() && std::find(named.begin(), named.end(), fleet.name) == named.end()) {
            return std::nullopt;
        }
        if (nodes > 1 && fleet.placement != FleetPlacement::cluster) return std::nullopt;
        std::vector<OracleNode> there = reusable(fleet);
        std::vector<OracleNode> offered = creatable(fleet);
        const auto is_less = [](const auto& a, const auto& b) { return a.key < b.key; };
        std::sort(there.begin(), there.end(), is_less);
        std::sort(offered.begin(), offered.end(), is_less);
        if (room(fleet) == 0) offered.clear();
        std::optional<Way> best;
        for (std::size_t reused = 0; reused <= std::min(nodes, there.size()); ++reused) {
            if (nodes - reused > room(fleet)) continue;
            std::vector<std::size_t> pick(reused);
            std::iota(pick.begin(), pick.end(), std::size_t{0});
            do {
                auto way = best_with(nodes, there, offered, pick);
                if (way && (!best || *way < *best)) best = std::move(way);
            } while (detail::next_combination(pick, there.size()));
        }
        return best;
    }

    /// These instances, and what is missing of the best offer in their place.
    [[nodiscard]] static std::optional<Way> best_with(std::size_t nodes,
                                                      const std::vector<OracleNode>& there,
                                                      const std::vector<OracleNode>& offered,
                                                      const std::vector<std::size_t>& pick) {
        const std::size_t missing = nodes - pick.size();
        std::optional<Way> best;
        std::vector<std::string> places;
        for (const std::size_t at : pick) places.push_back(there[at].place);
        if (pick.empty()) {
            for (const OracleNode& one : offered) places.push_back(one.place);
        } else if (nodes > 1 && std::adjacent_find(places.begin(), places.end(),
                                                   std::not_equal_to<>()) != places.end()) {
            return std::nullopt;
        }
        for (const std::string& place : places) {
            if (!takes_first(there, pick, place, nodes)) continue;
            Way way{missing, pick.empty() ? none : 0, none, {}, {}};
            for (const std::size_t at : pick) {
                std::get<1>(way) += there[at].price;
                std::get<3>(way).push_back(there[at].position);
                std::get<4>(way).push_back(there[at].text);
            }
            // One node may be anywhere, so its offer need not be where the reused one is.
            const auto offer = std::find_if(
                offered.begin(), offered.end(),
                [&](const OracleNode& one) { return nodes == 1 || one.place == place; });
            if (offer != offered.end()) std::get<2>(way) = offer->price;
            if (offer == offered.end() && missing > 0) continue;
            for (std::size_t i = 0; i < missing; ++i) {
                std::get<3>(way).push_back(offer->position);
                std::get<4>(way).push_back(offer->text);
            }
            if (!best || way < *best) best = std::move(way);
        }
        return best;
    }

    /// In a place the instances are taken in their order.
    static bool takes_first(const std::vector<OracleNode>& there,
                            const std::vector<std::size_t>& pick, const std::string& place,
                            std::size_t nodes) {
        for (std::size_t i = 0; i < there.size(); ++i) {
            if (nodes > 1 && there[i].place != place) continue;
            const bool is_taken = std::find(pick.begin(), pick.end(), i) != pick.end();
            if (!is_taken && !pick.empty() && i < pick.back()) return false;
        }
        return true;
    }

    const PlanWorld& world_;
    const dstack::RunConfiguration& run_;
    Request request_;
};

[[nodiscard]] inline PlanText oracle_plan(const PlanWorld& world,
                                          const dstack::RunConfiguration& run) {
    return PlanOracle(world, run).answer();
}

/// The same text of a plan.
[[nodiscard]] inline PlanText plan_text(const dstack::RunPlan& plan) {
    if (!plan.has_capacity()) return {};
    PlanText text{plan.fleet};
    for (const dstack::PlannedNode& node : plan.nodes) {
        const std::string name =
            node.offer ? "offer " + std::to_string(*node.offer) : node.share.instance;
        text.push_back(name + " " + std::to_string(node.share.blocks.count()));
    }
    return text;
}

}  // namespace trestle
