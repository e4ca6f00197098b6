// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why a row of a list is no offer: row, column, token, what was expected.
//
// Layer: model. Main names: RowError, row_errors.
// A reader would get wrong: rows count from 1.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/text.hpp"
#include "trestle/model/offer.hpp"

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
[[nodiscard]] inline std::string to_text(const RowError& error) {
    std::string line = error.row == 0 ? "offers" : "row " + std::to_string(error.row);
    if (!error.column.empty()) line += ", " + error.column;
    line += ": " + error.error.what;
    if (!error.error.token.empty()) line += " (" + detail::quoted(error.error.token) + ")";
    return line + ": expected " + error.error.expected;
}

/// What makes this offer none, one error for each column. Its row is `row`.
[[nodiscard]] inline std::vector<RowError> row_errors(const Offer& offer, std::size_t row) {
    std::vector<RowError> errors;
    const auto add = [&](const char* column, const char* token, const char* what,
                         const char* expected) {
        errors.push_back({row, column, {0, token, what, expected}});
    };
    const auto any_device = [&](const auto& is_wrong) {
        return std::any_of(offer.devices.begin(), offer.devices.end(), is_wrong);
    };
    if (any_device([](const OfferedDevices& d) { return d.name.empty(); })) {
        add("devices", "", "devices without a name", "a name, as in gpu");
    } else if (any_device([](const OfferedDevices& d) { return d.count.is_zero(); })) {
        add("devices", "0", "a count of 0", "1 or more, or no such devices at all");
    }
    if (offer.blocks.is_zero() || Count(blocks_limit) < offer.blocks) {
        errors.push_back({row,
                          "blocks",
                          {0, std::to_string(offer.blocks.value()), "a malformed number of blocks",
                           "1 to " + std::to_string(blocks_limit)}});
    }
    const auto& zones = offer.availability_zones;
    if (std::find(zones.begin(), zones.end(), "") != zones.end()) {
        add("availability_zones", "", "a zone without a name", "a name");
    }
    return errors;
}

}  // namespace trestle
