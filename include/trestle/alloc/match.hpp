// SPDX-License-Identifier: Apache-2.0
#pragma once

// Offers that meet a request, cheapest first, and why the others do not.
//
// Layer: alloc. Main functions: check_offer (one offer, with the reason of a no), match_offers (all
// that fit, in the total order price, then position in the list). The tests and their order are
// dstack's.
// A reader would get wrong: an instance is taken whole or in blocks, so a range must contain what
// the share *has*; `gpu: 4..8` does not match an instance with 16 GPUs.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/blocks.hpp"
#include "trestle/alloc/demand.hpp"
#include "trestle/alloc/device_match.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/offer.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// An offer that fits, and the part of it that is enough.
struct OfferMatch {
    std::size_t offer = 0;  ///< position in the list that was searched
    BlockShare share;       ///< the fewest blocks that meet the request
    Microdollars price;     ///< of the whole instance, an hour

    static constexpr auto fields() {
        return field_list(field("offer", &OfferMatch::offer), field("share", &OfferMatch::share),
                          field("price", &OfferMatch::price));
    }
    friend bool operator==(const OfferMatch&, const OfferMatch&) = default;
};

namespace detail {

/// The devices of an offer seen as one device, for the tests of device_match.
[[nodiscard]] inline Device as_device(const OfferedDevices& offered) {
    Device device;
    device.name = offered.name;
    device.type = offered.model;
    device.vendor = offered.vendor;
    device.model = offered.model;
    device.memory = offered.memory;
    device.compute_capability = offered.compute_capability;
    return device;
}

/// Why the share does not answer one demand for devices; nothing when it does. A demand that may
/// count zero is met by a share without such devices.
[[nodiscard]] inline std::optional<Refusal> refuse_devices(const BlockShare& share,
                                                           const DeviceDemand& demand) {
    const DeviceRequest& request = demand.request;
    bool has_name = false;
    std::string why;
    for (const OfferedDevices& offered : share.devices) {
        if (offered.name != request.name) continue;
        has_name = true;
        const auto total = checked_mul(offered.memory, offered.count.value());
        if (const auto wrong = mismatch(as_device(offered), request)) {
            why = fmt::format("{} {} differs in {}", request.name, offered.model, *wrong);
        } else if (!demand.count.contains(offered.count)) {
            why = fmt::format("asked {} {}, it has {}", demand.count, request.name, offered.count);
        } else if (!request.total_memory.contains(total.value_or(Bytes::max()))) {
            why = fmt::format("asked {} of {} memory in all, it has {}", request.total_memory,
                              request.name, total.value_or(Bytes::max()));
        } else {
            return std::nullopt;
        }
    }
    if (!has_name) {
        if (demand.count.least().is_zero()) return std::nullopt;
        return Refusal{Constraint::devices,
                       fmt::format("asked {} {}, it has none", demand.count, request.name)};
    }
    return Refusal{Constraint::device_attributes, why};
}

/// What one node must have, as ranges.
struct OfferDemand {
    Range<Count> cpus;
    Range<Bytes> memory;
    std::vector<DeviceDemand> devices;
};

[[nodiscard]] inline OfferDemand offer_demand(const Request& request) {
    const auto nodes = std::max<std::int64_t>(1, request.nodes.least().value());
    const NodeDemand node = demand_of(request, {0, nodes}, 1);
    OfferDemand demand{Range<Count>::at_least(node.cpus), request.memory, node.devices};
    if (const auto max = request.cpus_per_task.max) {
        demand.cpus.max = checked_mul(*max, node.tasks.value());
    }
    const Count per = request.memory_per == Per::cpu ? node.cpus : Count(1);
    const auto scale = [&](std::optional<Bytes>& end) {
        if (end) end = checked_mul(*end, per.value()).value_or(Bytes::max());
    };
    scale(demand.memory.min);
    scale(demand.memory.max);
    return demand;
}

[[nodiscard]] inline std::optional<Refusal> refuse_share(const BlockShare& share,
                                                         const OfferDemand& demand) {
    if (!demand.cpus.contains(share.cpus)) {
        return Refusal{Constraint::cores,
                       fmt::format("asked {} CPUs, it has {}", demand.cpus, share.cpus)};
    }
    if (!demand.memory.contains(share.memory)) {
        return Refusal{Constraint::memory,
                       fmt::format("asked {} of memory, it has {}", demand.memory, share.memory)};
    }
    for (const DeviceDemand& device : demand.devices) {
        if (auto refusal = refuse_devices(share, device)) return refusal;
    }
    return std::nullopt;
}

}  // namespace detail

/// The smallest part of `offer` that meets `request`, or the first test that fails, in this order:
/// availability, price, architecture, blocks, disk, CPUs, memory, devices. With blocks the reason
/// is that of the whole instance. The match's `offer` is 0.
/// Requires: check(request) is ok. Complexity: blocks times device demands.
[[nodiscard]] inline Verdict<OfferMatch> check_offer(const Offer& offer, const Request& request) {
    if (!is_available(offer)) {
        return Refusal{Constraint::node_state, fmt::format("it is {}", offer.availability)};
    }
    if (request.price_max && offer.price > *request.price_max) {
        return Refusal{Constraint::price, fmt::format("asked at most {} microdollars, it costs {}",
                                                      *request.price_max, offer.price)};
    }
    if (request.architecture && *request.architecture != offer.architecture) {
        return Refusal{
            Constraint::features,
            fmt::format("asked {}, it is {}", *request.architecture, offer.architecture)};
    }
    if (auto refusal = check_blocks(offer)) return *std::move(refusal);
    if (offer.disk && !request.disk.contains(*offer.disk)) {
        return Refusal{Constraint::disk,
                       fmt::format("asked {} of disk, it has {}", request.disk, *offer.disk)};
    }
    const detail::OfferDemand demand = detail::offer_demand(request);
    const bool is_whole = request.exclusivity == Exclusivity::whole_node;
    std::optional<Refusal> refusal;
    for (std::int64_t k = is_whole ? offer.blocks.value() : 1; k <= offer.blocks.value(); ++k) {
        BlockShare share = share_of(offer, Count(k));
        refusal = detail::refuse_share(share, demand);
        if (!refusal) return OfferMatch{0, std::move(share), offer.price};
    }
    return *std::move(refusal);
}

/// Every offer that meets `request`, cheapest first; equal prices keep the order of the list.
/// Requires: check(request) is ok. Complexity: n offers times check_offer, n log n to sort.
[[nodiscard]] inline std::vector<OfferMatch> match_offers(std::span<const Offer> offers,
                                                          const Request& request) {
    std::vector<OfferMatch> matches;
    for (std::size_t i = 0; i < offers.size(); ++i) {
        auto verdict = check_offer(offers[i], request);
        if (!verdict) continue;
        matches.push_back(*std::move(verdict));
        matches.back().offer = i;
    }
    std::stable_sort(matches.begin(), matches.end(),
                     [](const OfferMatch& a, const OfferMatch& b) { return a.price < b.price; });
    return matches;
}

}  // namespace trestle
