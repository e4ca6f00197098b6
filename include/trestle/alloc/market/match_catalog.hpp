// SPDX-License-Identifier: Apache-2.0
#pragma once

// The offers of a catalog that meet a request, in its order, and why the others do not.
//
// Layer: alloc. Main functions: match_offers, explain_offers. An offer is in the answer exactly
// when check_offer says yes to it; but the work is done once for each kind of device, each spec and
// each place, and a row costs a look at two small tables. A reader would get wrong: positions are
// those in the catalog, which is sorted already.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "trestle/alloc/market/offer_demand.hpp"
#include "trestle/alloc/market/offer_refusal.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/alloc/market/offers/offer_filter.hpp"
#include "trestle/base/interval.hpp"
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

namespace detail {

/// The ends of a range as plain numbers, so that a test is two comparisons.
struct Bounds {
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    template <class Quantity>
    [[nodiscard]] static Bounds of(const Range<Quantity>& range) {
        Bounds bounds;
        bounds.least = range.least().value();
        if (range.max) bounds.most = range.max->value();
        return bounds;
    }
    /// 1 or 0: no branch.
    [[nodiscard]] unsigned contains(std::int64_t x) const {
        return static_cast<unsigned>(least <= x) & static_cast<unsigned>(x <= most);
    }
};

/// One question to one catalog.
class CatalogSearch {
  public:
    CatalogSearch(const Catalog& catalog, const Request& request, const OfferFilter& filter);

    [[nodiscard]] std::vector<CatalogMatch> run();

  private:
    using Index = std::uint32_t;

    /// What devices of one kind are to the only demand.
    enum class KindAnswer { refused, counted, passed };

    [[nodiscard]] static KindAnswer answer(const OfferedDevices& kind, bool has_devices,
                                           const OfferDemand& demand);

    /// True when the columns of specs are enough to judge the request.
    [[nodiscard]] bool is_plain() const;

    /// True when offers are cut into blocks that they do not have for sure.
    [[nodiscard]] bool is_cut() const { return filter_.blocks && *filter_.blocks != BlockCount(); }

    void judge_specs();

    void add_spec(Index spec, Index blocks);

    /// Without branches: most requests take some of many, which nobody could foretell.
    void judge_kind(Interval<Index> specs, KindAnswer said);

    /// 1 where architecture and disk are as wanted.
    [[nodiscard]] unsigned takes_rest_of(Index spec) const;

    /// The fewest blocks that meet the request, as check_offer finds them; 0: none do.
    [[nodiscard]] Index blocks_of(Index i);
    [[nodiscard]] Index blocks_of(const Offer& spec) const;

    /// Takes out what the filter says of instances.
    void drop_specs();

    /// For each place the traits that an offer there may not have.
    void judge_places();

    /// The rows that can be had, then the others; of each only those that are cheap enough.
    [[nodiscard]] std::vector<Interval<Index>> parts() const;

    [[nodiscard]] bool is_allowed(Index row) const;

    /// The rows of the specs that fit, put into order by a bitmap.
    [[nodiscard]] std::vector<CatalogMatch> list_by_spec() const;

    /// All rows in their order, until there are enough: each is written down and counts only when
    /// it fits.
    [[nodiscard]] std::vector<CatalogMatch> list_by_row() const;

    const CatalogColumns& columns_;
    const Request& request_;
    const OfferFilter& filter_;
    std::vector<OfferDemand> demands_;
    Bounds disk_;
    std::vector<Index> blocks_;         ///< by spec: how many are needed; 0: it does not fit
    std::vector<Index> specs_found_;    ///< those that fit; one place more than there are
    std::size_t specs_ = 0;             ///< how many are found while they are judged
    std::size_t rows_found_ = 0;        ///< of the specs that fit
    std::vector<std::uint8_t> banned_;  ///< by place
    std::vector<std::uint8_t> traits_of_specs_;  ///< is_cut where the filter says into how many
};

}  // namespace detail

/// Every offer of the catalog to which check_offer says yes, in the catalog's order; with
/// `offers_max` the first of them. Requires: check(request) is ok.
/// Complexity: kinds of devices, specs of the kinds that fit, places, and offers of the specs that
/// fit; nothing is sorted.
[[nodiscard]] std::vector<CatalogMatch> match_offers(const Catalog& catalog, const Request& request,
                                                     const OfferFilter& filter = {});

/// Every offer to which check_offer says no, in the catalog's order, with the first test that it
/// fails. `offers_max` plays no part. Requires: check(request) is ok. Complexity: n check_offer.
[[nodiscard]] std::vector<RejectedOffer> explain_offers(const Catalog& catalog,
                                                        const Request& request,
                                                        const OfferFilter& filter = {});

}  // namespace trestle
