// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeLedger: what is taken on one node, unit by unit, and the owner of each unit.
//
// Layer: alloc. Every owner's cores, bytes and device shares are recorded. So a double release, or
// a release of units of another owner, is detected and rejected. What is free is kept beside it.
// Pitfall: take and give_back check everything before they change anything; after an error the
// ledger is what it was. What shape keeps for the system is neither free nor held.

#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/alloc/node/free_state.hpp"
#include "trestle/alloc/node/holding.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

class NodeLedger {
  public:
    NodeLedger() = default;

    /// Nothing taken of `shape`.
    explicit NodeLedger(const NodeShape& shape);

    /// What is left, which is all that a decision looks at.
    [[nodiscard]] const FreeState& free() const { return free_; }
    /// The cores without an owner.
    [[nodiscard]] const CoreSet& free_cores() const { return free_.cores; }
    /// Thousandths of CPUs without an owner, neither in thousandths nor as cores.
    [[nodiscard]] MilliCpu free_milli_cpus() const { return free_.free_milli_cpus(threads_); }
    /// Requires: the domain exists.
    [[nodiscard]] Bytes free_memory(DomainId domain) const;
    /// Free shares of the uncut device; none while an instance of it is held.
    /// Requires: the device exists.
    [[nodiscard]] Count free_shares(DeviceId device) const;
    /// See FreeState::cores_in.
    [[nodiscard]] CoreSet free_cores(std::uint32_t row) const { return free_.cores_in(row); }
    /// See FreeState::slices_of.
    [[nodiscard]] std::vector<Slicing::Instance> held_slices(DeviceId device) const {
        return free_.slices_of(device);
    }
    /// By owner, none of them empty.
    [[nodiscard]] const std::vector<Holding>& holdings() const { return holdings_; }
    [[nodiscard]] bool is_idle() const { return holdings_.empty(); }

    /// The owner of the core, the lowest of several; absent when it is free. Complexity: linear in
    /// the owners.
    [[nodiscard]] std::optional<OwnerId> owner_of(CoreId core) const;
    /// An owner with a share or an instance of the device, the lowest one; nothing when it is free.
    [[nodiscard]] std::optional<OwnerId> owner_of(DeviceId device) const;

    /// Gives what `placement` names to `owner`, in addition to what the owner has.
    /// Errors: InvalidArgument for a unit that does not exist, stands twice or out of order.
    /// FailedPrecondition, naming the unit and its owner, for one that is not free, and for cores
    /// whose CPUs others have in thousandths. Nothing changes then.
    [[nodiscard]] Status take(const NodePlacement& placement, OwnerId owner);

    /// Takes what `placement` names back from `owner`.
    /// Errors: InvalidArgument for a unit that does not exist, stands twice or out of order.
    /// FailedPrecondition, naming the unit and its owner, for one that `owner` does not have.
    /// Nothing changes then.
    [[nodiscard]] Status give_back(const NodePlacement& placement, OwnerId owner);

    void hash_into(HashState& state) const { trestle::hash_into(state, holdings_); }
    friend bool operator==(const NodeLedger&, const NodeLedger&) = default;

  private:
    /// What a device has in all.
    struct Units {
        Count shares;
        std::uint32_t memory_slices = 0;

        friend bool operator==(const Units&, const Units&) = default;
    };

    [[nodiscard]] std::vector<Holding>::iterator find(OwnerId owner);
    /// The owner's holding; an empty one is made where there is none.
    Holding& holding_of(OwnerId owner);
    /// After a change: drops an empty holding, and counts rows and slices again where the placement
    /// has any.
    void recount(OwnerId owner, const NodePlacement& placement);
    void count_rows();
    void count_slices();

    [[nodiscard]] Status check_exists(const NodePlacement& placement) const;
    [[nodiscard]] Status check_exists(const DeviceShare& share) const;
    [[nodiscard]] Status check_free(const NodePlacement& placement) const;
    [[nodiscard]] Status check_free(const DeviceShare& share) const;
    [[nodiscard]] Status check_free_milli_cpus(const NodePlacement& placement) const;
    [[nodiscard]] Status check_owned(const NodePlacement& placement, OwnerId owner) const;
    [[nodiscard]] Status check_owned(const DeviceShare& share, const Holding& mine) const;

    FreeState free_;
    ThreadCounts threads_;
    std::vector<Units> units_;  ///< by DeviceId
    DeviceSet unconsumed_;
    std::vector<Holding> holdings_;  ///< by owner
};

}  // namespace trestle
