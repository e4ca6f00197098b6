// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is wanted of an offer beside its resources: where it is, what its backend can do, how it is
// paid.
//
// Layer: alloc. Main types: OfferFilter, Reservation, Pricing. Resources and the highest price
// stand in Request.
// Pitfall: an empty list accepts everything, also what is unknown; a list with names accepts only
// offers that state one of them.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/market/offers/backend.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// What is wanted of an offer beside its resources.
struct OfferFilter {
    /// Instances that a user has set aside with a backend. Empty texts: any.
    struct Reservation {
        std::string name;
        std::string backend;
        std::string region;
        std::string instance;
        bool exists = true;  ///< false: nothing is known of this name, so no instance is of it

        static constexpr auto fields(auto list) {
            return list(field("name", &Reservation::name), field("backend", &Reservation::backend),
                        field("region", &Reservation::region),
                        field("instance", &Reservation::instance),
                        field("exists", &Reservation::exists));
        }
        friend bool operator==(const Reservation&, const Reservation&) = default;
    };

    /// What becomes of offers that cannot be had now.
    enum class Unavailable { leave_out, last };

    /// How an instance may be paid.
    enum class Pricing { any, on_demand, spot };

    std::vector<std::string> backends;               ///< any of these, without regard to case
    std::vector<std::string> regions;                ///< the same
    std::vector<std::string> instances;              ///< names of instance types; the same
    std::vector<std::string> availability_zones;     ///< the same
    std::vector<Offer::Interconnect> interconnects;  ///< any of these
    Pricing pricing = Pricing::any;
    /// Only instances of this one: of a backend that has reservations, and not spot.
    std::optional<Reservation> reservation;
    bool needs_multinode = false;
    bool needs_privileged = false;
    bool needs_instance_volumes = false;
    /// What backends can do. Empty: unknown, and not checked. It is not checked for an offer
    /// without a backend either.
    std::vector<Backend> capabilities;
    /// Of a disk that can be had in any size, where the request asks for none.
    Range<Bytes> disk_default;
    Unavailable unavailable = Unavailable::leave_out;
    std::optional<BlockCount> blocks;  ///< offers are cut into these first; absent: as they are
    std::optional<Count> offers_max;   ///< so many of the first; absent: all

    static constexpr auto fields(auto list) {
        return list(
            field("backends", &OfferFilter::backends), field("regions", &OfferFilter::regions),
            field("instances", &OfferFilter::instances),
            field("availability_zones", &OfferFilter::availability_zones),
            field("interconnects", &OfferFilter::interconnects),
            field("pricing", &OfferFilter::pricing),
            field("reservation", &OfferFilter::reservation),
            field("needs_multinode", &OfferFilter::needs_multinode),
            field("needs_privileged", &OfferFilter::needs_privileged),
            field("needs_instance_volumes", &OfferFilter::needs_instance_volumes),
            field("capabilities", &OfferFilter::capabilities),
            field("disk_default", &OfferFilter::disk_default),
            field("unavailable", &OfferFilter::unavailable), field("blocks", &OfferFilter::blocks),
            field("offers_max", &OfferFilter::offers_max));
    }
    friend bool operator==(const OfferFilter&, const OfferFilter&) = default;
};

constexpr auto enum_names(OfferFilter::Unavailable) {
    return std::array{named(OfferFilter::Unavailable::leave_out, "leave_out"),
                      named(OfferFilter::Unavailable::last, "last")};
}

constexpr auto enum_names(OfferFilter::Pricing) {
    return std::array{named(OfferFilter::Pricing::any, "any"),
                      named(OfferFilter::Pricing::on_demand, "on_demand"),
                      named(OfferFilter::Pricing::spot, "spot")};
}

}  // namespace trestle
