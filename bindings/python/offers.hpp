// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the bindings of offers have in common: matches as one object, and errors of rows.
// Pitfall: matches are not a tuple, because a hundred thousand Python objects cost more than
// finding them.

#include <vector>

#include "trestle/alloc/market/match_catalog.hpp"
#include "trestle/alloc/market/offers/row_error.hpp"

namespace trestle::python {

/// What match_offers found.
struct CatalogMatches {
    std::vector<CatalogMatch> list;

    friend bool operator==(const CatalogMatches&, const CatalogMatches&) = default;
};

/// ValueError with row, column, token and expected.
[[noreturn]] void raise_row_error(const RowError& row);

}  // namespace trestle::python
