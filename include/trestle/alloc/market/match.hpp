// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether one offer meets a request: the smallest share that is enough, or the reason why none is.
//
// Layer: alloc. Main functions: check_offer, explain_offer. The tests and their order are dstack's:
// see OfferRefusal::Test. Offers of a catalog are matched by match_offers in
// alloc/market/match_catalog.hpp, which gives the answers of check_offer.
// Pitfall: an instance is
// taken whole or in blocks, so a range must contain what the share *has*. `gpu: 4..8` does not
// match an instance with 16 GPUs.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/market/offer_refusal.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/alloc/market/offers/offer_filter.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// An offer that fits, and the part of it that is enough.
struct OfferMatch {
    std::size_t offer = 0;  ///< position in the list that was searched
    BlockShare share;       ///< the fewest blocks that meet the request
    Microdollars price;     ///< of the whole instance, an hour

    static constexpr auto fields(auto list) {
        return list(field("offer", &OfferMatch::offer), field("share", &OfferMatch::share),
                    field("price", &OfferMatch::price));
    }
    friend bool operator==(const OfferMatch&, const OfferMatch&) = default;
};

/// The first test that the offer fails, in the order of OfferRefusal::Test; nothing when it fits.
/// Of device alternatives that are all refused the reason is that of the request's own devices; of
/// blocks it is that of the whole instance. Requires: check(request) is ok.
[[nodiscard]] std::optional<OfferRefusal> explain_offer(const Offer& offer, const Request& request,
                                                        const OfferFilter& filter = {});

/// The smallest part of `offer` that meets `request` and `filter`, or why there is none, as
/// explain_offer says. With device_alternatives the first list that is met decides. Devices are
/// counted as the share has them, so memory per device is that of all of them. Kinds that only
/// together are as many as wanted count together. Thousandths of CPUs count as the whole CPUs that
/// have them. The match's `offer` is 0; `offers_max` plays no part. Requires: check(request) is ok.
/// Complexity: blocks times device demands times kinds of devices.
[[nodiscard]] Verdict<OfferMatch> check_offer(const Offer& offer, const Request& request,
                                              const OfferFilter& filter);
/// The same, of any place.
[[nodiscard]] Verdict<OfferMatch> check_offer(const Offer& offer, const Request& request);

}  // namespace trestle
