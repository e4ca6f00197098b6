// SPDX-License-Identifier: Apache-2.0
#pragma once

// How one fleet would take a run: instances that are there, then new ones.
//
// Layer: dialect/dstack, inside. Main names: Proposal, propose, answer_of, fill.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "candidates.hpp"
#include "trestle/alloc/market/match_catalog.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/alloc/market/offers/instance.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"

namespace trestle::dstack {

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
    [[nodiscard]] std::vector<std::size_t> positions() const;
    [[nodiscard]] std::optional<Microdollars> reuse_price() const;
};

/// The fleets, instances and offers that are decided about.
struct World {
    std::span<const FleetConfiguration> fleets;
    std::span<const Instance> instances;
    const Catalog& catalog;

    [[nodiscard]] const Offer& place_of(const CatalogMatch& one) const;
    [[nodiscard]] Microdollars price_of(const CatalogMatch& one) const;
};

/// The best nodes of the fleet, or nothing.
[[nodiscard]] std::optional<Proposal> propose(const World& world, const FleetCandidates& all,
                                              std::size_t nodes);

/// What the fleet says to the run.
[[nodiscard]] FleetAnswer answer_of(const FleetConfiguration& fleet, const FleetCandidates& all,
                                    const std::optional<Proposal>& proposal, std::size_t nodes);

/// The blocks of its new instances together; at most half of what the type holds.
[[nodiscard]] std::int64_t blocks_made(const World& world, const FleetConfiguration& fleet,
                                       const Proposal& proposal);

/// Adds the nodes and new instances of the proposal to the plan.
void fill(RunPlan& plan, const World& world, const FleetConfiguration& fleet,
          const RunDemand& demand, const Proposal& proposal);

}  // namespace trestle::dstack
