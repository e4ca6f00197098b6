// SPDX-License-Identifier: Apache-2.0
#pragma once

// What decides into how many blocks a machine divides, and what blocks of it are together.
//
// Layer: alloc. Main names: divided_devices, placement_of.

#include <string_view>

#include "trestle/alloc/market/offers/blocks.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// The devices that decide into how many blocks a machine divides. Others are dealt
/// as far as they go round.
inline constexpr std::string_view divided_devices = "gpu";

/// True for devices of a vendor whose hosts are given as a whole: TPUs.
[[nodiscard]] constexpr bool is_undivided(std::string_view vendor) { return vendor == "google"; }

/// What these blocks of a host are together, with the rest where they are all of them.
/// Requires: they exist.
[[nodiscard]] NodePlacement placement_of(const HostBlocks::Split& split, const BlockSet& blocks);

}  // namespace trestle
