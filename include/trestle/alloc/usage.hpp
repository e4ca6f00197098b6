// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeUsage: what is taken on one node, and by whom, unit by unit.
//
// Layer: alloc. Every owner's cores, bytes and device shares are recorded, so that a double release
// or a release of somebody else's units is seen and refused. What is free is kept beside it.
// A reader would get wrong: take and give_back check everything before they change anything; after
// an error the usage is what it was.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// What one owner has on a node. Shares are sorted by id and never zero.
struct Holding {
    OwnerId owner;
    CoreSet cores;
    std::vector<MemoryShare> memory;
    std::vector<DeviceShare> devices;

    [[nodiscard]] bool is_empty() const {
        return cores.is_empty() && memory.empty() && devices.empty();
    }

    static constexpr auto fields() {
        return field_list(field("owner", &Holding::owner), field("cores", &Holding::cores),
                          field("memory", &Holding::memory), field("devices", &Holding::devices));
    }
    friend bool operator==(const Holding&, const Holding&) = default;
};

namespace detail {

/// The amount of `id` in a sorted list of shares; zero when it is not there.
template <class Shares, class IdType, class Amount>
[[nodiscard]] Amount amount_of(const Shares& shares, IdType id, IdType Shares::value_type::*key,
                               Amount Shares::value_type::*amount) {
    for (const auto& share : shares) {
        if (share.*key == id) return share.*amount;
    }
    return Amount();
}

/// Adds to, or takes from, a sorted list of shares; entries that reach zero go away.
template <class Shares, class IdType, class Amount>
void change_share(Shares& shares, IdType id, Amount value, IdType Shares::value_type::*key,
                  Amount Shares::value_type::*amount) {
    auto at =
        std::lower_bound(shares.begin(), shares.end(), id,
                         [&](const auto& share, IdType wanted) { return share.*key < wanted; });
    if (value.is_zero()) {
        if (at != shares.end() && (*at).*key == id) shares.erase(at);
        return;
    }
    if (at == shares.end() || (*at).*key != id) {
        at = shares.insert(at, typename Shares::value_type{});
    }
    (*at).*key = id;
    (*at).*amount = value;
}

}  // namespace detail

class NodeUsage {
  public:
    NodeUsage() = default;

    /// Nothing taken of `shape`.
    explicit NodeUsage(const NodeShape& shape) : free_cores_(shape.hardware.all_cores()) {
        for (const MemoryDomain& domain : shape.memory) free_memory_.push_back(domain.capacity);
        for (const Device& device : shape.devices) free_shares_.push_back(device.shares);
    }

    [[nodiscard]] const CoreSet& free_cores() const { return free_cores_; }
    /// Requires: the domain exists.
    [[nodiscard]] Bytes free_memory(DomainId domain) const {
        TRESTLE_EXPECTS(domain.value() < free_memory_.size(), "the memory domain exists");
        return free_memory_[domain.value()];
    }
    /// Shares of the device that nobody has. Requires: the device exists.
    [[nodiscard]] Count free_shares(DeviceId device) const {
        TRESTLE_EXPECTS(device.value() < free_shares_.size(), "the device exists");
        return free_shares_[device.value()];
    }
    /// By owner, none of them empty.
    [[nodiscard]] const std::vector<Holding>& holdings() const { return holdings_; }
    [[nodiscard]] bool is_idle() const { return holdings_.empty(); }

    /// Who has the core, or nothing when it is free. Complexity: linear in the owners.
    [[nodiscard]] std::optional<OwnerId> owner_of(CoreId core) const {
        for (const Holding& holding : holdings_) {
            if (holding.cores.contains(core)) return holding.owner;
        }
        return std::nullopt;
    }
    /// An owner with a share of the device, the lowest one; nothing when it is free.
    [[nodiscard]] std::optional<OwnerId> owner_of(DeviceId device) const {
        for (const Holding& holding : holdings_) {
            if (!shares_of(holding, device).is_zero()) return holding.owner;
        }
        return std::nullopt;
    }

    /// Gives what `placement` names to `owner`, in addition to what the owner has.
    /// Errors: InvalidArgument for a unit that does not exist, stands twice or out of order;
    /// FailedPrecondition, naming the unit and its owner, for one that is not free. Nothing changes
    /// then.
    [[nodiscard]] Status take(const NodePlacement& placement, OwnerId owner) {
        TRESTLE_TRY_STATUS(check_exists(placement));
        TRESTLE_TRY_STATUS(check_free(placement));
        Holding& holding = holding_of(owner);
        holding.cores |= placement.cores;
        free_cores_ -= placement.cores;
        for (const MemoryShare& share : placement.memory) {
            set_memory(holding, share.domain, bytes_of(holding, share.domain) + share.bytes);
            free_memory_[share.domain.value()] -= share.bytes;
        }
        for (const DeviceShare& share : placement.devices) {
            set_shares(holding, share.device, shares_of(holding, share.device) + share.shares);
            free_shares_[share.device.value()] -= share.shares;
        }
        drop_if_empty(owner);
        return {};
    }

    /// Takes what `placement` names back from `owner`.
    /// Errors: InvalidArgument for a unit that does not exist, stands twice or out of order;
    /// FailedPrecondition, naming the unit and who has it, for one that `owner` does not have.
    /// Nothing changes then.
    [[nodiscard]] Status give_back(const NodePlacement& placement, OwnerId owner) {
        TRESTLE_TRY_STATUS(check_exists(placement));
        TRESTLE_TRY_STATUS(check_owned(placement, owner));
        Holding& holding = holding_of(owner);
        holding.cores -= placement.cores;
        free_cores_ |= placement.cores;
        for (const MemoryShare& share : placement.memory) {
            set_memory(holding, share.domain, bytes_of(holding, share.domain) - share.bytes);
            free_memory_[share.domain.value()] += share.bytes;
        }
        for (const DeviceShare& share : placement.devices) {
            set_shares(holding, share.device, shares_of(holding, share.device) - share.shares);
            free_shares_[share.device.value()] += share.shares;
        }
        drop_if_empty(owner);
        return {};
    }

    void hash_into(HashState& state) const { trestle::hash_into(state, holdings_); }
    friend bool operator==(const NodeUsage&, const NodeUsage&) = default;

  private:
    static Bytes bytes_of(const Holding& holding, DomainId domain) {
        return detail::amount_of(holding.memory, domain, &MemoryShare::domain, &MemoryShare::bytes);
    }
    static Count shares_of(const Holding& holding, DeviceId device) {
        return detail::amount_of(holding.devices, device, &DeviceShare::device,
                                 &DeviceShare::shares);
    }
    static void set_memory(Holding& holding, DomainId domain, Bytes bytes) {
        detail::change_share(holding.memory, domain, bytes, &MemoryShare::domain,
                             &MemoryShare::bytes);
    }
    static void set_shares(Holding& holding, DeviceId device, Count shares) {
        detail::change_share(holding.devices, device, shares, &DeviceShare::device,
                             &DeviceShare::shares);
    }

    [[nodiscard]] std::vector<Holding>::iterator find(OwnerId owner) {
        return std::lower_bound(holdings_.begin(), holdings_.end(), owner,
                                [](const Holding& h, OwnerId wanted) { return h.owner < wanted; });
    }
    /// The owner's holding; an empty one is made where there is none.
    Holding& holding_of(OwnerId owner) {
        auto at = find(owner);
        if (at == holdings_.end() || at->owner != owner) {
            at = holdings_.insert(at, Holding{owner, {}, {}, {}});
        }
        return *at;
    }
    void drop_if_empty(OwnerId owner) {
        const auto at = find(owner);
        if (at != holdings_.end() && at->is_empty()) holdings_.erase(at);
    }

    [[nodiscard]] Status check_exists(const NodePlacement& placement) const;
    [[nodiscard]] Status check_free(const NodePlacement& placement) const;
    [[nodiscard]] Status check_owned(const NodePlacement& placement, OwnerId owner) const;

    CoreSet free_cores_;
    std::vector<Bytes> free_memory_;  ///< by DomainId
    std::vector<Count> free_shares_;  ///< by DeviceId
    std::vector<Holding> holdings_;   ///< by owner
};

inline Status NodeUsage::check_exists(const NodePlacement& placement) const {
    CoreSet known = free_cores_;
    for (const Holding& holding : holdings_) known |= holding.cores;
    if (const auto stranger = (placement.cores - known).first()) {
        return invalid_argument("core {} does not exist", stranger->value());
    }
    const MemoryShare* lower_memory = nullptr;
    for (const MemoryShare& share : placement.memory) {
        const bool rises = !lower_memory || lower_memory->domain < share.domain;
        if (share.domain.value() >= free_memory_.size() || !rises || share.bytes.is_zero()) {
            return invalid_argument(
                "memory domain {}: expected existing domains in rising order, more than 0 bytes",
                share.domain.value());
        }
        lower_memory = &share;
    }
    const DeviceShare* lower_device = nullptr;
    for (const DeviceShare& share : placement.devices) {
        const bool rises = !lower_device || lower_device->device < share.device;
        if (share.device.value() >= free_shares_.size() || !rises || share.shares.is_zero()) {
            return invalid_argument(
                "device {}: expected existing devices in rising order, more than 0 shares",
                share.device.value());
        }
        lower_device = &share;
    }
    return {};
}

inline Status NodeUsage::check_free(const NodePlacement& placement) const {
    if (const auto taken = (placement.cores - free_cores_).first()) {
        return failed_precondition("core {} belongs to owner {}", taken->value(),
                                   owner_of(*taken)->value());
    }
    for (const MemoryShare& share : placement.memory) {
        if (free_memory(share.domain) < share.bytes) {
            return failed_precondition("memory domain {} has {} bytes free, not {}",
                                       share.domain.value(), free_memory(share.domain).value(),
                                       share.bytes.value());
        }
    }
    for (const DeviceShare& share : placement.devices) {
        if (share.shares <= free_shares(share.device)) continue;
        const auto owner = owner_of(share.device);
        if (!owner) {
            return invalid_argument("device {} has {} shares, not {}", share.device.value(),
                                    free_shares(share.device).value(), share.shares.value());
        }
        return failed_precondition("device {} belongs to owner {}", share.device.value(),
                                   owner->value());
    }
    return {};
}

inline Status NodeUsage::check_owned(const NodePlacement& placement, OwnerId owner) const {
    const auto at = std::lower_bound(
        holdings_.begin(), holdings_.end(), owner,
        [](const Holding& holding, OwnerId wanted) { return holding.owner < wanted; });
    const Holding none{owner, {}, {}, {}};
    const Holding& mine = at != holdings_.end() && at->owner == owner ? *at : none;
    if (const auto other = (placement.cores - mine.cores).first()) {
        const auto holder = owner_of(*other);
        return holder ? failed_precondition("core {} belongs to owner {}, not to {}",
                                            other->value(), holder->value(), owner.value())
                      : failed_precondition("core {} is free, owner {} does not have it",
                                            other->value(), owner.value());
    }
    for (const MemoryShare& share : placement.memory) {
        if (bytes_of(mine, share.domain) < share.bytes) {
            return failed_precondition("owner {} has {} bytes of memory domain {}, not {}",
                                       owner.value(), bytes_of(mine, share.domain).value(),
                                       share.domain.value(), share.bytes.value());
        }
    }
    for (const DeviceShare& share : placement.devices) {
        if (shares_of(mine, share.device) >= share.shares) continue;
        const auto holder = owner_of(share.device);
        return holder && *holder != owner
                   ? failed_precondition("device {} belongs to owner {}, not to {}",
                                         share.device.value(), holder->value(), owner.value())
                   : failed_precondition("owner {} has {} shares of device {}, not {}",
                                         owner.value(), shares_of(mine, share.device).value(),
                                         share.device.value(), share.shares.value());
    }
    return {};
}

}  // namespace trestle
