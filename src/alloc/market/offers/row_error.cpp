// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/offers/row_error.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "alloc/market/offers/offer_counts.hpp"

namespace trestle {

std::string to_text(const RowError& error) {
    std::string line = error.row == 0 ? "offers" : "row " + std::to_string(error.row);
    if (!error.column.empty()) line += ", " + error.column;
    line += ": " + error.error.what;
    if (!error.error.token.empty()) line += " (" + detail::quoted(error.error.token) + ")";
    return line + ": expected " + error.error.expected;
}

std::vector<RowError> row_errors(const Offer& offer, std::size_t row) {
    std::vector<RowError> errors;
    const auto add = [&](const char* column, const char* token, const char* what,
                         const char* expected) {
        errors.push_back({row, column, {0, token, what, expected}});
    };
    const auto any_device = [&](const auto& is_wrong) {
        return std::any_of(offer.devices.begin(), offer.devices.end(), is_wrong);
    };
    if (any_device([](const Offer::Devices& d) { return d.name.empty(); })) {
        add("devices", "", "devices without a name", "a name, as in gpu");
    } else if (any_device([](const Offer::Devices& d) { return d.count.is_zero(); })) {
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
