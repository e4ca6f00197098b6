// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which test the offers of a catalog fail, without looking at each of them whole.
//
// Layer: alloc. Main type: CatalogJudge. It says of each offer what explain_offer says, but for the
// words: specs and places are judged once, and a row costs a few comparisons. For the words of a
// row call explain_offer.
// Pitfall: which offers fit is found faster by match_offers.

#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/market/offer_demand.hpp"
#include "trestle/alloc/market/offer_refusal.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/alloc/market/offers/offer_filter.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// One question to the offers of one catalog. Answers may be asked from several threads.
class CatalogJudge {
  public:
    /// Requires: check(request) is ok. Complexity: specs and places.
    CatalogJudge(Catalog catalog, const Request& request, const OfferFilter& filter);

    /// The first test that the offer at this position fails; nothing when it fits.
    /// Requires: position < the catalog's size.
    [[nodiscard]] std::optional<OfferRefusal::Test> operator()(std::uint32_t position) const;

  private:
    /// What those of one spec say to the question.
    struct SpecAnswer {
        std::optional<OfferRefusal::Test> lacks;  ///< from architecture to devices
        bool is_cut = false;
        std::optional<bool> has_disk;   ///< absent: its disk is not known
        std::optional<Bytes> cpu_disk;  ///< known, of an offer without devices
        bool is_reserved = true;
        bool is_instance = true;
        bool is_linked = true;
    };
    /// What those of one place say.
    struct PlaceAnswer {
        std::optional<OfferRefusal::Test> lacks;  ///< what the backend cannot do at all
        bool has_spot = true;
        bool has_blocks = true;
        bool has_disk = true;
        bool has_cpu_disk_up_to = false;
        Bytes disk_least;
        bool is_reserved = true;
        bool is_backend = true;
        bool is_region = true;
        bool is_zone = true;
    };

    [[nodiscard]] static std::optional<OfferRefusal::Test> lack_of(
        const Offer& spec, const Request& request, const std::vector<detail::OfferDemand>& demands);

    [[nodiscard]] static SpecAnswer judge_spec(const Offer& spec, const Request& request,
                                               const std::vector<detail::OfferDemand>& demands,
                                               const OfferFilter& filter);

    [[nodiscard]] static PlaceAnswer judge_place(const Offer& place, const Request& request,
                                                 const OfferFilter& filter);

    Catalog catalog_;
    std::optional<Microdollars> price_max_;
    OfferFilter::Pricing pricing_;
    Bytes disk_least_;  ///< of a disk that can be chosen
    bool is_reserved_;
    bool leaves_out_;
    std::vector<SpecAnswer> specs_;
    std::vector<PlaceAnswer> places_;
};

}  // namespace trestle
