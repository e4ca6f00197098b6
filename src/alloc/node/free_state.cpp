// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/free_state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trestle {

CoreSet FreeState::cores_in(std::uint32_t row) const {
    CoreSet free = cores;
    for (const RowCores& one : held_rows) {
        if (one.row != row) free |= one.cores;
    }
    for (const RowCores& one : held_rows) {
        if (one.row == row) free -= one.cores;
    }
    return free;
}

std::uint32_t FreeState::distinct_rows(std::uint32_t most) const {
    const std::uint64_t used = held_rows.empty() ? 0 : std::uint64_t{held_rows.back().row} + 1;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, used + 1));
}

std::vector<SliceInstance> FreeState::slices_of(DeviceId device) const {
    std::vector<SliceInstance> found;
    for (const HeldSlice& one : held_slices) {
        if (one.device == device) found.push_back(one.instance);
    }
    return found;
}

FreeSums sums_of(const FreeState& state, const NodeShape& shape, const ThreadCounts& threads) {
    FreeSums sums{state.free_milli_cpus(threads), Bytes(), state.cores.count(),
                  !state.held_milli_cpus.is_zero()};
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        if (shape.memory[i].is_ordinary()) sums.memory += state.memory[i];
    }
    return sums;
}

std::uint64_t untouched_devices(const FreeState& state, const NodeShape& shape) {
    std::uint64_t mask = 0;
    const auto masked = std::min<std::size_t>(shape.devices.size(), masked_devices);
    for (std::uint32_t d = 0; d < masked; ++d) {
        const bool is_untouched = state.is_untouched(DeviceId(d), shape.devices[d]);
        mask |= std::uint64_t{is_untouched} << d;
    }
    return mask;
}

}  // namespace trestle
