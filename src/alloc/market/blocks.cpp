// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include "alloc/market/block_parts.hpp"
#include "alloc/market/offers/offer_counts.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

std::optional<Refusal> check_blocks(const Offer& offer) {
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
    for (const Offer::Devices& devices : offer.devices) {
        if (devices.name != divided_devices) continue;
        if (is_undivided(devices.vendor) && blocks != 1) {
            return Refusal{Constraint::blocks,
                           fmt::format("{} {} of {} are not divided", devices.count, devices.name,
                                       devices.vendor)};
        }
        if (devices.count.value() % blocks != 0) {
            return Refusal{Constraint::blocks, fmt::format("{} {} do not divide into {} blocks",
                                                           devices.count, devices.name, blocks)};
        }
    }
    return std::nullopt;
}

Count even_blocks(const Offer& offer) {
    std::int64_t blocks = offer.cpus.value();
    if (blocks == 0) return Count(1);
    for (const Offer::Devices& devices : offer.devices) {
        if (devices.name != divided_devices) continue;
        if (is_undivided(devices.vendor)) return Count(1);
        blocks = std::gcd(blocks, devices.count.value());
    }
    return Count(blocks);
}

Offer with_blocks(Offer offer, const BlockCount& blocks) {
    offer.blocks = blocks.is_auto ? even_blocks(offer) : blocks.count;
    return offer;
}

BlockShare share_of(const Offer& offer, Count blocks) {
    TRESTLE_EXPECTS(!blocks.is_zero() && blocks <= offer.blocks, "the offer has so many blocks");
    const auto part = [&](auto whole) {
        return blocks == offer.blocks ? whole
                                      : div_floor(whole, offer.blocks.value()) * blocks.value();
    };
    BlockShare share{blocks, part(offer.cpus), part(offer.memory), offer.devices};
    for (Offer::Devices& devices : share.devices) devices.count = part(devices.count);
    std::erase_if(share.devices, [](const Offer::Devices& d) { return d.count.is_zero(); });
    return share;
}

}  // namespace trestle
