// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/node_ledger.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/node/free/holding_edits.hpp"
#include "trestle/base/status.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

NodeLedger::NodeLedger(const NodeShape& shape) {
    threads_ = ThreadCounts(shape.hardware);
    free_.cores = shape.allocatable_cores();
    for (const MemoryDomain& domain : shape.memory) {
        free_.memory.push_back(domain.allocatable());
    }
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        const Device& device = shape.devices[i];
        units_.push_back(
            {device.shares, device.slicing ? device.slicing->geometry.memory_slices : 0});
        free_.shares.push_back(device.shares);
        if (!device.is_consumed) unconsumed_.insert(DeviceId(i));
    }
}

Bytes NodeLedger::free_memory(DomainId domain) const {
    TRESTLE_EXPECTS(domain.value() < free_.memory.size(), "the memory domain exists");
    return free_.memory[domain.value()];
}

Count NodeLedger::free_shares(DeviceId device) const {
    TRESTLE_EXPECTS(device.value() < free_.shares.size(), "the device exists");
    return free_.shares[device.value()];
}

std::optional<OwnerId> NodeLedger::owner_of(CoreId core) const {
    for (const Holding& holding : holdings_) {
        if (holding.all_cores().contains(core)) return holding.owner;
    }
    return std::nullopt;
}

std::optional<OwnerId> NodeLedger::owner_of(DeviceId device) const {
    for (const Holding& holding : holdings_) {
        for (const DeviceShare& share : holding.devices) {
            if (share.device == device) return holding.owner;
        }
    }
    return std::nullopt;
}

Status NodeLedger::take(const NodePlacement& placement, OwnerId owner) {
    TRESTLE_TRY_STATUS(check_exists(placement));
    TRESTLE_TRY_STATUS(check_free(placement));
    detail::add(holding_of(owner), placement);
    free_.cores -= placement.cores;
    free_.held_milli_cpus += placement.milli_cpus;
    for (const MemoryShare& share : placement.memory) {
        free_.memory[share.domain.value()] -= share.bytes;
    }
    for (const DeviceShare& share : placement.devices) {
        if (unconsumed_.contains(share.device)) continue;
        Count& free = free_.shares[share.device.value()];
        free = share.slice ? Count() : free - share.shares;
    }
    recount(owner, placement);
    return {};
}

Status NodeLedger::give_back(const NodePlacement& placement, OwnerId owner) {
    TRESTLE_TRY_STATUS(check_exists(placement));
    TRESTLE_TRY_STATUS(check_owned(placement, owner));
    detail::remove(holding_of(owner), placement);
    free_.cores |= placement.cores;
    free_.held_milli_cpus -= placement.milli_cpus;
    for (const MemoryShare& share : placement.memory) {
        free_.memory[share.domain.value()] += share.bytes;
    }
    for (const DeviceShare& share : placement.devices) {
        if (unconsumed_.contains(share.device)) continue;
        Count& free = free_.shares[share.device.value()];
        free = share.slice ? units_[share.device.value()].shares : free + share.shares;
    }
    recount(owner, placement);
    return {};
}

std::vector<Holding>::iterator NodeLedger::find(OwnerId owner) {
    return std::lower_bound(holdings_.begin(), holdings_.end(), owner,
                            [](const Holding& h, OwnerId wanted) { return h.owner < wanted; });
}

Holding& NodeLedger::holding_of(OwnerId owner) {
    auto at = find(owner);
    if (at == holdings_.end() || at->owner != owner) {
        at = holdings_.insert(at, Holding{owner});
    }
    return *at;
}

void NodeLedger::recount(OwnerId owner, const NodePlacement& placement) {
    const auto at = find(owner);
    if (at != holdings_.end() && at->is_empty()) holdings_.erase(at);
    free_.is_idle = holdings_.empty();
    if (placement.row) count_rows();
    const bool has_slices =
        std::any_of(placement.devices.begin(), placement.devices.end(),
                    [](const DeviceShare& share) { return share.slice.has_value(); });
    if (has_slices) count_slices();
}

void NodeLedger::count_rows() {
    Holding all;
    for (const Holding& holding : holdings_) {
        for (const Holding::Row& one : holding.rows) {
            detail::cores_at(all, one.row) |= one.cores;
            free_.cores -= one.cores;
        }
    }
    free_.held_rows = std::move(all.rows);
}

void NodeLedger::count_slices() {
    free_.held_slices.clear();
    for (const Holding& holding : holdings_) {
        for (const DeviceShare& share : holding.devices) {
            if (!share.slice) continue;
            free_.held_slices.push_back({share.device, *share.slice});
            free_.shares[share.device.value()] = Count();
        }
    }
    std::sort(free_.held_slices.begin(), free_.held_slices.end());
}

Status NodeLedger::check_exists(const DeviceShare& share) const {
    const std::uint32_t device = share.device.value();
    if (device >= units_.size() || share.shares.is_zero()) {
        return invalid_argument(
            "device {}: expected existing devices in rising order, more than 0 shares", device);
    }
    if (!share.slice) return {};
    const std::uint32_t slices = units_[device].memory_slices;
    if (share.shares != Count(1) || share.slice->size == 0 || share.slice->start >= slices ||
        share.slice->size > slices - share.slice->start) {
        return invalid_argument(
            "device {}: instance {} of {} memory slices at {}, it has {}; expected one share of an "
            "instance inside",
            device, share.slice->profile, share.slice->size, share.slice->start, slices);
    }
    return {};
}

Status NodeLedger::check_exists(const NodePlacement& placement) const {
    CoreSet known = free_.cores;
    for (const Holding& holding : holdings_) known |= holding.all_cores();
    if (const auto stranger = (placement.cores - known).first()) {
        return invalid_argument("core {} does not exist, or is the system's", stranger->value());
    }
    const MemoryShare* lower_memory = nullptr;
    for (const MemoryShare& share : placement.memory) {
        const bool rises = !lower_memory || lower_memory->domain < share.domain;
        if (share.domain.value() >= free_.memory.size() || !rises || share.bytes.is_zero()) {
            return invalid_argument(
                "memory domain {}: expected existing domains in rising order, more than 0 bytes",
                share.domain.value());
        }
        lower_memory = &share;
    }
    const DeviceShare* lower = nullptr;
    for (const DeviceShare& share : placement.devices) {
        TRESTLE_TRY_STATUS(check_exists(share));
        const bool rises = !lower || lower->device < share.device ||
                           (lower->device == share.device && lower->slice && share.slice &&
                            lower->slice->end() <= share.slice->start);
        if (!rises) {
            return invalid_argument(
                "device {}: expected devices in rising order, each once, or instances side by side",
                share.device.value());
        }
        lower = &share;
    }
    return {};
}

Status NodeLedger::check_free(const DeviceShare& share) const {
    const std::uint32_t device = share.device.value();
    if (!share.slice) {
        if (share.shares <= free_shares(share.device)) return {};
        const auto owner = owner_of(share.device);
        return owner && share.shares <= units_[device].shares
                   ? failed_precondition("device {} belongs to owner {}", device, owner->value())
                   : invalid_argument("device {} has {} shares, not {}", device,
                                      units_[device].shares.value(), share.shares.value());
    }
    for (const Holding& holding : holdings_) {
        for (const DeviceShare& other : holding.devices) {
            if (other.device != share.device) continue;
            const bool is_beside = other.slice && (other.slice->end() <= share.slice->start ||
                                                   share.slice->end() <= other.slice->start);
            if (is_beside) continue;
            return failed_precondition("instance {} at {} of device {} belongs to owner {}",
                                       share.slice->profile, share.slice->start, device,
                                       holding.owner.value());
        }
    }
    return {};
}

/// Cores that are taken now leave enough for what is taken in thousandths, and now also asked.
Status NodeLedger::check_free_milli_cpus(const NodePlacement& placement) const {
    const auto needed = checked_add(free_.held_milli_cpus, placement.milli_cpus);
    if (needed == MilliCpu()) return {};
    const MilliCpu left = cpus(threads_.of(free_.cores - placement.cores));
    if (needed && *needed <= left) return {};
    return placement.milli_cpus.is_zero()
               ? failed_precondition("cores {}: {} thousandths of CPUs would be left, {} are taken",
                                     to_text(placement.cores), left.value(),
                                     free_.held_milli_cpus.value())
               : failed_precondition("{} thousandths of CPUs are free, not {}",
                                     saturating_sub(left, free_.held_milli_cpus).value(),
                                     placement.milli_cpus.value());
}

Status NodeLedger::check_free(const NodePlacement& placement) const {
    const CoreSet free = placement.row ? free_.cores_in(*placement.row) : free_.cores;
    if (const auto taken = (placement.cores - free).first()) {
        return failed_precondition("core {} belongs to owner {}", taken->value(),
                                   owner_of(*taken)->value());
    }
    TRESTLE_TRY_STATUS(check_free_milli_cpus(placement));
    for (const MemoryShare& share : placement.memory) {
        if (free_memory(share.domain) < share.bytes) {
            return failed_precondition("memory domain {} has {} bytes free, not {}",
                                       share.domain.value(), free_memory(share.domain).value(),
                                       share.bytes.value());
        }
    }
    for (const DeviceShare& share : placement.devices) TRESTLE_TRY_STATUS(check_free(share));
    return {};
}

Status NodeLedger::check_owned(const DeviceShare& share, const Holding& mine) const {
    const Count held = mine.shares_of(share.device, share.slice);
    if (held >= share.shares) return {};
    const auto holder = owner_of(share.device);
    return holder && *holder != mine.owner
               ? failed_precondition("device {} belongs to owner {}, not to {}",
                                     share.device.value(), holder->value(), mine.owner.value())
               : failed_precondition("owner {} has {} shares of device {}, not {}",
                                     mine.owner.value(), held.value(), share.device.value(),
                                     share.shares.value());
}

Status NodeLedger::check_owned(const NodePlacement& placement, OwnerId owner) const {
    const auto at = std::lower_bound(
        holdings_.begin(), holdings_.end(), owner,
        [](const Holding& holding, OwnerId wanted) { return holding.owner < wanted; });
    const Holding none{owner};
    const Holding& mine = at != holdings_.end() && at->owner == owner ? *at : none;
    if (const auto other = (placement.cores - mine.cores_in(placement.row)).first()) {
        const auto holder = owner_of(*other);
        return holder ? failed_precondition("core {} belongs to owner {}, not to {}",
                                            other->value(), holder->value(), owner.value())
                      : failed_precondition("core {} is free, owner {} does not have it",
                                            other->value(), owner.value());
    }
    if (mine.milli_cpus < placement.milli_cpus) {
        return failed_precondition("owner {} has {} thousandths of CPUs, not {}", owner.value(),
                                   mine.milli_cpus.value(), placement.milli_cpus.value());
    }
    for (const MemoryShare& share : placement.memory) {
        if (mine.bytes_of(share.domain) < share.bytes) {
            return failed_precondition("owner {} has {} bytes of memory domain {}, not {}",
                                       owner.value(), mine.bytes_of(share.domain).value(),
                                       share.domain.value(), share.bytes.value());
        }
    }
    for (const DeviceShare& share : placement.devices) {
        TRESTLE_TRY_STATUS(check_owned(share, mine));
    }
    return {};
}

}  // namespace trestle
