// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/owners.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "alloc/market/block_parts.hpp"
#include "alloc/market/choose.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/node_offer.hpp"
#include "trestle/alloc/market/split.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/granularity.hpp"

namespace trestle {

namespace {

/// True when both have as many devices, kind by kind in some order.
bool has_like_counts(const Offer& a, const Offer& b) {
    const auto counts = [](const Offer& offer) {
        std::vector<Count> sorted;
        for (const Offer::Devices& devices : offer.devices) sorted.push_back(devices.count);
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    };
    return counts(a) == counts(b);
}

}  // namespace

Status look_at(Instance& instance, Shared<NodeShape> shape, std::optional<Count> blocks) {
    TRESTLE_TRY_STATUS(check(*shape));
    const Count count = blocks.value_or(instance.blocks.count());
    auto parts = split(*shape, count);
    if (!parts) {
        Shared<NodeShape> by_thread(with_granularity(*shape, HardwareLevel::thread));
        auto cut = split(*by_thread, count);
        if (!cut) {
            return invalid_argument("instance {}: {}", instance.name, parts.refusal().reason);
        }
        parts = std::move(cut);
        shape = std::move(by_thread);
    }
    if (count != instance.blocks.count()) {
        for (const std::optional<OwnerId>& owner : instance.blocks.owners) {
            if (!owner) continue;
            return failed_precondition("instance {}: owner {} has a block, it cannot be cut anew",
                                       instance.name, owner->value());
        }
        instance.blocks = HostBlocks::unseen(count);
    }
    const Offer seen = offer_of(*shape);
    instance.offer.architecture = seen.architecture;
    instance.offer.cpus = seen.cpus;
    instance.offer.memory = seen.memory;
    instance.offer.disk = seen.disk;
    if (!has_like_counts(instance.offer, seen)) instance.offer.devices = seen.devices;
    instance.offer.blocks = count;
    instance.blocks.split = *std::move(parts);
    instance.shape = std::move(shape);
    return {};
}

BlockSet usable_blocks(const Instance& instance) {
    BlockSet usable = instance.blocks.free();
    if (!instance.shape) return usable;
    for (const BlockId block : instance.blocks.free()) {
        const auto& part = instance.blocks.split->blocks[block.value()];
        if (!is_usable(**instance.shape, part)) usable.erase(block);
    }
    return usable;
}

bool takes_work(const Instance& instance) {
    return instance.is_reachable && instance.health != Health::failure &&
           (instance.state == Instance::State::running ||
            instance.state == Instance::State::provisioning);
}

Offer offer_of(const Instance& instance) {
    Offer offer = instance.offer;
    offer.availability = !takes_work(instance)                ? Offer::Availability::not_available
                         : usable_blocks(instance).is_empty() ? Offer::Availability::busy
                                                              : Offer::Availability::idle;
    return offer;
}

Verdict<BlockSet> choose_blocks(const Instance& instance, Count count) {
    const BlockSet usable = usable_blocks(instance);
    if (Count(usable.count()) < count) {
        return Refusal{Constraint::blocks,
                       fmt::format("{} of {} blocks are free, not {}", usable.count(),
                                   instance.blocks.count(), count)};
    }
    if (!instance.shape) return usable.first_k(static_cast<std::uint32_t>(count.value()));
    return choose_blocks(**instance.shape, *instance.blocks.split, usable, count);
}

namespace {

Status check_blocks_exist(const Instance& instance, const BlockSet& blocks) {
    if (blocks.is_empty()) return invalid_argument("instance {}: no block named", instance.name);
    if (!instance.blocks.all().contains_all(blocks)) {
        return invalid_argument("instance {}: block {} does not exist, it has {}", instance.name,
                                blocks.last()->value(), instance.blocks.count().value());
    }
    return {};
}

}  // namespace

Status take_blocks(Instance& instance, const BlockSet& blocks, OwnerId owner) {
    TRESTLE_TRY_STATUS(check_blocks_exist(instance, blocks));
    for (const BlockId block : blocks) {
        const auto& now = instance.blocks.owners[block.value()];
        if (!now) continue;
        return failed_precondition("instance {}: block {} belongs to owner {}", instance.name,
                                   block.value(), now->value());
    }
    if (const auto bad = (blocks - usable_blocks(instance)).first()) {
        return failed_precondition("instance {}: block {} has a failed or drained device",
                                   instance.name, bad->value());
    }
    for (const BlockId block : blocks) instance.blocks.owners[block.value()] = owner;
    return {};
}

Status give_back_blocks(Instance& instance, const BlockSet& blocks, OwnerId owner) {
    TRESTLE_TRY_STATUS(check_blocks_exist(instance, blocks));
    for (const BlockId block : blocks) {
        const auto& now = instance.blocks.owners[block.value()];
        if (now == owner) continue;
        return now ? failed_precondition("instance {}: block {} belongs to owner {}, not to {}",
                                         instance.name, block.value(), now->value(), owner.value())
                   : failed_precondition("instance {}: block {} is free, owner {} does not have it",
                                         instance.name, block.value(), owner.value());
    }
    for (const BlockId block : blocks) instance.blocks.owners[block.value()].reset();
    return {};
}

namespace {

/// Adds one part of a split to another.
void add_part(NodePlacement& sum, const NodePlacement& part) {
    sum.cores |= part.cores;
    for (const MemoryShare& share : part.memory) {
        const auto at = std::find_if(sum.memory.begin(), sum.memory.end(),
                                     [&](const auto& one) { return one.domain == share.domain; });
        if (at == sum.memory.end()) {
            sum.memory.push_back(share);
        } else {
            at->bytes += share.bytes;
        }
    }
    for (const DeviceShare& share : part.devices) {
        const bool is_there =
            std::any_of(sum.devices.begin(), sum.devices.end(),
                        [&](const DeviceShare& one) { return one.device == share.device; });
        if (!is_there) sum.devices.push_back(share);  // one that is not consumed is in every block
    }
    std::sort(sum.memory.begin(), sum.memory.end());
    std::sort(sum.devices.begin(), sum.devices.end());
}

}  // namespace

NodePlacement placement_of(const HostBlocks::Split& split, const BlockSet& blocks) {
    TRESTLE_EXPECTS(!blocks.last() || blocks.last()->value() < split.blocks.size(),
                    "the blocks are the host's");
    NodePlacement all;
    for (const BlockId block : blocks) add_part(all, split.blocks[block.value()]);
    if (blocks.count() == split.blocks.size()) add_part(all, split.rest);
    return all;
}

Instance::Share share_of(const Instance& instance, const BlockSet& blocks) {
    TRESTLE_EXPECTS(check_blocks_exist(instance, blocks).ok(), "the blocks are the instance's");
    const BlockShare amounts = share_of(instance.offer, Count(blocks.count()));
    Instance::Share share;
    share.instance = instance.name;
    share.architecture = instance.offer.architecture;
    share.availability_zones = instance.offer.availability_zones;
    share.runtime = instance.runtime;
    share.blocks = blocks;
    share.total_blocks = instance.blocks.count();
    share.cpus = amounts.cpus;
    share.memory = amounts.memory;
    share.devices = amounts.devices;
    share.disk = instance.offer.disk;
    if (!instance.shape) return share;
    share.placement = placement_of(*instance.blocks.split, blocks);
    share.threads = threads_of(**instance.shape, *share.placement);
    return share;
}

}  // namespace trestle
