// SPDX-License-Identifier: Apache-2.0
// Offers, requests and filters that often just meet or just miss each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trestle/alloc/market/offers/known_devices.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/alloc/market/offers/offer_filter.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/model/request.hpp"

namespace trestle::testing {

/// Draws from one generator, one value at a time.
class OfferWorld {
  public:
    explicit OfferWorld(std::uint64_t seed) : rng_(seed) {}

    std::int64_t below(std::int64_t n) {
        return static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(n)));
    }
    bool one_in(std::int64_t n) { return below(n) == 0; }
    template <class T>
    const T& of(const std::vector<T>& list) {
        return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
    }

    Offer::Devices devices() {
        const KnownDevice& known = known_devices()[static_cast<std::size_t>(below(6))];
        Offer::Devices one{"gpu", known.vendor, known.model, known.memory, Count(1), {}};
        if (!one_in(5)) one.compute_capability = known.compute_capability;
        if (one_in(9)) one.vendor = "amd";
        const std::int64_t exponent = below(4);
        one.count = Count(std::int64_t{1} << exponent);
        return one;
    }

    Offer offer() {
        Offer one;
        if (!one_in(9)) one.backend = of(backends_);
        one.region = of(regions_);
        one.instance = of(instances_);
        one.architecture = one_in(5) ? Architecture::arm : Architecture::x86;
        one.cpus = Count(8 * (1 + below(4)));
        one.memory = gib(8 * (1 + below(6)));
        if (!one_in(3)) one.disk = gib(50 * (1 + below(4)));
        if (!one_in(3)) one.devices = {devices()};
        one.price = Microdollars(below(5));
        one.is_spot = one_in(3);
        const std::int64_t availability = below(9);
        if (availability < 7) {
            one.availability =
                enum_names(Offer::Availability{})[static_cast<std::size_t>(availability)].value;
        }
        if (one_in(4)) one.blocks = Count(1 + below(8));
        for (std::int64_t n = below(3); n > 0; --n) one.availability_zones.push_back(of(zones_));
        if (!one_in(3)) one.interconnect = interconnect();
        return one;
    }

    std::vector<Offer> offers(std::int64_t most) {
        std::vector<Offer> all;
        for (std::int64_t n = below(most + 1); n > 0; --n) {
            // Often the same instance somewhere else, as in a price list.
            const bool is_copy = !all.empty() && !one_in(3);
            Offer next = offer();
            if (is_copy) {
                Offer copy = of(all);
                copy.region = next.region;
                copy.price = next.price;
                copy.is_spot = next.is_spot;
                next = copy;
            }
            all.push_back(next);
        }
        return all;
    }

    Range<Count> counts(std::int64_t most) {
        const std::int64_t least = below(most + 1);
        const std::int64_t more = below(most + 1);
        if (one_in(3)) return Range<Count>::at_least(Count(least));
        return Range<Count>::between(Count(least), Count(least + more));
    }
    Range<Bytes> sizes(std::int64_t most) {
        const Range<Count> range = counts(most);
        Range<Bytes> bytes;
        if (range.min) bytes.min = gib(range.min->value() * 8);
        if (range.max) bytes.max = gib(range.max->value() * 8);
        return bytes;
    }

    Request request() {
        Request one;
        if (!one_in(3)) one.cpus_per_task = {Count(1 + below(12)), Count(12 + below(24))};
        one.memory = one_in(2) ? Range<Bytes>() : sizes(5);
        one.disk = one_in(2) ? Range<Bytes>() : sizes(20);
        if (one_in(4)) one.price_max = Microdollars(below(5));
        if (one_in(4)) one.architecture = one_in(3) ? Architecture::arm : Architecture::x86;
        if (one_in(8)) one.exclusivity = Exclusivity::whole_node;
        if (one_in(3)) return one;
        DeviceRequest demand;
        demand.count = counts(4);
        if (one_in(3)) demand.vendor = "nvidia";
        for (std::int64_t n = one_in(2) ? below(3) : 0; n > 0; --n) {
            demand.models.push_back(one_in(2) ? "a100" : devices().model);
        }
        if (one_in(3)) demand.memory = sizes(10);
        if (one_in(4)) demand.total_memory = sizes(40);
        if (one_in(4)) demand.compute_capability.min = Version{8, static_cast<unsigned>(below(7))};
        one.devices = {demand};
        if (one_in(6)) {
            one.common_attributes = {
                {of(std::vector<std::string>{"model", "model", "vendor", "numa"}), {}}};
        }
        return one;
    }

    OfferFilter filter() {
        OfferFilter one;
        if (one_in(3)) one.backends = {of(backends_), of(backends_)};
        if (one_in(3)) one.regions = {of(regions_), of(regions_)};
        if (one_in(4)) one.instances = {of(instances_), of(instances_)};
        if (one_in(5)) one.availability_zones = {of(zones_)};
        if (one_in(5)) one.interconnects = {interconnect(), interconnect()};
        const std::int64_t pricing = below(3);
        one.pricing = enum_names(OfferFilter::Pricing{})[static_cast<std::size_t>(pricing)].value;
        if (one_in(6)) one.reservation = reservation();
        one.needs_multinode = one_in(6);
        one.needs_privileged = one_in(8);
        one.needs_instance_volumes = one_in(8);
        if (one_in(2)) one.capabilities = capabilities();
        if (one_in(3)) one.disk_default = sizes(20);
        if (one_in(2)) one.unavailable = OfferFilter::Unavailable::last;
        if (one_in(4)) one.blocks = BlockCount{false, Count(1 + below(4))};
        if (one_in(6)) one.blocks = BlockCount{true, Count(1)};
        if (one_in(4)) one.offers_max = Count(below(20));
        return one;
    }

  private:
    Offer::Interconnect interconnect() {
        const std::int64_t at = below(5);
        return enum_names(Offer::Interconnect{})[static_cast<std::size_t>(at)].value;
    }
    OfferFilter::Reservation reservation() {
        OfferFilter::Reservation one;
        one.name = "r";
        if (one_in(2)) one.backend = of(backends_);
        if (one_in(3)) one.region = of(regions_);
        if (one_in(3)) one.instance = of(instances_);
        one.exists = !one_in(8);
        return one;
    }
    std::vector<Backend> capabilities() {
        std::vector<Backend> all;
        for (const std::string& name : backends_) {
            if (one_in(5)) continue;
            Backend one;
            one.name = name;
            const std::int64_t kind = below(4);
            one.kind = enum_names(Backend::Kind{})[static_cast<std::size_t>(kind)].value;
            one.has_multinode = one_in(2);
            one.has_reservations = !one_in(3);
            one.has_privileged = one_in(2);
            one.has_instance_volumes = one_in(2);
            one.has_spot = !one_in(3);
            if (one_in(2)) one.disk = sizes(20);
            one.has_cpu_disk_up_to = one_in(3);
            all.push_back(one);
        }
        return all;
    }

    Rng rng_;
    std::vector<std::string> backends_ = {"aws", "AWS", "gcp", "runpod", "remote"};
    std::vector<std::string> regions_ = {"us", "eu", "EU", "asia"};
    std::vector<std::string> instances_ = {"small", "Large", "large", "huge"};
    std::vector<std::string> zones_ = {"a", "b", "A"};
};

}  // namespace trestle::testing
