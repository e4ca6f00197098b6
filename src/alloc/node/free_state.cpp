// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/free_state.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace trestle {

CoreSet FreeState::cores_in(std::uint32_t row) const {
    CoreSet free = cores;
    for (const Holding::Row& one : held_rows) {
        if (one.row != row) free |= one.cores;
    }
    for (const Holding::Row& one : held_rows) {
        if (one.row == row) free -= one.cores;
    }
    return free;
}

std::uint32_t FreeState::distinct_rows(std::uint32_t most) const {
    const std::uint64_t used = held_rows.empty() ? 0 : std::uint64_t{held_rows.back().row} + 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, used + 1));
}

std::vector<Slicing::Instance> FreeState::slices_of(DeviceId device) const {
    std::vector<Slicing::Instance> found;
    for (const FreeState::HeldSlice& one : held_slices) {
        if (one.device == device) found.push_back(one.instance);
    }
    return found;
}

}  // namespace trestle
