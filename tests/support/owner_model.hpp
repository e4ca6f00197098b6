// SPDX-License-Identifier: Apache-2.0
// Who has what on one node, as plainly as it can be written: a map from unit and owner to amount.
// Tells what take and give_back have to answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

class OwnerModel {
  public:
    explicit OwnerModel(const NodeShape& shape) : shape_(shape) {}

    /// The code that NodeLedger::take has to give; takes when it is kOk.
    StatusCode take(const NodePlacement& placement, OwnerId owner) {
        if (!is_well_formed(placement)) return StatusCode::kInvalidArgument;
        for (const auto& [core, row, who] : cores_) {
            const bool is_shared = row && placement.row && *row != *placement.row;
            if (placement.cores.contains(core) && !is_shared) {
                return StatusCode::kFailedPrecondition;
            }
        }
        if (!leaves_milli_cpus(placement)) return StatusCode::kFailedPrecondition;
        for (const MemoryShare& share : placement.memory) {
            if (free_memory(share.domain) < share.bytes) return StatusCode::kFailedPrecondition;
        }
        for (const DeviceShare& share : placement.devices) {
            if (!share.slice && device(share.device).shares < share.shares) {
                return StatusCode::kInvalidArgument;
            }
            if (!is_free(share)) return StatusCode::kFailedPrecondition;
        }
        for (const CoreId core : placement.cores) cores_.insert({core, placement.row, owner});
        milli_cpus_[owner] += placement.milli_cpus;
        for (const MemoryShare& s : placement.memory) memory_[{s.domain, owner}] += s.bytes;
        for (const DeviceShare& s : placement.devices) {
            shares_[{s.device, s.slice, owner}] += s.shares;
        }
        return StatusCode::kOk;
    }

    /// The code that NodeLedger::give_back has to give; gives back when it is kOk.
    StatusCode give_back(const NodePlacement& placement, OwnerId owner) {
        if (!is_well_formed(placement)) return StatusCode::kInvalidArgument;
        for (const CoreId core : placement.cores) {
            if (cores_.count({core, placement.row, owner}) == 0) {
                return StatusCode::kFailedPrecondition;
            }
        }
        if (milli_cpus_[owner] < placement.milli_cpus) return StatusCode::kFailedPrecondition;
        for (const MemoryShare& share : placement.memory) {
            if (memory_[{share.domain, owner}] < share.bytes) {
                return StatusCode::kFailedPrecondition;
            }
        }
        for (const DeviceShare& share : placement.devices) {
            if (shares_[{share.device, share.slice, owner}] < share.shares) {
                return StatusCode::kFailedPrecondition;
            }
        }
        for (const CoreId core : placement.cores) cores_.erase({core, placement.row, owner});
        milli_cpus_[owner] -= placement.milli_cpus;
        for (const MemoryShare& s : placement.memory) memory_[{s.domain, owner}] -= s.bytes;
        for (const DeviceShare& s : placement.devices) {
            shares_[{s.device, s.slice, owner}] -= s.shares;
        }
        return StatusCode::kOk;
    }

    static constexpr std::uint32_t rows = 3;

    /// True when `ledger` says the same of every unit, every owner below `owners` and every row
    /// below `rows`.
    [[nodiscard]] bool equals(const NodeLedger& ledger, std::uint64_t owners) const {
        for (std::uint32_t i = 0; i < shape_.hardware.core_count(); ++i) {
            if (!is_same(ledger, CoreId(i))) return false;
        }
        if (ledger.free_milli_cpus() != unpinned({}) - taken_milli_cpus()) return false;
        for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
            if (ledger.free_memory(DomainId(i)) != free_memory(DomainId(i))) return false;
        }
        for (std::uint32_t i = 0; i < shape_.devices.size(); ++i) {
            if (ledger.free_shares(DeviceId(i)) != free_shares(DeviceId(i))) return false;
            if (ledger.held_slices(DeviceId(i)) != held_slices(DeviceId(i))) return false;
        }
        std::vector<Holding> holdings;
        for (std::uint64_t owner = 0; owner < owners; ++owner) {
            Holding holding = holding_of(OwnerId(owner));
            if (!holding.is_empty()) holdings.push_back(std::move(holding));
        }
        return ledger.holdings() == holdings && ledger.is_idle() == holdings.empty();
    }

  private:
    using Row = std::optional<std::uint32_t>;
    using Slice = BoxedOptional<Slicing::Instance>;

    [[nodiscard]] const Device& device(DeviceId id) const { return shape_.devices[id.value()]; }

    [[nodiscard]] bool is_same(const NodeLedger& ledger, CoreId id) const {
        std::optional<OwnerId> lowest;
        std::vector<Row> used;
        for (const auto& [core, row, owner] : cores_) {
            if (core != id) continue;
            used.push_back(row);
            if (!lowest || owner < *lowest) lowest = owner;
        }
        const bool is_given = !shape_.system_cores.contains(id);
        const bool is_alone = std::count(used.begin(), used.end(), Row()) > 0;
        for (std::uint32_t row = 0; row < rows; ++row) {
            const bool is_used = is_alone || std::count(used.begin(), used.end(), Row(row)) > 0;
            if (ledger.free_cores(row).contains(id) != (is_given && !is_used)) return false;
        }
        return ledger.owner_of(id) == lowest &&
               ledger.free_cores().contains(id) == (is_given && used.empty());
    }

    /// Device shares in rising order; instances of one device side by side.
    [[nodiscard]] static bool is_before(const DeviceShare& a, const DeviceShare& b) {
        if (a.device != b.device) return a.device < b.device;
        return a.slice && b.slice && a.slice->start + a.slice->size <= b.slice->start;
    }

    [[nodiscard]] bool is_well_formed(const NodePlacement& placement) const {
        for (const CoreId core : placement.cores) {
            if (core.value() >= shape_.hardware.core_count()) return false;
            if (shape_.system_cores.contains(core)) return false;
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
            if (i > 0 && !is_before(placement.devices[i - 1], share)) return false;
            if (!share.slice) continue;
            const auto& slicing = device(share.device).slicing;
            if (!slicing || share.shares != Count(1) || share.slice->size == 0) return false;
            if (share.slice->start + share.slice->size > slicing->geometry.memory_slices) {
                return false;
            }
        }
        return true;
    }

    /// Of the threads of cores that nobody has, in any row, when these are taken too.
    [[nodiscard]] MilliCpu unpinned(const CoreSet& also) const {
        MilliCpu sum;
        for (std::uint32_t i = 0; i < shape_.hardware.core_count(); ++i) {
            const CoreId id(i);
            const bool is_pinned = std::any_of(cores_.begin(), cores_.end(), [&](const auto& one) {
                return std::get<CoreId>(one) == id;
            });
            if (is_pinned || also.contains(id) || shape_.system_cores.contains(id)) continue;
            sum += cpus(static_cast<std::int64_t>(shape_.hardware.cores[i].threads.size()));
        }
        return sum;
    }
    [[nodiscard]] MilliCpu taken_milli_cpus() const {
        MilliCpu sum;
        for (const auto& [owner, amount] : milli_cpus_) sum += amount;
        return sum;
    }
    [[nodiscard]] bool leaves_milli_cpus(const NodePlacement& placement) const {
        return taken_milli_cpus() + placement.milli_cpus <= unpinned(placement.cores);
    }

    /// An instance is free when nobody has shares of the device nor an instance where it lies.
    [[nodiscard]] bool is_free(const DeviceShare& wanted) const {
        if (!wanted.slice) return free_shares(wanted.device) >= wanted.shares;
        for (const auto& [key, shares] : shares_) {
            const auto& [id, slice, owner] = key;
            if (id != wanted.device || shares.is_zero()) continue;
            if (!slice || (slice->start < wanted.slice->start + wanted.slice->size &&
                           wanted.slice->start < slice->start + slice->size)) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] Bytes free_memory(DomainId domain) const {
        Bytes taken = shape_.memory[domain.value()].reserved;
        for (const auto& [key, bytes] : memory_) {
            if (key.first == domain) taken += bytes;
        }
        return shape_.memory[domain.value()].capacity - taken;
    }
    [[nodiscard]] std::vector<Slicing::Instance> held_slices(DeviceId id) const {
        std::vector<Slicing::Instance> slices;
        for (const auto& [key, shares] : shares_) {
            const auto& [device, slice, owner] = key;
            if (device == id && slice && !shares.is_zero()) slices.push_back(*slice);
        }
        std::sort(slices.begin(), slices.end());
        return slices;
    }
    [[nodiscard]] Count free_shares(DeviceId id) const {
        if (!device(id).is_consumed) return device(id).shares;
        if (!held_slices(id).empty()) return Count();
        Count taken;
        for (const auto& [key, shares] : shares_) {
            if (std::get<DeviceId>(key) == id) taken += shares;
        }
        return device(id).shares - taken;
    }
    [[nodiscard]] Holding holding_of(OwnerId owner) const {
        Holding holding;
        holding.owner = owner;
        std::map<std::uint32_t, CoreSet> by_row;
        for (const auto& [core, row, who] : cores_) {
            if (who == owner) (row ? by_row[*row] : holding.cores).insert(core);
        }
        for (const auto& [row, cores] : by_row) holding.rows.push_back({row, cores});
        const auto amount = milli_cpus_.find(owner);
        if (amount != milli_cpus_.end()) holding.milli_cpus = amount->second;
        for (const auto& [key, bytes] : memory_) {
            if (key.second != owner || bytes.is_zero()) continue;
            holding.memory.push_back({key.first, bytes});
        }
        for (const auto& [key, shares] : shares_) {
            const auto& [id, slice, who] = key;
            if (who == owner && !shares.is_zero()) holding.devices.push_back({id, shares, slice});
        }
        return holding;
    }

    const NodeShape& shape_;
    std::set<std::tuple<CoreId, Row, OwnerId>> cores_;
    std::map<OwnerId, MilliCpu> milli_cpus_;
    std::map<std::pair<DomainId, OwnerId>, Bytes> memory_;
    std::map<std::tuple<DeviceId, Slice, OwnerId>, Count> shares_;
};

}  // namespace trestle
