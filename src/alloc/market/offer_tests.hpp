// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tests of one offer, each by itself: what match.cpp puts together and catalogs ask by column.
//
// Layer: alloc. Main functions: refuse_capabilities, refuse_place, blocks_needed, judge_offer.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "alloc/market/offer_demand.hpp"
#include "trestle/alloc/market/match.hpp"

namespace trestle {

namespace detail {

/// `wanted` of the backend of an offer that cannot do it.
[[nodiscard]] OfferRefusal refuse_backend(OfferRefusal::Test test, const Offer& offer,
                                          std::string_view wanted);

/// What the backend can do; null when no backend is known, or not which one it is. A backend that
/// is not in the list can do nothing.
[[nodiscard]] const Backend* backend_of(std::string_view name, const OfferFilter& filter);

/// The first thing that the run needs of its backend and the backend cannot do.
[[nodiscard]] std::optional<OfferRefusal::Test> missing_capability(const Backend& backend,
                                                                   const OfferFilter& filter);

[[nodiscard]] std::optional<OfferRefusal> refuse_capabilities(const Offer& offer,
                                                              const OfferFilter& filter);

[[nodiscard]] std::optional<OfferRefusal> refuse_price(const Offer& offer, const Request& request,
                                                       const OfferFilter& filter);

[[nodiscard]] std::optional<OfferRefusal> refuse_blocks(const Offer& offer,
                                                        const OfferFilter& filter);

/// The fewest blocks with the CPUs and the bytes that are asked at least; all where none have.
/// Requires: check_blocks(offer) is nothing.
[[nodiscard]] std::int64_t least_blocks(const Offer& offer, const OfferDemand& demand);

/// The fewest blocks of the offer that have what is asked, or why all of them have not.
/// Requires: check_blocks(offer) is nothing.
[[nodiscard]] std::variant<Count, OfferRefusal> blocks_needed(const Offer& offer,
                                                              const OfferDemand& demand,
                                                              Exclusivity exclusivity);

/// What a disk that can be had in several sizes has to be: the request's range, else the filter's.
[[nodiscard]] const Range<Bytes>& wanted_disk(const Request& request, const OfferFilter& filter);
/// The disks that can be chosen with the offer; nothing: it has the one that it names.
[[nodiscard]] std::optional<Range<Bytes>> chosen_disks(const Offer& offer, const Backend* backend);

[[nodiscard]] std::optional<OfferRefusal> refuse_disk(const Offer& offer, const Request& request,
                                                      const OfferFilter& filter);

/// True without wishes, and when the name is one of them, whatever its case.
[[nodiscard]] bool accepts(const std::vector<std::string>& wanted, std::string_view had);

[[nodiscard]] std::optional<OfferRefusal> refuse_name(OfferRefusal::Test test,
                                                      const std::vector<std::string>& wanted,
                                                      const std::string& had);

/// True when instances of this backend and region, or of this type, may be of the reservation.
[[nodiscard]] bool may_be_of(const std::optional<OfferFilter::Reservation>& reservation,
                             std::string OfferFilter::Reservation::*property, std::string_view had);

[[nodiscard]] std::optional<OfferRefusal> refuse_reservation(const Offer& offer,
                                                             const OfferFilter& filter);

/// True without wishes, and when one of the zones is wanted.
[[nodiscard]] bool accepts_zones(const std::vector<std::string>& wanted,
                                 const std::vector<std::string>& zones);

[[nodiscard]] std::optional<OfferRefusal> refuse_zones(const Offer& offer,
                                                       const OfferFilter& filter);

/// True without wishes, and when the interconnect is known and wanted.
[[nodiscard]] bool accepts(const std::vector<Offer::Interconnect>& wanted,
                           const std::optional<Offer::Interconnect>& had);

[[nodiscard]] std::optional<OfferRefusal> refuse_interconnect(const Offer& offer,
                                                              const OfferFilter& filter);

[[nodiscard]] std::optional<OfferRefusal> refuse_place(const Offer& offer,
                                                       const OfferFilter& filter);

/// The fewest blocks that the first demand which can be met needs, or the first failed test.
/// What the filter says of blocks has been done.
[[nodiscard]] std::variant<Count, OfferRefusal> judge_offer(const Offer& offer,
                                                            const Request& request,
                                                            const OfferFilter& filter);

/// The same, as check_offer says it.
[[nodiscard]] Verdict<OfferMatch> match_of(const Offer& offer, const Request& request,
                                           const OfferFilter& filter);

}  // namespace detail

/// The zones that are left of an offer's when only those of the filter are wanted, in the offer's
/// order. Without wishes all of them.
[[nodiscard]] std::vector<std::string> zones_left(const Offer& offer, const OfferFilter& filter);

/// The disk that an instance of this offer has: its own, else the least that the request takes (the
/// filter's default, where it asks for none) and its backend gives. Nothing when neither says
/// anything. Requires: check_offer is a yes.
[[nodiscard]] std::optional<Bytes> disk_of(const Offer& offer, const Request& request,
                                           const OfferFilter& filter);

}  // namespace trestle
