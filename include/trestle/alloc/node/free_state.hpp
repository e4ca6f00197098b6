// SPDX-License-Identifier: Apache-2.0
#pragma once

// FreeState: what is free on a node, without the owners of the rest.
//
// Layer: alloc. Main types: FreeState, FreeState::HeldSlice. It is all that decisions look at:
// nodes of one shape with equal states give equal answers, which is what makes answers worth
// remembering.
// Pitfall: a core taken in one row is not in `cores`, which no owner has; ask
// cores_in(row). Thousandths of CPUs are what is taken, not what is left: they come from `cores`.

#include <cstdint>
#include <vector>

#include "trestle/alloc/node/holding.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/slices.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// What is free of a node, by unit; `held_` fields are what is taken.
struct FreeState {
    /// An instance of a device that has an owner.
    struct HeldSlice {
        DeviceId device;
        Slicing::Instance instance;

        static constexpr auto fields(auto list) {
            return list(field("device", &HeldSlice::device),
                        field("instance", &HeldSlice::instance));
        }
        friend bool operator==(const HeldSlice&, const HeldSlice&) = default;
        friend auto operator<=>(const HeldSlice&, const HeldSlice&) = default;
    };

    CoreSet cores;                        ///< without an owner
    std::vector<Holding::Row> held_rows;  ///< taken in each row; rows without cores are left out
    MilliCpu held_milli_cpus{};  ///< taken of the threads of `cores`, by all owners together
    std::vector<Bytes> memory;   ///< free, by DomainId
    /// Free of the uncut device, by DeviceId; none while an instance of it is held.
    std::vector<Count> shares;
    std::vector<HeldSlice> held_slices;  ///< by device, then start
    bool is_idle = true;                 ///< the node has no owner

    /// The cores that an owner in `row` could get: those without an owner, and those that others
    /// have in other rows only.
    [[nodiscard]] CoreSet cores_in(std::uint32_t row) const;
    /// Thousandths of CPUs that are left; `threads` is of the node's cores.
    [[nodiscard]] MilliCpu free_milli_cpus(const ThreadCounts& threads) const {
        return saturating_sub(cpus(threads.of(cores)), held_milli_cpus);
    }
    /// How many of the first `most` rows are worth a look: all those above the highest that has
    /// cores are alike.
    [[nodiscard]] std::uint32_t distinct_rows(std::uint32_t most) const;
    /// No owner has a share or an instance of the device, which is `device` in the shape.
    [[nodiscard]] bool is_untouched(DeviceId id, const Device& device) const {
        return shares[id.value()] == device.shares;
    }
    /// The held instances of one device, by start.
    [[nodiscard]] std::vector<Slicing::Instance> slices_of(DeviceId device) const;

    static constexpr auto fields(auto list) {
        return list(field("cores", &FreeState::cores), field("held_rows", &FreeState::held_rows),
                    field("held_milli_cpus", &FreeState::held_milli_cpus),
                    field("memory", &FreeState::memory), field("shares", &FreeState::shares),
                    field("held_slices", &FreeState::held_slices),
                    field("is_idle", &FreeState::is_idle));
    }
    friend bool operator==(const FreeState&, const FreeState&) = default;
};

}  // namespace trestle
