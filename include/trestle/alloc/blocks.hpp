// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks: an offer or a node cut into equal parts, so that several jobs share it.
//
// Layer: alloc. Main functions: check_blocks (does it divide), share_of (what k blocks of an offer
// hold), split (the blocks of a node as placements). CPUs and devices must divide, as in dstack;
// bytes are split evenly and none is lost.
// A reader would get wrong: the price of an offer stays whole, whatever part of it is used.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/fit/demand.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/offer.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// Nothing when `offer` divides into its blocks; else which count does not.
[[nodiscard]] inline std::optional<Refusal> check_blocks(const Offer& offer) {
    const std::int64_t blocks = offer.blocks.value();
    if (blocks < 1) return Refusal{Constraint::blocks, "0 blocks, expected 1 or more"};
    if (offer.cpus.value() % blocks != 0) {
        return Refusal{Constraint::blocks,
                       fmt::format("{} CPUs do not divide into {} blocks", offer.cpus, blocks)};
    }
    for (const OfferedDevices& devices : offer.devices) {
        if (devices.count.value() % blocks != 0) {
            return Refusal{Constraint::blocks, fmt::format("{} {} do not divide into {} blocks",
                                                           devices.count, devices.name, blocks)};
        }
    }
    return std::nullopt;
}

/// What `blocks` blocks of the offer hold. All blocks hold everything; fewer hold their part of the
/// memory rounded down. Devices of which the part is none are left out.
/// Requires: check_blocks(offer) is nothing; 1 <= blocks <= offer.blocks.
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

namespace detail {

/// Splits the bytes of every domain over the blocks: first evenly among the blocks with cores near
/// it, then, what no block is near to, evenly among all.
inline void split_memory(const NodeShape& shape, std::vector<NodePlacement>& blocks) {
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        std::vector<NodePlacement*> takers;
        for (NodePlacement& block : blocks) {
            if (shape.memory[i].cores.intersects(block.cores)) takers.push_back(&block);
        }
        if (takers.empty()) {
            for (NodePlacement& block : blocks) takers.push_back(&block);
        }
        const auto count = static_cast<std::int64_t>(takers.size());
        for (std::int64_t at = 0; at < count; ++at) {
            const Bytes bytes(split_evenly(allocatable(shape.memory[i]).value(), {at, count}));
            if (bytes.is_zero()) continue;
            takers[static_cast<std::size_t>(at)]->memory.push_back({DomainId(i), bytes});
        }
    }
}

/// Devices of one name in the order of their nearest core, so that neighbours fall together.
[[nodiscard]] inline std::vector<DeviceId> devices_by_core(const NodeShape& shape,
                                                           const std::string& name) {
    std::vector<std::pair<std::uint32_t, DeviceId>> order;
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        if (shape.devices[i].name != name) continue;
        const auto near = shape.devices[i].cores.first();
        order.emplace_back(near ? near->value() : 0, DeviceId(i));
    }
    std::sort(order.begin(), order.end());
    std::vector<DeviceId> devices;
    for (const auto& [core, device] : order) devices.push_back(device);
    return devices;
}

}  // namespace detail

/// Cuts a node into `blocks` placements that together hold every core, byte and device exactly
/// once, but for what is kept for the system. Blocks with a failed device are there, and is_usable
/// says so. Cores and devices of each name are split into equal runs; memory goes to the blocks
/// near it, in parts that differ by at most one byte. A Refusal (blocks) when cores or devices of a
/// name do not divide, or `blocks` is zero.
[[nodiscard]] inline Verdict<std::vector<NodePlacement>> split(const NodeShape& shape,
                                                               Count blocks) {
    CoreSet rest = shape.allocatable_cores();
    const std::uint32_t cores = rest.count();
    if (blocks.is_zero() || cores % blocks.value() != 0) {
        return Refusal{Constraint::blocks,
                       fmt::format("{} cores do not divide into {} blocks", cores, blocks)};
    }
    std::vector<NodePlacement> parts(static_cast<std::size_t>(blocks.value()));
    const auto count = static_cast<std::uint32_t>(parts.size());
    for (NodePlacement& part : parts) {
        part.cores = rest.first_k(cores / count);
        rest -= part.cores;
    }
    std::vector<std::string> seen;
    for (const Device& device : shape.devices) {
        if (std::find(seen.begin(), seen.end(), device.name) != seen.end()) continue;
        seen.push_back(device.name);
        const std::vector<DeviceId> order = detail::devices_by_core(shape, device.name);
        if (order.size() % count != 0) {
            return Refusal{Constraint::blocks, fmt::format("{} {} do not divide into {} blocks",
                                                           order.size(), device.name, blocks)};
        }
        for (std::size_t at = 0; at < order.size(); ++at) {
            const Count shares = shape.devices[order[at].value()].shares;
            parts[at / (order.size() / count)].devices.push_back({order[at], shares});
        }
    }
    detail::split_memory(shape, parts);
    for (NodePlacement& part : parts) std::sort(part.devices.begin(), part.devices.end());
    return parts;
}

}  // namespace trestle
