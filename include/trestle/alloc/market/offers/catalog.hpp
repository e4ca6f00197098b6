// SPDX-License-Identifier: Apache-2.0
#pragma once

// Catalog: offers as an immutable value in columns, in the order in which they are wanted.
//
// Layer: alloc. Main types: Catalog, Catalog::Reading. What cannot be had stands last; then the
// lowest price comes first, then the earlier backend, then the earlier row. Copies share
// everything.
// Pitfall: positions in a catalog are not those of the rows that it was made of.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/alloc/market/offers/row_error.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

struct CatalogColumns;  // private, in src/alloc/market/offers

/// Offers in the order in which they are wanted. A moved-from one may only be assigned to or
/// destroyed.
class Catalog {
  public:
    struct Reading;

    /// Without offers.
    Catalog();

    /// All offers without errors, and the errors of the others. Among equal prices the backends of
    /// `backend_order` come first, as they stand there (without regard to case), then the others as
    /// they first appear. Row numbers count from 1.
    /// Requires: below 2^32 offers. Complexity: n log n.
    [[nodiscard]] static Reading read(std::span<const Offer> offers,
                                      std::span<const std::string> backend_order = {});

    [[nodiscard]] std::uint32_t size() const;
    [[nodiscard]] bool is_empty() const { return size() == 0; }
    /// The offer at a position, whole. Requires: position < size().
    [[nodiscard]] Offer operator[](std::uint32_t position) const;
    /// All of them. Complexity: linear, and every text is copied.
    [[nodiscard]] std::vector<Offer> offers() const;
    /// For matching and for columns in Python.
    [[nodiscard]] const CatalogColumns& columns() const { return *columns_; }

    /// True when both hold equal offers in the same order. Complexity: linear.
    friend bool operator==(const Catalog& a, const Catalog& b);
    void hash_into(HashState& state) const;

  private:
    explicit Catalog(CatalogColumns columns);

    std::shared_ptr<const CatalogColumns> columns_;
};

/// A catalog, and the rows that are not in it.
struct Catalog::Reading {
    Catalog catalog;
    std::vector<RowError> errors;  ///< by row

    friend bool operator==(const Reading&, const Reading&) = default;
};

}  // namespace trestle
