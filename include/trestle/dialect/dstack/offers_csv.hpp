// SPDX-License-Identifier: Apache-2.0
#pragma once

// A price list as comma-separated text.
//
// Layer: dialect/dstack. Main name: parse_offers_csv.
// A reader would get wrong: this is no CSV of every kind: cells hold neither commas nor quotes.

#include <string_view>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/model/offer.hpp"

namespace trestle::dstack {

/// Reads offers in the order of the text. The first line names the columns, in any order, all of
/// them once: backend, region, instance, cpus, memory, disk, gpu_count, gpu_name, gpu_memory,
/// gpu_vendor, price, spot. Sizes are written as parse_memory wants them; disk may be empty
/// (unknown); the three gpu cells are empty when gpu_count is 0; price is in dollars an hour with
/// at most six decimals; spot is true or false. Blank lines and lines that start with `#` are
/// skipped. Errors: InvalidArgument with line, column and what was expected.
[[nodiscard]] StatusOr<std::vector<Offer>> parse_offers_csv(std::string_view text);

}  // namespace trestle::dstack
