// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why an offer was left out: the first test that it failed, what was wanted and what it had.
//
// Layer: alloc. Main types: OfferRefusal::Test, OfferRefusal, RejectedOffer.
// Pitfall: the enumerators stand in the order in which offers are tested. It is dstack's but for
// blocks: a part of an instance can only be judged when it divides.

#include <array>
#include <cstdint>
#include <string>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

/// The first test that an offer failed.
struct OfferRefusal {
    /// The tests of an offer, in their order.
    enum class Test {
        availability,
        multinode,
        privileged,
        instance_volumes,
        reservation,
        price,
        pricing,
        architecture,
        blocks,
        cpus,
        memory,
        devices,
        device_vendor,
        device_count,
        device_model,
        compute_capability,
        device_memory,
        device_total_memory,
        device_attributes,
        disk,
        backend,
        region,
        instance,
        availability_zone,
        interconnect,
    };

    Test test = Test::availability;
    std::string wanted;  ///< `40GiB..80GiB`
    std::string had;     ///< `24GiB`
    std::string reason;  ///< both in one line

    static constexpr auto fields(auto list) {
        return list(field("test", &OfferRefusal::test), field("wanted", &OfferRefusal::wanted),
                    field("had", &OfferRefusal::had), field("reason", &OfferRefusal::reason));
    }
    friend bool operator==(const OfferRefusal&, const OfferRefusal&) = default;
};

constexpr auto enum_names(OfferRefusal::Test) {
    using enum OfferRefusal::Test;
    return std::array{named(availability, "availability"),
                      named(multinode, "multinode"),
                      named(privileged, "privileged"),
                      named(instance_volumes, "instance_volumes"),
                      named(reservation, "reservation"),
                      named(price, "price"),
                      named(pricing, "pricing"),
                      named(architecture, "architecture"),
                      named(blocks, "blocks"),
                      named(cpus, "cpus"),
                      named(memory, "memory"),
                      named(devices, "devices"),
                      named(device_vendor, "device_vendor"),
                      named(device_count, "device_count"),
                      named(device_model, "device_model"),
                      named(compute_capability, "compute_capability"),
                      named(device_memory, "device_memory"),
                      named(device_total_memory, "device_total_memory"),
                      named(device_attributes, "device_attributes"),
                      named(disk, "disk"),
                      named(backend, "backend"),
                      named(region, "region"),
                      named(instance, "instance"),
                      named(availability_zone, "availability_zone"),
                      named(interconnect, "interconnect")};
}

/// `device_memory: gpu A10G has 24GiB of memory, asked 40GiB..80GiB`.
[[nodiscard]] inline std::string to_text(const OfferRefusal& refusal) {
    return std::string(to_text(refusal.test)) + ": " + refusal.reason;
}

/// An offer of a catalog that was left out.
struct RejectedOffer {
    std::uint32_t offer = 0;  ///< position in the catalog
    OfferRefusal refusal;

    static constexpr auto fields(auto list) {
        return list(field("offer", &RejectedOffer::offer),
                    field("refusal", &RejectedOffer::refusal));
    }
    friend bool operator==(const RejectedOffer&, const RejectedOffer&) = default;
};

}  // namespace trestle
