// SPDX-License-Identifier: Apache-2.0
#include "proposal.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "alloc/market/offers/catalog_columns.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::dstack {

const Offer& World::place_of(const CatalogMatch& one) const {
    return catalog.columns().places[catalog.columns().place[one.offer]];
}

Microdollars World::price_of(const CatalogMatch& one) const {
    return catalog.columns().price[one.offer];
}

std::vector<std::size_t> Proposal::positions() const {
    std::vector<std::size_t> all;
    for (const ReuseCandidate& one : reused) all.push_back(one.instance);
    for (const CatalogMatch& one : made) all.push_back(one.offer);
    return all;
}

std::optional<Microdollars> Proposal::reuse_price() const {
    if (reused.empty()) return std::nullopt;
    Microdollars sum;
    for (const ReuseCandidate& one : reused) {
        sum = checked_add(sum, one.price).value_or(Microdollars::max());
    }
    return sum;
}

namespace {

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

/// Names of new instances, lowest first: each `fleet-n` that no instance has.
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

}  // namespace

std::optional<Proposal> propose(const World& world, const FleetCandidates& all, std::size_t nodes) {
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

FleetAnswer answer_of(const FleetConfiguration& fleet, const FleetCandidates& all,
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

std::int64_t blocks_made(const World& world, const FleetConfiguration& fleet,
                         const Proposal& proposal) {
    if (proposal.made.empty()) return 0;
    const Offer offer = with_blocks(world.catalog[proposal.made[0].offer], fleet.blocks);
    const auto instances = static_cast<std::int64_t>(proposal.made.size());
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    return std::min(offer.blocks.value(), most / instances) * instances;
}

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

}  // namespace trestle::dstack
