// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks of an offer: its equal parts, so that several jobs share it.
//
// Layer: alloc. Main functions: even_blocks (how many it divides into), check_blocks (does it
// divide), share_of (what k blocks of an offer hold). CPUs and GPUs must divide, as in dstack.
// How a machine is cut, unit by unit, stands in split.hpp, and agrees with this.
// Pitfall: the price of an offer stays whole, whatever part of it is used.

#include <optional>
#include <string_view>

#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

/// Nothing when `offer` divides into its blocks; else which count does not.
[[nodiscard]] std::optional<Refusal> check_blocks(const Offer& offer);

/// The largest number of equal blocks that the offer divides into: the greatest common divisor of
/// its CPUs and of its GPUs, kind by kind. 1 for an offer without a CPU, and for one with TPUs,
/// whose host works as one. An offer does not say which CPUs are of one core; even_blocks of a
/// machine does not cut cores.
[[nodiscard]] Count even_blocks(const Offer& offer);

/// The offer in so many blocks; with `auto` in even_blocks of them.
[[nodiscard]] Offer with_blocks(Offer offer, const BlockCount& blocks);

/// What `blocks` blocks of the offer hold. All blocks hold everything; fewer hold their part of the
/// memory, and of devices that are no GPUs, rounded down. Devices of which the part is none are
/// left out. Requires: check_blocks(offer) is nothing; 1 <= blocks <= offer.blocks.
[[nodiscard]] BlockShare share_of(const Offer& offer, Count blocks);

}  // namespace trestle
