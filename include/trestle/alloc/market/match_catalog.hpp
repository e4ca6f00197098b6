// SPDX-License-Identifier: Apache-2.0
#pragma once

// The offers of a catalog that meet a request, in the catalog's order, and why the others do not.
//
// Layer: alloc. Main functions: match_offers, explain_offers. An offer matches exactly when
// check_offer accepts it. The work is done once for each kind of device, each spec and each place,
// so a row costs a look at two small tables.
// Pitfall: positions are those in the catalog, which is sorted already.

#include <cstdint>
#include <vector>

#include "trestle/alloc/market/offer_refusal.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/alloc/market/offers/offer_filter.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// An offer of a catalog that fits.
struct CatalogMatch {
    std::uint32_t offer = 0;  ///< position in the catalog
    /// The fewest that meet the request. What they hold says share_of, of the offer in the blocks
    /// of the filter.
    std::uint32_t blocks = 0;

    static constexpr auto fields(auto list) {
        return list(field("offer", &CatalogMatch::offer), field("blocks", &CatalogMatch::blocks));
    }
    friend bool operator==(const CatalogMatch&, const CatalogMatch&) = default;
};

/// Every offer of the catalog that check_offer accepts, in the catalog's order; with `offers_max`
/// the first of them. Requires: check(request) is ok. Complexity: kinds of devices, specs of the
/// kinds that fit, places, and offers of the specs that fit; nothing is sorted.
[[nodiscard]] std::vector<CatalogMatch> match_offers(const Catalog& catalog, const Request& request,
                                                     const OfferFilter& filter = {});

/// Every offer that check_offer rejects, in the catalog's order, with the first test that it fails.
/// `offers_max` is ignored. Requires: check(request) is ok. Complexity: n check_offer.
[[nodiscard]] std::vector<RejectedOffer> explain_offers(const Catalog& catalog,
                                                        const Request& request,
                                                        const OfferFilter& filter = {});

}  // namespace trestle
