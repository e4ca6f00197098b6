// SPDX-License-Identifier: Apache-2.0
#pragma once

// Offer: an instance that can be had, idle or for sale; BlockShare: a number of its equal blocks.
//
// Layer: alloc. Main types: Offer::Devices, Offer, Interconnect, BlockCount, BlockShare. An offer
// is a price list's row or a running instance seen from outside; matching and choosing live in
// alloc.
// Pitfall: `price` is for the whole instance an hour, also when blocks are sold.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// An instance that can be had; its price is for the whole of it, an hour.
struct Offer {
    /// A number of equal devices of an offer.
    struct Devices {
        std::string name = "gpu";
        std::string vendor;
        std::string model;
        Bytes memory;  ///< of each
        Count count{1};
        std::optional<Version> compute_capability;

        static constexpr auto fields(auto list) {
            return list(field("name", &Devices::name), field("vendor", &Devices::vendor),
                        field("model", &Devices::model), field("memory", &Devices::memory),
                        field("count", &Devices::count),
                        field("compute_capability", &Devices::compute_capability));
        }
        friend bool operator==(const Devices&, const Devices&) = default;
    };

    /// What connects the instance to its like, as far as programs can use it.
    enum class Interconnect { none, efa, gpudirect, roce, infiniband };

    /// Whether an offer can be had.
    enum class Availability { unknown, available, idle, busy, not_available, no_quota, no_balance };

    std::string backend;
    std::string region;
    std::string instance;
    Architecture architecture = Architecture::x86;
    Count cpus;
    Bytes memory;
    std::optional<Bytes> disk;  ///< absent: unknown, matches every demand
    std::vector<Devices> devices;
    Microdollars price;  ///< an hour, for all of it
    bool is_spot = false;
    Availability availability = Availability::available;
    Count blocks{1};                              ///< the equal parts that it is cut into
    std::vector<std::string> availability_zones;  ///< where in the region; empty: unknown
    std::optional<Interconnect> interconnect;     ///< absent: unknown

    /// True when the offer may be taken now.
    [[nodiscard]] bool is_available() const;

    static constexpr auto fields(auto list) {
        return list(field("backend", &Offer::backend), field("region", &Offer::region),
                    field("instance", &Offer::instance),
                    field("architecture", &Offer::architecture), field("cpus", &Offer::cpus),
                    field("memory", &Offer::memory), field("disk", &Offer::disk),
                    field("devices", &Offer::devices), field("price", &Offer::price),
                    field("is_spot", &Offer::is_spot), field("availability", &Offer::availability),
                    field("blocks", &Offer::blocks),
                    field("availability_zones", &Offer::availability_zones),
                    field("interconnect", &Offer::interconnect));
    }
    friend bool operator==(const Offer&, const Offer&) = default;
};

constexpr auto enum_names(Offer::Interconnect) {
    using enum Offer::Interconnect;
    return std::array{named(none, "none"), named(efa, "efa"), named(gpudirect, "gpudirect"),
                      named(roce, "roce"), named(infiniband, "infiniband")};
}

constexpr auto enum_names(Offer::Availability) {
    using enum Offer::Availability;
    return std::array{named(unknown, "unknown"),
                      named(available, "available"),
                      named(idle, "idle"),
                      named(busy, "busy"),
                      named(no_quota, "no_quota"),
                      named(not_available, "not_available"),
                      named(no_balance, "no_balance")};
}

/// The equal parts that an instance is cut into.
struct BlockCount {
    bool is_auto = false;  ///< as many as divide it evenly; `count` is 1 then
    Count count{1};        ///< 1 or more

    static constexpr auto fields(auto list) {
        return list(field("is_auto", &BlockCount::is_auto), field("count", &BlockCount::count));
    }
    friend bool operator==(const BlockCount&, const BlockCount&) = default;
};

/// What a number of blocks of an offer holds.
struct BlockShare {
    Count blocks{1};
    Count cpus;
    Bytes memory;
    std::vector<Offer::Devices> devices;

    static constexpr auto fields(auto list) {
        return list(field("blocks", &BlockShare::blocks), field("cpus", &BlockShare::cpus),
                    field("memory", &BlockShare::memory), field("devices", &BlockShare::devices));
    }
    friend bool operator==(const BlockShare&, const BlockShare&) = default;
};

}  // namespace trestle
