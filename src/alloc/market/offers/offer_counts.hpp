// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts in offers.
//
// Layer: alloc. Main names: count_of, blocks_limit.

#include <cstdint>
#include <span>
#include <string_view>

#include "trestle/alloc/market/offers/offer.hpp"

namespace trestle {

/// So many blocks at most has one offer: each is looked at.
inline constexpr std::int64_t blocks_limit = 65'536;

/// How many of the devices are called `name`.
[[nodiscard]] Count count_of(std::span<const Offer::Devices> devices, std::string_view name);

}  // namespace trestle
