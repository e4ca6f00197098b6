// SPDX-License-Identifier: Apache-2.0
// Who has what on one node, as plainly as it can be written: a map from unit and owner to amount.
// Tells what take and give_back have to answer.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trestle/alloc/usage.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

class OwnerModel {
  public:
    explicit OwnerModel(const NodeShape& shape) : shape_(shape) {}

    /// The code that NodeUsage::take has to give; takes when it is kOk.
    StatusCode take(const NodePlacement& placement, OwnerId owner) {
        if (!is_well_formed(placement)) return StatusCode::kInvalidArgument;
        for (const CoreId core : placement.cores) {
            if (cores_.count(core) != 0) return StatusCode::kFailedPrecondition;
        }
        for (const MemoryShare& share : placement.memory) {
            if (free_memory(share.domain) < share.bytes) return StatusCode::kFailedPrecondition;
        }
        for (const DeviceShare& share : placement.devices) {
            if (free_shares(share.device) >= share.shares) continue;
            const bool is_idle = free_shares(share.device) == device(share.device).shares;
            return is_idle ? StatusCode::kInvalidArgument : StatusCode::kFailedPrecondition;
        }
        for (const CoreId core : placement.cores) cores_[core] = owner;
        for (const MemoryShare& s : placement.memory) memory_[{s.domain, owner}] += s.bytes;
        for (const DeviceShare& s : placement.devices) shares_[{s.device, owner}] += s.shares;
        return StatusCode::kOk;
    }

    /// The code that NodeUsage::give_back has to give; gives back when it is kOk.
    StatusCode give_back(const NodePlacement& placement, OwnerId owner) {
        if (!is_well_formed(placement)) return StatusCode::kInvalidArgument;
        for (const CoreId core : placement.cores) {
            const auto at = cores_.find(core);
            if (at == cores_.end() || at->second != owner) return StatusCode::kFailedPrecondition;
        }
        for (const MemoryShare& share : placement.memory) {
            if (memory_[{share.domain, owner}] < share.bytes) {
                return StatusCode::kFailedPrecondition;
            }
        }
        for (const DeviceShare& share : placement.devices) {
            if (shares_[{share.device, owner}] < share.shares) {
                return StatusCode::kFailedPrecondition;
            }
        }
        for (const CoreId core : placement.cores) cores_.erase(core);
        for (const MemoryShare& s : placement.memory) memory_[{s.domain, owner}] -= s.bytes;
        for (const DeviceShare& s : placement.devices) shares_[{s.device, owner}] -= s.shares;
        return StatusCode::kOk;
    }

    /// True when `usage` says the same of every unit and every owner below `owners`.
    [[nodiscard]] bool equals(const NodeUsage& usage, std::uint64_t owners) const {
        for (std::uint32_t i = 0; i < shape_.hardware.core_count(); ++i) {
            const auto at = cores_.find(CoreId(i));
            const bool is_free = at == cores_.end();
            const auto owner = usage.owner_of(CoreId(i));
            if (owner.has_value() == is_free || (owner && *owner != at->second)) return false;
            if (usage.free_cores().contains(CoreId(i)) != is_free) return false;
        }
        for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
            if (usage.free_memory(DomainId(i)) != free_memory(DomainId(i))) return false;
        }
        for (std::uint32_t i = 0; i < shape_.devices.size(); ++i) {
            if (usage.free_shares(DeviceId(i)) != free_shares(DeviceId(i))) return false;
        }
        std::vector<Holding> holdings;
        for (std::uint64_t owner = 0; owner < owners; ++owner) {
            Holding holding = holding_of(OwnerId(owner));
            if (!holding.is_empty()) holdings.push_back(std::move(holding));
        }
        return usage.holdings() == holdings && usage.is_idle() == holdings.empty();
    }

  private:
    [[nodiscard]] const Device& device(DeviceId id) const { return shape_.devices[id.value()]; }

    [[nodiscard]] bool is_well_formed(const NodePlacement& placement) const {
        for (const CoreId core : placement.cores) {
            if (core.value() >= shape_.hardware.core_count()) return false;
        }
        for (std::size_t i = 0; i < placement.memory.size(); ++i) {
            const MemoryShare& share = placement.memory[i];
            if (share.domain.value() >= shape_.memory.size() || share.bytes.is_zero()) return false;
            if (i > 0 && share.domain <= placement.memory[i - 1].domain) return false;
        }
        for (std::size_t i = 0; i < placement.devices.size(); ++i) {
            const DeviceShare& share = placement.devices[i];
            if (share.device.value() >= shape_.devices.size()) return false;
            if (share.shares.is_zero()) return false;
            if (i > 0 && share.device <= placement.devices[i - 1].device) return false;
        }
        return true;
    }

    [[nodiscard]] Bytes free_memory(DomainId domain) const {
        Bytes taken;
        for (const auto& [key, bytes] : memory_) {
            if (key.first == domain) taken += bytes;
        }
        return shape_.memory[domain.value()].capacity - taken;
    }
    [[nodiscard]] Count free_shares(DeviceId id) const {
        Count taken;
        for (const auto& [key, shares] : shares_) {
            if (key.first == id) taken += shares;
        }
        return device(id).shares - taken;
    }
    [[nodiscard]] Holding holding_of(OwnerId owner) const {
        Holding holding{owner, {}, {}, {}};
        for (const auto& [core, who] : cores_) {
            if (who == owner) holding.cores.insert(core);
        }
        for (const auto& [key, bytes] : memory_) {
            if (key.second != owner || bytes.is_zero()) continue;
            holding.memory.push_back({key.first, bytes});
        }
        for (const auto& [key, shares] : shares_) {
            if (key.second != owner || shares.is_zero()) continue;
            holding.devices.push_back({key.first, shares});
        }
        return holding;
    }

    const NodeShape& shape_;
    std::map<CoreId, OwnerId> cores_;
    std::map<std::pair<DomainId, OwnerId>, Bytes> memory_;
    std::map<std::pair<DeviceId, OwnerId>, Count> shares_;
};

}  // namespace trestle
