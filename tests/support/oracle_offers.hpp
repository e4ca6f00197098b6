// SPDX-License-Identifier: Apache-2.0
// Matching offers in the plainest words: one question after the other, a list, a sort.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/words.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/alloc/market/offers/offer_filter.hpp"
#include "trestle/model/request.hpp"

namespace trestle::testing {

/// What the oracle answers: positions in the list, as the list was given.
struct PlainMatch {
    std::size_t row;
    std::int64_t blocks;

    friend bool operator==(const PlainMatch&, const PlainMatch&) = default;
};

/// True when all devices of the share that match one demand are in the range. For requests with at
/// most one demand of whole devices a node, and offers with at most one kind of device.
inline bool plain_share_fits(const BlockShare& share, const Request& request) {
    if (!request.cpus_per_task.contains(share.cpus)) return false;
    if (!request.memory.contains(share.memory)) return false;
    if (request.devices.empty()) return true;
    const DeviceRequest& demand = request.devices.front();
    if (share.devices.empty()) return demand.count.contains(Count(0));
    const Offer::Devices& had = share.devices.front();
    const auto any = [](const auto& list, const auto& is_it) {
        return list.empty() || std::any_of(list.begin(), list.end(), is_it);
    };
    const auto& version = had.compute_capability;
    for (const Request::CommonAttribute& common : request.common_attributes) {
        const std::string& value = common.name == "vendor" ? had.vendor : had.model;
        const bool is_told = common.name == "vendor" || common.name == "model";
        if (!is_told || value.empty()) return false;
    }
    return demand.count.contains(had.count) && demand.memory.contains(had.memory) &&
           demand.total_memory.contains(had.memory * had.count.value()) &&
           (demand.vendor.empty() || demand.vendor == had.vendor) &&
           any(demand.models, [&](const auto& m) { return same_word(m, had.model); }) &&
           (demand.compute_capability.is_open() ||
            (version && demand.compute_capability.contains(*version)));
}

inline bool plain_place_fits(const Offer& offer, const OfferFilter& filter) {
    const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
        return names.empty() || std::any_of(names.begin(), names.end(),
                                            [&](const auto& n) { return same_word(n, name); });
    };
    bool has_zone = filter.availability_zones.empty();
    for (const std::string& zone : offer.availability_zones) {
        for (const std::string& wanted : filter.availability_zones) {
            has_zone = has_zone || same_word(zone, wanted);
        }
    }
    bool has_interconnect = filter.interconnects.empty();
    for (const Offer::Interconnect wanted : filter.interconnects) {
        has_interconnect = has_interconnect || offer.interconnect == wanted;
    }
    if (const auto& reserved = filter.reservation) {
        if (offer.is_spot || !reserved->exists) return false;
        if (!reserved->backend.empty() && !same_word(reserved->backend, offer.backend))
            return false;
        if (!reserved->region.empty() && !same_word(reserved->region, offer.region)) return false;
        if (!reserved->instance.empty() && !same_word(reserved->instance, offer.instance)) {
            return false;
        }
    }
    return is_in(filter.backends, offer.backend) && is_in(filter.regions, offer.region) &&
           is_in(filter.instances, offer.instance) && has_zone && has_interconnect;
}

inline bool plain_backend_fits(const Offer& offer, const OfferFilter& filter) {
    if (filter.capabilities.empty() || offer.backend.empty()) return true;
    Backend backend;
    backend.kind = Backend::Kind::container;
    for (const Backend& one : filter.capabilities) {
        if (same_word(one.name, offer.backend)) {
            backend = one;
            break;
        }
    }
    const bool has_blocks = backend.kind == Backend::Kind::vm || backend.kind == Backend::Kind::ssh;
    return (backend.has_multinode || !filter.needs_multinode) &&
           (backend.has_privileged || !filter.needs_privileged) &&
           (backend.has_instance_volumes || !filter.needs_instance_volumes) &&
           (backend.has_reservations || !filter.reservation) &&
           (backend.has_spot || !offer.is_spot) && (has_blocks || offer.blocks == Count(1));
}

/// Some size is the instance's and what is wanted.
inline bool plain_disk_fits(const Offer& offer, const Request& request, const OfferFilter& filter) {
    const Range<Bytes> wanted = request.disk == Range<Bytes>() ? filter.disk_default : request.disk;
    const Backend* backend = nullptr;
    for (const Backend& one : filter.capabilities) {
        if (backend == nullptr && same_word(one.name, offer.backend)) backend = &one;
    }
    Range<Bytes> had = backend == nullptr ? Range<Bytes>() : backend->disk;
    if (!offer.disk) return intersect(wanted, had).has_value();
    if (backend == nullptr || !backend->has_cpu_disk_up_to || !offer.devices.empty()) {
        return request.disk.contains(*offer.disk);
    }
    if (!had.max || *offer.disk < *had.max) had.max = offer.disk;
    return had.least() <= *had.max && intersect(wanted, had).has_value();
}

/// The offer in the blocks of the filter; `auto` is the largest number that divides everything.
inline Offer plain_cut(Offer offer, const OfferFilter& filter) {
    if (!filter.blocks) return offer;
    offer.blocks = filter.blocks->count;
    if (!filter.blocks->is_auto) return offer;
    for (std::int64_t k = 1; k <= offer.cpus.value(); ++k) {
        const bool divides =
            offer.cpus.value() % k == 0 &&
            std::all_of(offer.devices.begin(), offer.devices.end(),
                        [&](const Offer::Devices& kind) {
                            return kind.name != "gpu" ||
                                   (kind.vendor == "google" ? k == 1 : kind.count.value() % k == 0);
                        });
        if (divides) offer.blocks = Count(k);
    }
    return offer;
}

/// The fewest blocks, or nothing.
inline std::optional<std::int64_t> plain_blocks(const Offer& as_sold, const Request& request,
                                                const OfferFilter& filter) {
    const Offer offer = plain_cut(as_sold, filter);
    if (filter.unavailable == OfferFilter::Unavailable::leave_out && !offer.is_available())
        return std::nullopt;
    if (filter.pricing == OfferFilter::Pricing::spot && !offer.is_spot) return std::nullopt;
    if (filter.pricing == OfferFilter::Pricing::on_demand && offer.is_spot) return std::nullopt;
    if (request.price_max && *request.price_max < offer.price) return std::nullopt;
    if (request.architecture && *request.architecture != offer.architecture) return std::nullopt;
    if (!plain_disk_fits(offer, request, filter)) return std::nullopt;
    if (!plain_backend_fits(offer, filter) || !plain_place_fits(offer, filter)) {
        return std::nullopt;
    }
    if (check_blocks(offer)) return std::nullopt;
    for (std::int64_t k = 1; k <= offer.blocks.value(); ++k) {
        const bool is_allowed =
            request.exclusivity == Exclusivity::shared || k == offer.blocks.value();
        if (is_allowed && plain_share_fits(share_of(offer, Count(k)), request)) return k;
    }
    return std::nullopt;
}

/// Backends in the order in which they first appear.
inline std::size_t plain_rank(std::span<const Offer> offers, const std::string& backend) {
    std::vector<std::string> seen;
    for (const Offer& offer : offers) {
        const bool is_new = std::none_of(seen.begin(), seen.end(), [&](const auto& name) {
            return same_word(name, offer.backend);
        });
        if (is_new) seen.push_back(offer.backend);
    }
    const auto at = std::find_if(seen.begin(), seen.end(),
                                 [&](const auto& name) { return same_word(name, backend); });
    return static_cast<std::size_t>(at - seen.begin());
}

/// Every offer that fits: what can be had first, then by price, by backend, by row.
inline std::vector<PlainMatch> plain_match(std::span<const Offer> offers, const Request& request,
                                           const OfferFilter& filter) {
    std::vector<PlainMatch> matches;
    for (std::size_t i = 0; i < offers.size(); ++i) {
        const auto blocks = plain_blocks(offers[i], request, filter);
        if (blocks) matches.push_back({i, *blocks});
    }
    const auto key = [&](const PlainMatch& match) {
        const Offer& offer = offers[match.row];
        return std::tuple(!offer.is_available(), offer.price, plain_rank(offers, offer.backend),
                          match.row);
    };
    std::sort(matches.begin(), matches.end(),
              [&](const auto& a, const auto& b) { return key(a) < key(b); });
    if (filter.offers_max &&
        matches.size() > static_cast<std::size_t>(filter.offers_max->value())) {
        matches.resize(static_cast<std::size_t>(filter.offers_max->value()));
    }
    return matches;
}

}  // namespace trestle::testing
