// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/match.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "alloc/market/offer_constraint.hpp"
#include "alloc/market/offer_tests.hpp"
#include "alloc/market/offers/find_backend.hpp"
#include "base/words.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

OfferRefusal refuse_backend(OfferRefusal::Test test, const Offer& offer, std::string_view wanted) {
    return {test, std::string(wanted), "none",
            fmt::format("backend {} has no {}", offer.backend, wanted)};
}

const Backend* backend_of(std::string_view name, const OfferFilter& filter) {
    static const Backend unable{"", Backend::Kind::container, false, false, false, false, false,
                                {}};
    if (filter.capabilities.empty() || name.empty()) return nullptr;
    const Backend* const found = find_backend(filter.capabilities, name);
    return found != nullptr ? found : &unable;
}

std::optional<OfferRefusal::Test> missing_capability(const Backend& backend,
                                                     const OfferFilter& filter) {
    if (filter.needs_multinode && !backend.has_multinode) return OfferRefusal::Test::multinode;
    if (filter.needs_privileged && !backend.has_privileged) return OfferRefusal::Test::privileged;
    if (filter.needs_instance_volumes && !backend.has_instance_volumes) {
        return OfferRefusal::Test::instance_volumes;
    }
    if (filter.reservation && !backend.has_reservations) return OfferRefusal::Test::reservation;
    return std::nullopt;
}

std::optional<OfferRefusal> refuse_capabilities(const Offer& offer, const OfferFilter& filter) {
    const Backend* const backend = backend_of(offer.backend, filter);
    if (backend == nullptr) return std::nullopt;
    const auto missing = missing_capability(*backend, filter);
    if (!missing) return std::nullopt;
    const std::string_view wanted =
        *missing == OfferRefusal::Test::multinode     ? "several nodes"
        : *missing == OfferRefusal::Test::privileged  ? "privileged containers"
        : *missing == OfferRefusal::Test::reservation ? "reservations"
                                                      : "instance volumes";
    return refuse_backend(*missing, offer, wanted);
}

std::optional<OfferRefusal> refuse_price(const Offer& offer, const Request& request,
                                         const OfferFilter& filter) {
    if (request.price_max && offer.price > *request.price_max) {
        return OfferRefusal{OfferRefusal::Test::price, fmt::format("..{}", *request.price_max),
                            fmt::format("{}", offer.price),
                            fmt::format("asked at most {} microdollars, it costs {}",
                                        *request.price_max, offer.price)};
    }
    if (filter.pricing == OfferFilter::Pricing::spot && !offer.is_spot) {
        return refuse_property(OfferRefusal::Test::pricing, "spot", "on-demand",
                               "asked {0}, it is {1}");
    }
    if (filter.pricing == OfferFilter::Pricing::on_demand && offer.is_spot) {
        return refuse_property(OfferRefusal::Test::pricing, "on-demand", "spot",
                               "asked {0}, it is {1}");
    }
    const Backend* const backend = backend_of(offer.backend, filter);
    if (offer.is_spot && backend != nullptr && !backend->has_spot) {
        return refuse_backend(OfferRefusal::Test::pricing, offer, "spot instances");
    }
    if (request.architecture && *request.architecture != offer.architecture) {
        return refuse_property(OfferRefusal::Test::architecture,
                               fmt::format("{}", *request.architecture),
                               fmt::format("{}", offer.architecture), "asked {0}, it is {1}");
    }
    return std::nullopt;
}

std::optional<OfferRefusal> refuse_blocks(const Offer& offer, const OfferFilter& filter) {
    const Backend* const backend = backend_of(offer.backend, filter);
    if (offer.blocks != Count(1) && backend != nullptr && !backend->has_blocks()) {
        return refuse_backend(OfferRefusal::Test::blocks, offer, "blocks");
    }
    auto refusal = check_blocks(offer);
    if (!refusal) return std::nullopt;
    return OfferRefusal{OfferRefusal::Test::blocks, fmt::format("{} blocks", offer.blocks),
                        "what does not divide", std::move(refusal->reason)};
}

std::int64_t least_blocks(const Offer& offer, const OfferDemand& demand) {
    const std::int64_t all = offer.blocks.value();
    const auto least_for = [&](auto least, auto whole) {
        const std::int64_t each = whole.value() / all;
        return least.is_zero() ? 1 : each == 0 ? all : std::min(all, div_ceil(least, each).value());
    };
    const std::int64_t by_cpus = least_for(demand.cpus.least(), offer.cpus);
    if (demand.memory_per == Per::device) return by_cpus;
    return std::max(by_cpus, least_for(demand.memory.least(), offer.memory));
}

std::variant<Count, OfferRefusal> blocks_needed(const Offer& offer, const OfferDemand& demand,
                                                Exclusivity exclusivity) {
    const std::int64_t all = offer.blocks.value();
    std::int64_t k = exclusivity == Exclusivity::whole_node ? all : least_blocks(offer, demand);
    for (; k < all; ++k) {
        if (has_all(share_of(offer, Count(k)), demand)) return Count(k);
    }
    if (auto refused = refuse_share(share_of(offer, offer.blocks), demand))
        return *std::move(refused);
    return offer.blocks;
}

const Range<Bytes>& wanted_disk(const Request& request, const OfferFilter& filter) {
    return request.disk.is_open() ? filter.disk_default : request.disk;
}

std::optional<Range<Bytes>> chosen_disks(const Offer& offer, const Backend* backend) {
    if (!offer.disk) return backend == nullptr ? Range<Bytes>() : backend->disk;
    const bool is_most = backend != nullptr && backend->has_cpu_disk_up_to && offer.devices.empty();
    if (!is_most) return std::nullopt;
    return Range<Bytes>{backend->disk.min,
                        std::min(*offer.disk, backend->disk.max.value_or(*offer.disk))};
}

std::optional<OfferRefusal> refuse_disk(const Offer& offer, const Request& request,
                                        const OfferFilter& filter) {
    const auto disks = chosen_disks(offer, backend_of(offer.backend, filter));
    if (!disks) {
        if (request.disk.contains(*offer.disk)) return std::nullopt;
        return refuse_property(OfferRefusal::Test::disk, to_text(request.disk),
                               fmt::format("{}", *offer.disk), "asked {0} of disk, it has {1}");
    }
    const Range<Bytes>& wanted = wanted_disk(request, filter);
    if (intersect(wanted, *disks)) return std::nullopt;
    return refuse_property(OfferRefusal::Test::disk, to_text(wanted), to_text(*disks),
                           "asked {0} of disk, it can have {1}");
}

bool accepts(const std::vector<std::string>& wanted, std::string_view had) {
    return wanted.empty() || std::any_of(wanted.begin(), wanted.end(),
                                         [&](const auto& name) { return same_word(name, had); });
}

std::optional<OfferRefusal> refuse_name(OfferRefusal::Test test,
                                        const std::vector<std::string>& wanted,
                                        const std::string& had) {
    if (accepts(wanted, had)) return std::nullopt;
    OfferRefusal refusal{
        test, fmt::format("{}", fmt::join(wanted, " or ")), had.empty() ? "unknown" : had, {}};
    refusal.reason = fmt::format("asked {} {}, it is {}", test, refusal.wanted, refusal.had);
    return refusal;
}

bool may_be_of(const std::optional<OfferFilter::Reservation>& reservation,
               std::string OfferFilter::Reservation::*property, std::string_view had) {
    if (!reservation) return true;
    if (!reservation->exists) return false;
    const std::string& wanted = *reservation.*property;
    return wanted.empty() || same_word(wanted, had);
}

std::optional<OfferRefusal> refuse_reservation(const Offer& offer, const OfferFilter& filter) {
    const auto& reservation = filter.reservation;
    if (!reservation) return std::nullopt;
    if (!reservation->exists) {
        return OfferRefusal{OfferRefusal::Test::reservation, reservation->name, "unknown",
                            fmt::format("no reservation {} is known", reservation->name)};
    }
    if (offer.is_spot) {
        return OfferRefusal{
            OfferRefusal::Test::reservation, reservation->name, "spot",
            fmt::format("reservation {} holds no spot instances", reservation->name)};
    }
    if (may_be_of(reservation, &OfferFilter::Reservation::backend, offer.backend) &&
        may_be_of(reservation, &OfferFilter::Reservation::region, offer.region) &&
        may_be_of(reservation, &OfferFilter::Reservation::instance, offer.instance)) {
        return std::nullopt;
    }
    return refuse_property(
        OfferRefusal::Test::reservation,
        fmt::format("{} {} {}", reservation->backend, reservation->region, reservation->instance),
        fmt::format("{} {} {}", offer.backend, offer.region, offer.instance),
        "the reservation is of {0}, it is {1}");
}

bool accepts_zones(const std::vector<std::string>& wanted, const std::vector<std::string>& zones) {
    return wanted.empty() || std::any_of(zones.begin(), zones.end(),
                                         [&](const auto& zone) { return accepts(wanted, zone); });
}

std::optional<OfferRefusal> refuse_zones(const Offer& offer, const OfferFilter& filter) {
    const auto& zones = offer.availability_zones;
    if (accepts_zones(filter.availability_zones, zones)) return std::nullopt;
    return refuse_property(
        OfferRefusal::Test::availability_zone,
        fmt::format("{}", fmt::join(filter.availability_zones, " or ")),
        zones.empty() ? "no known zone" : fmt::format("{}", fmt::join(zones, ", ")),
        "asked zone {0}, it is in {1}");
}

bool accepts(const std::vector<Offer::Interconnect>& wanted,
             const std::optional<Offer::Interconnect>& had) {
    return wanted.empty() || (had && std::find(wanted.begin(), wanted.end(), *had) != wanted.end());
}

std::optional<OfferRefusal> refuse_interconnect(const Offer& offer, const OfferFilter& filter) {
    if (accepts(filter.interconnects, offer.interconnect)) return std::nullopt;
    std::string names;
    for (const Offer::Interconnect one : filter.interconnects) {
        names += (names.empty() ? "" : " or ") + std::string(to_text(one));
    }
    return refuse_property(
        OfferRefusal::Test::interconnect, std::move(names),
        offer.interconnect ? std::string(to_text(*offer.interconnect)) : "an unknown interconnect",
        "asked {0}, it has {1}");
}

std::optional<OfferRefusal> refuse_place(const Offer& offer, const OfferFilter& filter) {
    if (auto no = refuse_reservation(offer, filter)) return no;
    if (auto no = refuse_name(OfferRefusal::Test::backend, filter.backends, offer.backend))
        return no;
    if (auto no = refuse_name(OfferRefusal::Test::region, filter.regions, offer.region)) return no;
    if (auto no = refuse_name(OfferRefusal::Test::instance, filter.instances, offer.instance))
        return no;
    if (auto no = refuse_zones(offer, filter)) return no;
    return refuse_interconnect(offer, filter);
}

std::variant<Count, OfferRefusal> judge_offer(const Offer& offer, const Request& request,
                                              const OfferFilter& filter) {
    if (filter.unavailable == OfferFilter::Unavailable::leave_out && !offer.is_available()) {
        return OfferRefusal{OfferRefusal::Test::availability, "available",
                            fmt::format("{}", offer.availability),
                            fmt::format("it is {}", offer.availability)};
    }
    if (auto no = refuse_capabilities(offer, filter)) return *std::move(no);
    if (auto no = refuse_price(offer, request, filter)) return *std::move(no);
    if (auto no = refuse_blocks(offer, filter)) return *std::move(no);
    std::optional<std::variant<Count, OfferRefusal>> first;
    for (const OfferDemand& demand : offer_demands(request)) {
        auto blocks = blocks_needed(offer, demand, request.exclusivity);
        const bool is_met = std::holds_alternative<Count>(blocks);
        if (!first || is_met) first = std::move(blocks);
        if (is_met) break;
    }
    if (std::holds_alternative<OfferRefusal>(*first)) return *std::move(first);
    if (auto no = refuse_disk(offer, request, filter)) return *std::move(no);
    if (auto no = refuse_place(offer, filter)) return *std::move(no);
    return *std::move(first);
}

Verdict<OfferMatch> match_of(const Offer& offer, const Request& request,
                             const OfferFilter& filter) {
    auto judged = judge_offer(offer, request, filter);
    if (auto* const refusal = std::get_if<OfferRefusal>(&judged)) {
        return Refusal{constraint_of(refusal->test), std::move(refusal->reason)};
    }
    return OfferMatch{0, share_of(offer, std::get<Count>(judged)), offer.price};
}

}  // namespace detail

std::optional<OfferRefusal> explain_offer(const Offer& offer, const Request& request,
                                          const OfferFilter& filter) {
    auto judged = filter.blocks
                      ? detail::judge_offer(with_blocks(offer, *filter.blocks), request, filter)
                      : detail::judge_offer(offer, request, filter);
    if (auto* const refusal = std::get_if<OfferRefusal>(&judged)) return std::move(*refusal);
    return std::nullopt;
}

Verdict<OfferMatch> check_offer(const Offer& offer, const Request& request,
                                const OfferFilter& filter) {
    return filter.blocks ? detail::match_of(with_blocks(offer, *filter.blocks), request, filter)
                         : detail::match_of(offer, request, filter);
}

Verdict<OfferMatch> check_offer(const Offer& offer, const Request& request) {
    return check_offer(offer, request, OfferFilter{});
}

std::vector<std::string> zones_left(const Offer& offer, const OfferFilter& filter) {
    std::vector<std::string> left = offer.availability_zones;
    const auto& wanted = filter.availability_zones;
    std::erase_if(left, [&](const std::string& zone) { return !detail::accepts(wanted, zone); });
    return left;
}

std::optional<Bytes> disk_of(const Offer& offer, const Request& request,
                             const OfferFilter& filter) {
    const auto disks = detail::chosen_disks(offer, detail::backend_of(offer.backend, filter));
    if (!disks) return offer.disk;
    const auto both = intersect(detail::wanted_disk(request, filter), *disks);
    return both ? both->min : std::nullopt;
}

}  // namespace trestle
