// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/offers/match.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "../../words.hpp"
#include "alloc/market/offers/device_names.hpp"
#include "bare_hints.hpp"
#include "trestle/alloc/market/node_offer.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::dstack {

Request request_of(const Resources& resources, const Profile& profile,
                   const MatchOptions& options) {
    Request request = to_request(resources);
    request.price_max = profile.max_price;
    if (Count(1) < options.nodes) request.exclusivity = Exclusivity::whole_node;
    return request;
}

OfferFilter filter_of(const Profile& profile, const MatchOptions& options) {
    OfferFilter filter;
    filter.backends = profile.backends;
    filter.regions = profile.regions;
    filter.instances = profile.instance_types;
    filter.availability_zones = profile.availability_zones;
    filter.interconnects = options.interconnects;
    switch (profile.spot_policy.value_or(SpotPolicy::on_demand)) {
        case SpotPolicy::spot:
            filter.pricing = OfferFilter::Pricing::spot;
            break;
        case SpotPolicy::on_demand:
            filter.pricing = OfferFilter::Pricing::on_demand;
            break;
        case SpotPolicy::any:
            filter.pricing = OfferFilter::Pricing::any;
            break;
    }
    if (!profile.reservation.empty()) {
        const auto& known = options.reservations;
        const auto at = std::find_if(
            known.begin(), known.end(),
            [&](const OfferFilter::Reservation& one) { return one.name == profile.reservation; });
        filter.reservation = OfferFilter::Reservation{profile.reservation, {}, {}, {}};
        filter.reservation->exists = options.has_more_reservations;
        if (at != known.end()) filter.reservation = *at;
    }
    filter.needs_multinode = Count(1) < options.nodes;
    filter.needs_privileged = options.is_privileged;
    filter.needs_instance_volumes = options.has_instance_volumes;
    filter.capabilities = options.backends ? *options.backends : known_backends(options.release);
    filter.disk_default = *Resources().disk;
    filter.unavailable = OfferFilter::Unavailable::last;
    filter.blocks = options.blocks;
    filter.offers_max = options.offers_max;
    return filter;
}

std::vector<CatalogMatch> match_offers(const Catalog& catalog, const Resources& resources,
                                       const Profile& profile, const MatchOptions& options) {
    return trestle::match_offers(catalog, request_of(resources, profile, options),
                                 filter_of(profile, options));
}

std::vector<std::uint32_t> merged_order(std::span<const Offer> offers,
                                        std::span<const std::string> backend_order) {
    /// The offers of a backend, and how many of them are listed.
    struct Stream {
        std::string backend;
        std::vector<std::uint32_t> offers = {};
        std::size_t next = 0;
    };
    std::vector<Stream> streams;
    for (const std::string& name : backend_order) streams.push_back({name});
    for (std::uint32_t i = 0; i < offers.size(); ++i) {
        auto at = std::find_if(streams.begin(), streams.end(), [&](const Stream& one) {
            return words::same_word(one.backend, offers[i].backend);
        });
        if (at == streams.end()) at = streams.insert(at, {offers[i].backend});
        at->offers.push_back(i);
    }
    std::vector<std::uint32_t> merged;
    while (merged.size() < offers.size()) {
        Stream* cheapest = nullptr;
        const auto price_of = [&](const Stream& one) { return offers[one.offers[one.next]].price; };
        for (Stream& one : streams) {
            if (one.next == one.offers.size()) continue;
            if (cheapest == nullptr || price_of(one) < price_of(*cheapest)) cheapest = &one;
        }
        merged.push_back(cheapest->offers[cheapest->next++]);
    }
    std::stable_partition(merged.begin(), merged.end(),
                          [&](std::uint32_t i) { return offers[i].is_available(); });
    return merged;
}

OffersExplanation explain_offers(const Catalog& catalog, const Resources& resources,
                                 const Profile& profile, const MatchOptions& options) {
    OffersExplanation explanation;
    explanation.rejected = trestle::explain_offers(catalog, request_of(resources, profile, options),
                                                   filter_of(profile, options));
    explanation.matches =
        Count(static_cast<std::int64_t>(catalog.size() - explanation.rejected.size()));
    for (const auto& [test, name] : enum_names(OfferRefusal::Test{})) {
        const OfferRefusal::Test wanted = test;
        const auto count =
            std::count_if(explanation.rejected.begin(), explanation.rejected.end(),
                          [&](const RejectedOffer& one) { return one.refusal.test == wanted; });
        if (count > 0) explanation.tests.push_back({wanted, Count(count)});
    }
    if (explanation.matches.is_zero()) {
        const auto fits = [&](const Resources& changed) {
            return !match_offers(catalog, changed, profile, options).empty();
        };
        BareHints found = find_bare_hints(resources, fits);
        explanation.hints = std::move(found.hints);
        explanation.is_together = found.is_together;
    }
    return explanation;
}

std::string to_text(const OffersExplanation& explanation) {
    std::string text = fmt::format(
        "{} of {} offers fit\n", explanation.matches,
        explanation.matches.value() + static_cast<std::int64_t>(explanation.rejected.size()));
    for (const TestCount& one : explanation.tests) {
        const auto first = std::find_if(
            explanation.rejected.begin(), explanation.rejected.end(),
            [&](const RejectedOffer& offer) { return offer.refusal.test == one.test; });
        text += fmt::format(
            "{} fail {}{}\n", one.offers, one.test,
            first == explanation.rejected.end() ? "" : fmt::format(": {}", first->refusal.reason));
    }
    return text + hints_text(explanation.hints, explanation.is_together);
}

GpuSpec with_vendor(GpuSpec gpu, std::span<const KnownDevice> known) {
    if (!gpu.vendor.empty() || gpu.count.max == Count(0)) return gpu;
    gpu.vendor = vendor_of(known, gpu.names).value_or("");
    return gpu;
}

std::vector<GpuSpec> gpus_of_type(std::string_view type, std::span<const KnownDevice> known) {
    std::vector<GpuSpec> gpus;
    for (const KnownDevice& device : devices_of_type(known, type)) {
        GpuSpec gpu;
        gpu.vendor = device.vendor;
        gpu.names = {device.model};
        if (!device.memory.is_zero()) gpu.memory = Range<Bytes>::exactly(device.memory);
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

std::vector<std::string> types_of(const GpuSpec& gpu) {
    std::vector<std::string> types;
    for (const std::string& name : gpu.names) {
        std::string type = words::lower(name);
        if (std::find(types.begin(), types.end(), type) == types.end()) {
            types.push_back(std::move(type));
        }
    }
    return types;
}

Offer instance_of(const Node& node, Count blocks, std::span<const KnownDevice> known) {
    Offer offer = offer_of(node, known);
    offer.backend = "remote";
    offer.region = "remote";
    offer.blocks = blocks;
    return offer;
}

}  // namespace trestle::dstack
