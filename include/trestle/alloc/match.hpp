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
#include <string_view>
#include <vector>

#include "trestle/alloc/blocks.hpp"
#include "trestle/alloc/device_match.hpp"
#include "trestle/alloc/fit/demand.hpp"
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

    static constexpr auto fields(auto list) {
        return list(field("offer", &OfferMatch::offer), field("share", &OfferMatch::share),
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

/// `gpu A10G has 24GiB of memory, asked 40GiB..80GiB`, for a property that mismatch has named.
[[nodiscard]] inline std::string difference(const OfferedDevices& offered,
                                            const DeviceRequest& request,
                                            std::string_view property) {
    const std::string devices = fmt::format("{} {}", request.name, offered.model);
    if (property == "memory") {
        return fmt::format("{} has {} of memory, asked {}", devices, offered.memory,
                           request.memory);
    }
    if (property == "compute_capability") {
        return fmt::format(
            "{} has compute capability {}, asked {}", devices,
            offered.compute_capability ? to_text(*offered.compute_capability) : "unknown",
            request.compute_capability);
    }
    if (property == "vendor") {
        return fmt::format("{} is of {}, asked {}", devices,
                           offered.vendor.empty() ? "an unknown vendor" : offered.vendor,
                           request.vendor);
    }
    if (property == "attributes") {
        return fmt::format("{} has no attributes, asked {}", devices,
                           request.attributes.front().name);
    }
    const auto& asked = property == "type" ? request.types : request.models;
    return fmt::format("it has {}, asked {}", devices, fmt::join(asked, " or "));
}

/// Why these devices, of which earlier demands have left some, do not answer the demand; nothing
/// when they do.
[[nodiscard]] inline std::optional<std::string> refuse_devices(const OfferedDevices& offered,
                                                               Count left,
                                                               const DeviceDemand& demand) {
    const DeviceRequest& request = demand.request;
    if (const auto wrong = mismatch(as_device(offered), request)) {
        return difference(offered, request, *wrong);
    }
    if (!demand.count.contains(offered.count)) {
        return fmt::format("asked {} {}, it has {}", demand.count, request.name, offered.count);
    }
    if (left < demand.count.least()) {
        return fmt::format("asked {} {} more, {} of {} are left", demand.count, request.name, left,
                           offered.count);
    }
    const auto total = checked_mul(offered.memory, offered.count.value()).value_or(Bytes::max());
    if (!request.total_memory.contains(total)) {
        return fmt::format("asked {} of {} memory in all, it has {}", request.total_memory,
                           request.name, total);
    }
    return std::nullopt;
}

/// How many devices of the share answer the demands, or why one demand has none. Each demand in
/// its turn takes its least count of the first devices that answer it. A demand that may count zero
/// is met by a share without such devices.
[[nodiscard]] inline Verdict<Count> answer_devices(const BlockShare& share,
                                                   const std::vector<DeviceDemand>& demands) {
    std::vector<Count> left;
    for (const OfferedDevices& offered : share.devices) left.push_back(offered.count);
    std::vector<bool> answers(share.devices.size());
    for (const DeviceDemand& demand : demands) {
        const std::string& name = demand.request.name;
        const Count least = demand.count.least();
        std::optional<std::string> why;
        bool is_met = false;
        for (std::size_t i = 0; i < share.devices.size() && !is_met; ++i) {
            if (share.devices[i].name != name) continue;
            why = refuse_devices(share.devices[i], left[i], demand);
            if (why) continue;
            is_met = answers[i] = true;
            left[i] -= least;
        }
        if (is_met) continue;
        if (why) return Refusal{Constraint::device_attributes, *why};
        if (!least.is_zero()) {
            return Refusal{Constraint::devices,
                           fmt::format("asked {} {}, it has none", demand.count, name)};
        }
    }
    Count count;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i]) count += share.devices[i].count;
    }
    return count;
}

/// What one node must have, as ranges.
struct OfferDemand {
    Range<Count> cpus;
    Range<Bytes> memory;  ///< for each device with Per::device, else in all
    Per memory_per = Per::node;
    std::vector<DeviceDemand> devices;
    Count cpus_per_device;
};

[[nodiscard]] inline Range<Bytes> times(Range<Bytes> range, Count count) {
    for (std::optional<Bytes>* end : {&range.min, &range.max}) {
        if (*end) *end = checked_mul(**end, count.value()).value_or(Bytes::max());
    }
    return range;
}

[[nodiscard]] inline OfferDemand offer_demand(const Request& request) {
    const auto nodes = std::max<std::int64_t>(1, request.nodes.least().value());
    const NodeDemand node = demand_of(request, {0, nodes}, 1);
    const Count in_thousandths(div_ceil(node.all_milli_cpus(), cpus(1).value()).value());
    const auto with_thousandths = [&](Count whole) {
        return checked_add(whole, in_thousandths).value_or(Count::max());
    };
    OfferDemand demand{Range<Count>::at_least(with_thousandths(node.cpus())), request.memory,
                       request.memory_per, node.devices, node.cpus_per_device};
    if (const auto max = request.cpus_per_task.max; max && !node.cpus_per_task.is_zero()) {
        const auto most = checked_mul(*max, node.tasks.value());
        if (most) demand.cpus.max = with_thousandths(*most);
    }
    if (request.memory_per == Per::cpu) demand.memory = times(request.memory, node.cpus());
    return demand;
}

[[nodiscard]] inline std::optional<Refusal> refuse_share(const BlockShare& share,
                                                         const OfferDemand& demand) {
    const Verdict<Count> devices = answer_devices(share, demand.devices);
    if (!demand.cpus.contains(share.cpus)) {
        return Refusal{Constraint::cores,
                       fmt::format("asked {} CPUs, it has {}", demand.cpus, share.cpus)};
    }
    const bool is_per_device = demand.memory_per == Per::device;
    if (is_per_device && !devices) return devices.refusal();
    // Memory for each of no devices is no demand.
    const Range<Bytes> memory = !is_per_device       ? demand.memory
                                : devices->is_zero() ? Range<Bytes>()
                                                     : times(demand.memory, *devices);
    if (!memory.contains(share.memory)) {
        return Refusal{Constraint::memory,
                       fmt::format("asked {} of memory{}, it has {}", memory,
                                   is_per_device ? fmt::format(" for {} devices", *devices) : "",
                                   share.memory)};
    }
    if (!devices) return devices.refusal();
    const auto cpus = checked_mul(demand.cpus_per_device, devices->value()).value_or(Count::max());
    if (share.cpus < cpus) {
        return Refusal{Constraint::cores, fmt::format("asked {} CPUs for {} devices, it has {}",
                                                      cpus, *devices, share.cpus)};
    }
    return std::nullopt;
}

/// With the devices of the request, whatever its alternatives.
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
    const detail::OfferDemand demand = offer_demand(request);
    const bool is_whole = request.exclusivity == Exclusivity::whole_node;
    std::optional<Refusal> refusal;
    for (std::int64_t k = is_whole ? offer.blocks.value() : 1; k <= offer.blocks.value(); ++k) {
        BlockShare share = share_of(offer, Count(k));
        refusal = refuse_share(share, demand);
        if (!refusal) return OfferMatch{0, std::move(share), offer.price};
    }
    return *std::move(refusal);
}

}  // namespace detail

/// The smallest part of `offer` that meets `request`, or the first test that fails, in this order:
/// availability, price, architecture, blocks, disk, CPUs, memory, devices, CPUs for each device.
/// With device_alternatives the first list that is met decides; none: what the devices themselves
/// lack. Devices are counted as the share has them, so memory per device is that of all of them.
/// Thousandths of CPUs count as the whole CPUs that have them. With blocks the reason is that of
/// the whole instance. The match's `offer` is 0. Requires:
/// check(request) is ok. Complexity: blocks times device demands times kinds of devices.
[[nodiscard]] inline Verdict<OfferMatch> check_offer(const Offer& offer, const Request& request) {
    return first_alternative(request,
                             [&](const Request& one) { return detail::check_offer(offer, one); });
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
