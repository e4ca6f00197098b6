// SPDX-License-Identifier: Apache-2.0
#pragma once

// Adding to a holding and taking from it.
//
// Layer: alloc (private). Bodies: holding.cpp.
// Pitfall: shares of one domain or device are one entry of the list, sorted by it.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "trestle/alloc/node/holding.hpp"

namespace trestle::detail {

[[nodiscard]] inline bool is_same_unit(const MemoryShare& a, const MemoryShare& b) {
    return a.domain == b.domain;
}
[[nodiscard]] inline bool is_same_unit(const DeviceShare& a, const DeviceShare& b) {
    return a.device == b.device && a.slice == b.slice;
}
[[nodiscard]] inline bool is_before(const MemoryShare& a, const MemoryShare& b) {
    return a.domain < b.domain;
}
[[nodiscard]] inline bool is_before(const DeviceShare& a, const DeviceShare& b) {
    return a.device != b.device ? a.device < b.device : a.slice < b.slice;
}

/// Makes the amount of `unit` in a sorted list what `unit` says; an entry of amount 0 goes away.
template <class Share, class Amount>
void set_share(SmallVector<Share>& shares, const Share& unit, Amount Share::*amount) {
    const auto at = std::find_if(shares.begin(), shares.end(),
                                 [&](const Share& one) { return is_same_unit(one, unit); });
    if ((unit.*amount).is_zero()) {
        if (at != shares.end()) shares.erase(at);
    } else if (at != shares.end()) {
        (*at).*amount = unit.*amount;
    } else {
        shares.insert(
            std::upper_bound(shares.begin(), shares.end(), unit,
                             [](const Share& a, const Share& b) { return is_before(a, b); }),
            unit);
    }
}

/// The owner's cores in `row`, made where there are none; empty rows have to be dropped later.
[[nodiscard]] CoreSet& cores_at(Holding& holding, std::optional<std::uint32_t> row);

/// Adds a placement. Requires: its units are free.
void add(Holding& holding, const NodePlacement& placement);

/// Takes a placement away. Requires: the owner has all of it.
void remove(Holding& holding, const NodePlacement& placement);

}  // namespace trestle::detail
