// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks of an offer: its equal parts, so that several jobs share it.
//
// Layer: alloc. Main functions: even_blocks (how many it divides into), check_blocks (does it
// divide), share_of (what k blocks of an offer hold). CPUs and GPUs must divide, as in dstack.
// How a machine is cut, unit by unit, stands in blocks/split.hpp, and agrees with this.
// A reader would get wrong: the price of an offer stays whole, whatever part of it is used.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/fmt.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/offer.hpp"

namespace trestle {

/// The devices that decide into how many blocks a machine divides. Others are dealt
/// as far as they go round.
inline constexpr std::string_view divided_devices = "gpu";

/// Nothing when `offer` divides into its blocks; else which count does not.
[[nodiscard]] inline std::optional<Refusal> check_blocks(const Offer& offer) {
    const std::int64_t blocks = offer.blocks.value();
    if (blocks < 1) return Refusal{Constraint::blocks, "0 blocks, expected 1 or more"};
    if (blocks > blocks_limit) {
        return Refusal{Constraint::blocks,
                       fmt::format("{} blocks, expected {} at most", blocks, blocks_limit)};
    }
    if (offer.cpus.value() % blocks != 0) {
        return Refusal{Constraint::blocks,
                       fmt::format("{} CPUs do not divide into {} blocks", offer.cpus, blocks)};
    }
    for (const OfferedDevices& devices : offer.devices) {
        if (devices.name != divided_devices) continue;
        if (devices.count.value() % blocks != 0) {
            return Refusal{Constraint::blocks, fmt::format("{} {} do not divide into {} blocks",
                                                           devices.count, devices.name, blocks)};
        }
    }
    return std::nullopt;
}

/// The largest number of equal blocks that the offer divides into: the greatest common divisor of
/// its CPUs and of its GPUs, kind by kind. 1 for an offer without a CPU. An offer does not say
/// which CPUs are of one core; even_blocks of a machine does not cut cores.
[[nodiscard]] inline Count even_blocks(const Offer& offer) {
    std::int64_t blocks = offer.cpus.value();
    for (const OfferedDevices& devices : offer.devices) {
        if (devices.name != divided_devices) continue;
        blocks = std::gcd(blocks, devices.count.value());
    }
    return Count(std::max<std::int64_t>(1, blocks));
}

/// The offer in so many blocks; with `auto` in even_blocks of them.
[[nodiscard]] inline Offer with_blocks(Offer offer, const BlockCount& blocks) {
    offer.blocks = blocks.is_auto ? even_blocks(offer) : blocks.count;
    return offer;
}

/// What `blocks` blocks of the offer hold. All blocks hold everything; fewer hold their part of the
/// memory, and of devices that are no GPUs, rounded down. Devices of which the part is none are
/// left out. Requires: check_blocks(offer) is nothing; 1 <= blocks <= offer.blocks.
[[nodiscard]] inline BlockShare share_of(const Offer& offer, Count blocks) {
    TRESTLE_EXPECTS(!blocks.is_zero() && blocks <= offer.blocks, "the offer has so many blocks");
    const auto part = [&](auto whole) {
        return blocks == offer.blocks ? whole
                                      : div_floor(whole, offer.blocks.value()) * blocks.value();
    };
    BlockShare share{blocks, part(offer.cpus), part(offer.memory), offer.devices};
    for (OfferedDevices& devices : share.devices) devices.count = part(devices.count);
    std::erase_if(share.devices, [](const OfferedDevices& d) { return d.count.is_zero(); });
    return share;
}

}  // namespace trestle
