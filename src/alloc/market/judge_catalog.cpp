// SPDX-License-Identifier: Apache-2.0
#include "alloc/market/judge_catalog.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "alloc/market/offer_tests.hpp"
#include "alloc/market/offers/catalog_columns.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/match.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

CatalogJudge::CatalogJudge(Catalog catalog, const Request& request, const OfferFilter& filter)
    : catalog_(std::move(catalog)),
      price_max_(request.price_max),
      pricing_(filter.pricing),
      disk_least_(detail::wanted_disk(request, filter).least()),
      is_reserved_(filter.reservation.has_value()),
      leaves_out_(filter.unavailable == OfferFilter::Unavailable::leave_out) {
    const auto demands = detail::offer_demands(request);
    for (const Offer& spec : catalog_.columns().specs) {
        const auto blocks = filter.blocks.value_or(BlockCount{false, spec.blocks});
        specs_.push_back(judge_spec(with_blocks(spec, blocks), request, demands, filter));
    }
    for (const Offer& place : catalog_.columns().places) {
        places_.push_back(judge_place(place, request, filter));
    }
}

std::optional<OfferRefusal::Test> CatalogJudge::operator()(std::uint32_t position) const {
    const CatalogColumns& columns = catalog_.columns();
    TRESTLE_EXPECTS(position < catalog_.size(), "the catalog has so many offers");
    const SpecAnswer& spec = specs_[columns.spec[position]];
    const PlaceAnswer& place = places_[columns.place[position]];
    const bool is_spot = (columns.traits[position] & CatalogColumns::is_spot) != 0;
    if (leaves_out_ && position >= columns.available) return OfferRefusal::Test::availability;
    if (place.lacks) return place.lacks;
    if (price_max_ && columns.price[position] > *price_max_) return OfferRefusal::Test::price;
    const bool is_paid_well = is_spot
                                  ? pricing_ != OfferFilter::Pricing::on_demand && place.has_spot
                                  : pricing_ != OfferFilter::Pricing::spot;
    if (!is_paid_well) return OfferRefusal::Test::pricing;
    if (spec.lacks == OfferRefusal::Test::architecture) return spec.lacks;
    if (spec.is_cut && !place.has_blocks) return OfferRefusal::Test::blocks;
    if (spec.lacks) return spec.lacks;
    const bool is_chosen = place.has_cpu_disk_up_to && spec.cpu_disk;
    const bool has_disk = is_chosen ? place.has_disk && disk_least_ <= *spec.cpu_disk &&
                                          place.disk_least <= *spec.cpu_disk
                                    : spec.has_disk.value_or(place.has_disk);
    if (!has_disk) return OfferRefusal::Test::disk;
    if (is_reserved_ && (is_spot || !spec.is_reserved || !place.is_reserved)) {
        return OfferRefusal::Test::reservation;
    }
    if (!place.is_backend) return OfferRefusal::Test::backend;
    if (!place.is_region) return OfferRefusal::Test::region;
    if (!spec.is_instance) return OfferRefusal::Test::instance;
    if (!place.is_zone) return OfferRefusal::Test::availability_zone;
    if (!spec.is_linked) return OfferRefusal::Test::interconnect;
    return std::nullopt;
}

std::optional<OfferRefusal::Test> CatalogJudge::lack_of(
    const Offer& spec, const Request& request, const std::vector<detail::OfferDemand>& demands) {
    if (request.architecture && *request.architecture != spec.architecture) {
        return OfferRefusal::Test::architecture;
    }
    if (check_blocks(spec)) return OfferRefusal::Test::blocks;
    std::optional<OfferRefusal::Test> first;
    for (const detail::OfferDemand& demand : demands) {
        const auto blocks = detail::blocks_needed(spec, demand, request.exclusivity);
        const auto* const refusal = std::get_if<OfferRefusal>(&blocks);
        if (refusal == nullptr) return std::nullopt;
        if (!first) first = refusal->test;
    }
    return first;
}

CatalogJudge::SpecAnswer CatalogJudge::judge_spec(const Offer& spec, const Request& request,
                                                  const std::vector<detail::OfferDemand>& demands,
                                                  const OfferFilter& filter) {
    SpecAnswer answer;
    answer.lacks = lack_of(spec, request, demands);
    answer.is_cut = spec.blocks != Count(1);
    if (spec.disk) answer.has_disk = request.disk.contains(*spec.disk);
    if (spec.devices.empty()) answer.cpu_disk = spec.disk;
    answer.is_reserved =
        detail::may_be_of(filter.reservation, &OfferFilter::Reservation::instance, spec.instance);
    answer.is_instance = detail::accepts(filter.instances, spec.instance);
    answer.is_linked = detail::accepts(filter.interconnects, spec.interconnect);
    return answer;
}

CatalogJudge::PlaceAnswer CatalogJudge::judge_place(const Offer& place, const Request& request,
                                                    const OfferFilter& filter) {
    PlaceAnswer answer;
    if (const Backend* const backend = detail::backend_of(place.backend, filter)) {
        answer.lacks = detail::missing_capability(*backend, filter);
        answer.has_spot = backend->has_spot;
        answer.has_blocks = backend->has_blocks();
        answer.has_cpu_disk_up_to = backend->has_cpu_disk_up_to;
        answer.disk_least = backend->disk.least();
        answer.has_disk =
            intersect(detail::wanted_disk(request, filter), backend->disk).has_value();
    }
    answer.is_reserved =
        detail::may_be_of(filter.reservation, &OfferFilter::Reservation::backend, place.backend) &&
        detail::may_be_of(filter.reservation, &OfferFilter::Reservation::region, place.region);
    answer.is_backend = detail::accepts(filter.backends, place.backend);
    answer.is_region = detail::accepts(filter.regions, place.region);
    answer.is_zone = detail::accepts_zones(filter.availability_zones, place.availability_zones);
    return answer;
}

}  // namespace trestle
