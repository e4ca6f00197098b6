// SPDX-License-Identifier: Apache-2.0
#pragma once

// Offers for a dstack configuration: which fit, in dstack's order, and why the others do not.
//
// Layer: dialect/dstack. Main functions: match_offers, explain_offers. The work is that of
// alloc/market/match_catalog.hpp; here are dstack's defaults and its way of asking.
// Pitfall: offers that cannot be had now are in the answer, last. Where nothing was said of spot,
// only on-demand offers match.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/market/match_catalog.hpp"
#include "trestle/alloc/market/offer_refusal.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/alloc/market/offers/known_devices.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/alloc/market/offers/offer_filter.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/offers/backends.hpp"
#include "trestle/dialect/dstack/profile.hpp"
#include "trestle/dialect/dstack/release.hpp"
#include "trestle/dialect/dstack/resources.hpp"
#include "trestle/model/request.hpp"

namespace trestle::dstack {

/// What a run needs beside its resources and profile.
struct MatchOptions {
    Count nodes{1};  ///< several: of backends whose instances reach each other, and whole ones
    bool is_privileged = false;
    bool has_instance_volumes = false;
    std::vector<Offer::Interconnect> interconnects;  ///< any of these; empty: any
    /// What is known of reservations. One that the profile names and that is not here has no
    /// instances, so nothing matches.
    std::vector<OfferFilter::Reservation> reservations;
    /// `reservations` may lack some: one that is not here may be anywhere where reservations are.
    bool has_more_reservations = false;
    std::optional<BlockCount> blocks;  ///< offers are cut into these first; absent: as they are
    std::optional<Count> offers_max;   ///< so many of the first; absent: all
    std::optional<std::vector<Backend>>
        backends;  ///< absent: known_backends(release); empty: not known
    Release release = default_release;

    static constexpr auto fields(auto list) {
        return list(
            field("nodes", &MatchOptions::nodes),
            field("is_privileged", &MatchOptions::is_privileged),
            field("has_instance_volumes", &MatchOptions::has_instance_volumes),
            field("interconnects", &MatchOptions::interconnects),
            field("reservations", &MatchOptions::reservations),
            field("has_more_reservations", &MatchOptions::has_more_reservations),
            field("blocks", &MatchOptions::blocks), field("offers_max", &MatchOptions::offers_max),
            field("backends", &MatchOptions::backends), field("release", &MatchOptions::release));
    }
    friend bool operator==(const MatchOptions&, const MatchOptions&) = default;
};

/// to_request with the profile's highest price; with several nodes it wants whole instances.
[[nodiscard]] Request request_of(const Resources& resources, const Profile& profile,
                                 const MatchOptions& options = {});
/// What the profile and the options say of places.
[[nodiscard]] OfferFilter filter_of(const Profile& profile, const MatchOptions& options = {});

/// The offers that fit, as trestle::match_offers gives them: price, then the catalog's order of
/// backends, then of rows; what cannot be had now comes last. `offers_max` is applied behind that.
[[nodiscard]] std::vector<CatalogMatch> match_offers(const Catalog& catalog,
                                                     const Resources& resources,
                                                     const Profile& profile = {},
                                                     const MatchOptions& options = {});

/// Positions of the offers in the order in which dstack lists them. Each backend's stand in the
/// provider's order, and the backends are merged by price. Of the backends' next offers the
/// cheapest comes first, of equals that of the earlier backend. Backends come in the order of
/// `backend_order` (without regard to case), then as they appear. What cannot be had now comes
/// last. A Catalog sorts by price instead; both agree where each backend's offers rise in price.
[[nodiscard]] std::vector<std::uint32_t> merged_order(
    std::span<const Offer> offers, std::span<const std::string> backend_order = {});

/// How many offers failed one test first.
struct TestCount {
    OfferRefusal::Test test = OfferRefusal::Test::availability;
    Count offers;

    static constexpr auto fields(auto list) {
        return list(field("test", &TestCount::test), field("offers", &TestCount::offers));
    }
    friend bool operator==(const TestCount&, const TestCount&) = default;
};

/// A value without `..` that leaves nothing, and how to write that more is welcome.
struct BareHint {
    std::string key;      ///< memory, gpu.memory
    std::string written;  ///< `32GB`
    std::string instead;  ///< `32GB..`

    static constexpr auto fields(auto list) {
        return list(field("key", &BareHint::key), field("written", &BareHint::written),
                    field("instead", &BareHint::instead));
    }
    friend bool operator==(const BareHint&, const BareHint&) = default;
};

/// A line for each: `memory: 32GB means exactly that and leaves nothing; 32GB or more is written
/// 32GB..`. With `is_together` they count together only. Empty for none.
[[nodiscard]] std::string hints_text(std::span<const BareHint> hints, bool is_together);

/// What became of the offers of a catalog.
struct OffersExplanation {
    Count matches;
    std::vector<TestCount> tests;         ///< those that offers failed, in their order
    std::vector<RejectedOffer> rejected;  ///< in the catalog's order
    /// When nothing matches: the values of which each, written with `..`, would let offers in; or,
    /// when none would alone, all of those that would together. Empty when none are to blame.
    std::vector<BareHint> hints;
    bool is_together = false;  ///< the hints count together only

    static constexpr auto fields(auto list) {
        return list(field("matches", &OffersExplanation::matches),
                    field("tests", &OffersExplanation::tests),
                    field("rejected", &OffersExplanation::rejected),
                    field("hints", &OffersExplanation::hints),
                    field("is_together", &OffersExplanation::is_together));
    }
    friend bool operator==(const OffersExplanation&, const OffersExplanation&) = default;
};

/// Why the offers that do not fit do not. `offers_max` plays no part.
/// Complexity: each offer is tested once; without any match, each bare value is one search more.
[[nodiscard]] OffersExplanation explain_offers(const Catalog& catalog, const Resources& resources,
                                               const Profile& profile = {},
                                               const MatchOptions& options = {});

/// A line for each test with its number of offers and the first reason, then the hints.
[[nodiscard]] std::string to_text(const OffersExplanation& explanation);

/// The specification with the vendor that its names tell: that of all of them, where they are
/// known and have one in common. One with a vendor, or that wants no GPU, stays as it is.
[[nodiscard]] GpuSpec with_vendor(GpuSpec gpu,
                                  std::span<const KnownDevice> known = known_devices());

/// The specifications that Slurm's type of a GRES stands for: `a100` is A100:40GB and A100:80GB,
/// each with the vendor and one GPU or more. Empty when nothing is called so.
[[nodiscard]] std::vector<GpuSpec> gpus_of_type(
    std::string_view type, std::span<const KnownDevice> known = known_devices());
/// The types of GRES that the names of the specification stand for, each once: `a100`.
[[nodiscard]] std::vector<std::string> types_of(const GpuSpec& gpu);

/// A node as an instance of an SSH fleet: offer_of with backend and region `remote`, cut into
/// `blocks`.
[[nodiscard]] Offer instance_of(const Node& node, Count blocks = Count(1),
                                std::span<const KnownDevice> known = known_devices());

}  // namespace trestle::dstack
