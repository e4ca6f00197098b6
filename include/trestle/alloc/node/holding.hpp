// SPDX-License-Identifier: Apache-2.0
#pragma once

// Holding: what one owner has on a node, by name of every core, byte and device share.
//
// Layer: alloc. Main types: Holding, Holding::Row. NodeLedger keeps one for each owner.
// Pitfall: cores in a row are not the owner's alone; owners in other rows may have the same ones.

#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// Shares are sorted and never zero, rows sorted and not empty.
struct Holding {
    /// Cores that an owner has in one row of a partition that shares.
    struct Row {
        std::uint32_t row = 0;
        CoreSet cores;

        static constexpr auto fields(auto list) {
            return list(field("row", &Row::row), field("cores", &Row::cores));
        }
        friend bool operator==(const Row&, const Row&) = default;
    };

    OwnerId owner;
    CoreSet cores{};          ///< the owner's alone
    std::vector<Row> rows{};  ///< others may have them in other rows
    MilliCpu milli_cpus{};    ///< of cores without an owner
    SmallVector<MemoryShare> memory{};
    SmallVector<DeviceShare> devices{};

    [[nodiscard]] bool is_empty() const;
    /// The cores in that row; without a row, those that are the owner's alone.
    [[nodiscard]] CoreSet cores_in(std::optional<std::uint32_t> row) const;
    /// Cores in any row, and alone.
    [[nodiscard]] CoreSet all_cores() const;
    [[nodiscard]] Bytes bytes_of(DomainId domain) const;
    /// Shares of the uncut device, or 1 for an instance of it that is held.
    [[nodiscard]] Count shares_of(DeviceId device,
                                  const BoxedOptional<Slicing::Instance>& slice = {}) const;

    static constexpr auto fields(auto list) {
        return list(field("owner", &Holding::owner), field("cores", &Holding::cores),
                    field("rows", &Holding::rows), field("milli_cpus", &Holding::milli_cpus),
                    field("memory", &Holding::memory), field("devices", &Holding::devices));
    }
    friend bool operator==(const Holding&, const Holding&) = default;
};

}  // namespace trestle
