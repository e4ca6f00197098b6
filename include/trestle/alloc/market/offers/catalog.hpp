// SPDX-License-Identifier: Apache-2.0
#pragma once

// Catalog: offers as an immutable value in columns, in the order in which they are wanted.
//
// Layer: model. Main types: Catalog, CatalogColumns, CatalogReading. What cannot be had
// stands last; then the lowest price comes first, then the earlier backend, then the earlier row.
// Copies share everything. Matching lives in alloc.
// A reader would get wrong: positions in a catalog are not those of the rows that it was made of.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/alloc/market/offers/row_error.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

/// The columns of a catalog. Offers that sell the same instance share a spec, those of one place a
/// place.
struct CatalogColumns {
    // By row, in the catalog's order.
    std::vector<std::uint32_t> spec;
    std::vector<std::uint32_t> place;
    std::vector<Microdollars> price;
    std::vector<Availability> availability;
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
    std::vector<OfferedDevices> kinds;
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

struct CatalogReading;

/// Offers in the order in which they are wanted. A moved-from one may only be assigned to or
/// destroyed.
class Catalog {
  public:
    Catalog() : columns_(std::make_shared<const CatalogColumns>(empty_columns())) {}

    /// All offers without errors, and the errors of the others. Among equal prices the backends of
    /// `backend_order` come first, as they stand there (without regard to case), then the others as
    /// they first appear. Row numbers count from 1.
    /// Requires: below 2^32 offers. Complexity: n log n.
    [[nodiscard]] static CatalogReading read(std::span<const Offer> offers,
                                             std::span<const std::string> backend_order = {});

    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(columns_->spec.size());
    }
    [[nodiscard]] bool is_empty() const { return size() == 0; }
    /// The offer at a position, whole. Requires: position < size().
    [[nodiscard]] Offer operator[](std::uint32_t position) const;
    /// All of them. Complexity: linear, and every text is copied.
    [[nodiscard]] std::vector<Offer> offers() const;
    [[nodiscard]] const CatalogColumns& columns() const { return *columns_; }

    /// True when both hold equal offers in the same order. Complexity: linear.
    friend bool operator==(const Catalog& a, const Catalog& b) {
        if (a.columns_ == b.columns_) return true;
        if (a.size() != b.size()) return false;
        for (std::uint32_t i = 0; i < a.size(); ++i) {
            if (a[i] != b[i]) return false;
        }
        return true;
    }
    void hash_into(HashState& state) const;

  private:
    explicit Catalog(CatalogColumns columns)
        : columns_(std::make_shared<const CatalogColumns>(std::move(columns))) {}
    [[nodiscard]] static CatalogColumns empty_columns();

    std::shared_ptr<const CatalogColumns> columns_;
};

/// A catalog, and the rows that are not in it.
struct CatalogReading {
    Catalog catalog;
    std::vector<RowError> errors;  ///< by row

    friend bool operator==(const CatalogReading&, const CatalogReading&) = default;
};

}  // namespace trestle
