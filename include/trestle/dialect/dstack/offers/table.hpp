// SPDX-License-Identifier: Apache-2.0
#pragma once

// Offers as a table with dstack's columns, for people.
//
// Layer: dialect/dstack. Main functions: to_table, resources_text.
// Pitfall: the price is for the whole instance, also where a row shows blocks.

#include <optional>
#include <span>
#include <string>

#include "trestle/alloc/market/match_catalog.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/alloc/market/offers/instance.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/base/units.hpp"

namespace trestle::dstack {

/// `cpu=x86:96 mem=680GB disk=100GB gpu=A100:40GB:8 (spot)`, as dstack prints it: what `blocks` of
/// the offer hold, and the whole disk, in GB with one decimal. Requires: the offer divides into its
/// blocks, of which there are so many.
[[nodiscard]] std::string resources_text(const Offer& offer, Count blocks);

/// The columns #, BACKEND (with the region), RESOURCES, INSTANCE TYPE, PRICE an hour, and a last
/// one without a name. A type has `1/8` behind it where it is cut into blocks. The last one says
/// idle, busy, not available, no quota, no balance. Nothing for what can be bought. Every line ends
/// without blanks and with a line end.
/// Requires: each offer divides into its blocks.
[[nodiscard]] std::string to_table(std::span<const Offer> offers);

/// The same of instances, each whole. Its type is its name where it has no other. The last column
/// says what is taken of it: idle, busy, `3/8 busy` of its blocks, or why it takes no work.
/// Requires: check(instance) is ok, and the offer of each divides into its blocks.
[[nodiscard]] std::string to_table(std::span<const Instance> instances);

/// The same of what was found, each with the blocks that it takes. Where more was found than
/// `rows_max`, only the first are listed. A last line says how many of how many, and the highest
/// price. `blocks` is what offers were cut into to be matched; absent: as they are.
/// Requires: the matches are the catalog's, found with these `blocks`.
[[nodiscard]] std::string to_table(const Catalog& catalog, std::span<const CatalogMatch> matches,
                                   std::optional<Count> rows_max = std::nullopt,
                                   const std::optional<BlockCount>& blocks = std::nullopt);

}  // namespace trestle::dstack
