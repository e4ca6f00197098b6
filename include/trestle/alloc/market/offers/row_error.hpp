// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why a row of a list is no offer: row, column, token, what was expected.
//
// Layer: alloc. Main names: RowError, row_errors.
// Pitfall: rows count from 1.

#include <cstddef>
#include <string>
#include <vector>

#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/text.hpp"

namespace trestle {

/// Why a row is no offer.
struct RowError {
    std::size_t row = 0;  ///< counts from 1, as lines do in a text; 0: the list as a whole
    std::string column;   ///< its name; empty for the row as a whole
    TextError error;      ///< its offset counts from the start of the row's text, if it has one

    static constexpr auto fields(auto list) {
        return list(field("row", &RowError::row), field("column", &RowError::column),
                    field("error", &RowError::error));
    }
    friend bool operator==(const RowError&, const RowError&) = default;
};

/// `row 3, memory: unknown unit ("8Gi"): expected MB, GB or TB`.
[[nodiscard]] std::string to_text(const RowError& error);

/// What makes this offer none, one error for each column. Its row is `row`.
[[nodiscard]] std::vector<RowError> row_errors(const Offer& offer, std::size_t row);

}  // namespace trestle
