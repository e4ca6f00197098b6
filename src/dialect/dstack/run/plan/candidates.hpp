// SPDX-License-Identifier: Apache-2.0
#pragma once

// What of a fleet could be a node of a run, and why the rest could not.
//
// Layer: dialect/dstack, inside. Main type: FleetCandidates.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/market/match_catalog.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/alloc/market/offers/instance.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/alloc/market/offers/offer_filter.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/offers/match.hpp"
#include "trestle/model/request.hpp"

namespace trestle::dstack {

/// A run, and what it asks of one node.
struct RunDemand {
    const RunConfiguration& run;
    Resources resources;                 ///< the run's, with what follows from it
    MatchOptions options;                ///< for all its nodes
    std::vector<std::string> instances;  ///< the only ones that it may have; empty: any
    Request request;
    OfferFilter filter;  ///< of instances that are there; reservations are judged by name

    [[nodiscard]] std::size_t nodes() const { return static_cast<std::size_t>(run.nodes.value()); }
};

/// The demand of a run without groups, or of one group, which is part of a run of `nodes` nodes.
/// Whole instances where there are several. `run` stays where it is. Requires: run.nodes is not 0.
/// Errors: InvalidArgument as at options_of and instances_of.
[[nodiscard]] StatusOr<RunDemand> demand_of(const RunConfiguration& run, Count nodes,
                                            const MatchOptions& options);

/// What a fleet and a run ask together of an instance that is made for both.
struct CreationDemand {
    Request share;  ///< the run's, of its part
    Request whole;  ///< the fleet's
    OfferFilter filter;
    std::string reservation;  ///< empty: none
};

/// The request of a fleet to an instance as a whole.
[[nodiscard]] Request whole_request(const FleetConfiguration& fleet, const Profile& profile);
/// A Refusal names what fleet and run disagree about.
[[nodiscard]] Verdict<CreationDemand> creation_of(const FleetConfiguration& fleet,
                                                  const RunDemand& demand);

/// An instance that can be reused. The order is that of preference.
struct ReuseCandidate {
    bool is_provisioning = false;
    Microdollars price;
    Count gpus;
    Count cpus;
    Bytes memory;
    Count gpus_left;  ///< in usable blocks beside the share
    Count cpus_left;
    std::size_t instance = 0;
    BlockSet blocks;

    friend auto operator<=>(const ReuseCandidate&, const ReuseCandidate&) = default;
};

/// Why candidates are none, as one reason. `what` are they, in the plural.
class Refusals {
  public:
    explicit Refusals(std::string what) : what_(std::move(what)) {}

    /// One more. `reason` gives the words, and is asked for the first of each constraint only.
    template <class Reason>
    void add(Constraint constraint, const Reason& reason) {
        ++count_;
        for (Kind& kind : kinds_) {
            if (kind.first.constraint != constraint) continue;
            ++kind.count;
            return;
        }
        kinds_.push_back({{constraint, reason()}, 1});
    }
    /// How many of each constraint, and an example of each; `none` where nothing was refused.
    [[nodiscard]] Refusal summary(const Refusal& none) const;

  private:
    struct Kind {
        Refusal first;
        std::int64_t count = 0;
    };

    std::string what_;
    std::vector<Kind> kinds_;
    std::int64_t count_ = 0;
};

/// All candidates of a fleet, best first.
struct FleetCandidates {
    std::vector<ReuseCandidate> reusable;
    /// The offers that can be made into an instance, with the blocks of it that the run gets.
    std::vector<CatalogMatch> creatable;
    Refusal reuse;         ///< why the other instances cannot be reused
    Refusal creation;      ///< why no offer can be made into one, where none can
    std::size_t room = 0;  ///< how many instances may be made
};

[[nodiscard]] FleetCandidates candidates_of(const FleetConfiguration& fleet,
                                            std::span<const Instance> instances,
                                            const Catalog& catalog, const RunDemand& demand);

/// True when the two lie in one backend and region.
[[nodiscard]] bool is_same_place(const Offer& a, const Offer& b);
/// What is made of the offer for the fleet, without a name and without owners.
[[nodiscard]] Instance new_instance(const FleetConfiguration& fleet, const CreationDemand& wanted,
                                    Offer offer);

}  // namespace trestle::dstack
