// SPDX-License-Identifier: Apache-2.0
#pragma once

// CatalogColumns: how a catalog keeps its offers.
//
// Layer: alloc (private). Main type: CatalogColumns. Catalog::read() makes the columns; matching
// reads them without copying offers.

#include <cstdint>
#include <string>
#include <vector>

#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// The columns of a catalog. Offers that sell the same instance share a spec, those of one place a
/// place.
struct CatalogColumns {
    // By row, in the catalog's order.
    std::vector<std::uint32_t> spec;
    std::vector<std::uint32_t> place;
    std::vector<Microdollars> price;
    std::vector<Offer::Availability> availability;
    std::vector<std::uint8_t> traits;  ///< what the offer is, a bit each: see Trait
    std::vector<std::uint32_t> row;    ///< of the list that the catalog was made of, from 0
    std::uint32_t available = 0;       ///< so many of the first can be had

    // By spec; those of one kind of device stand together, in the order of `kinds`.
    std::vector<Offer> specs;  ///< nothing but the instance, what it holds, and its interconnect
    std::vector<Architecture> architecture;
    std::vector<Count> cpus;
    std::vector<Bytes> memory;
    std::vector<std::int64_t> disk;   ///< bytes; -1: unknown
    std::vector<Count> device_count;  ///< of the one kind
    std::vector<Bytes>
        device_memory;  ///< of all devices together; the largest number if it is more
    std::vector<std::uint32_t> first_of_spec;  ///< in rows_of_specs; one more than specs
    std::vector<std::uint32_t> rows_of_specs;  ///< spec by spec, rising

    /// The kinds of devices that are offered alone, each with a count of 0. The first stands for
    /// no device.
    std::vector<Offer::Devices> kinds;
    /// The first spec of each kind, and one more: from there on specs hold several kinds, are cut
    /// into blocks, or do not divide.
    std::vector<std::uint32_t> first_of_kind;

    // By place.
    std::vector<Offer> places;                    ///< nothing but backend, region and zones
    std::vector<std::uint32_t> backend_of_place;  ///< in `backends`
    std::vector<std::string> backends;            ///< each spelling once
    std::vector<std::string> backend_order;       ///< in small letters, the first one first

    /// Bits of `traits`.
    enum Trait : std::uint8_t {
        is_offer = 1,  ///< always there
        is_spot = 2,
        is_on_demand = 4,
        has_no_disk = 8,
        is_cut = 16,
    };
};

}  // namespace trestle
