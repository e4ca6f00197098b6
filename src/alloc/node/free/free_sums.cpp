// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/free/free_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace trestle {

FreeSums sums_of(const FreeState& state, const NodeShape& shape, const ThreadCounts& threads) {
    FreeSums sums{state.free_milli_cpus(threads), Bytes(), state.cores.count(),
                  !state.held_milli_cpus.is_zero()};
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        if (shape.memory[i].is_ordinary()) sums.memory += state.memory[i];
    }
    return sums;
}

std::int64_t all_memory(const FreeState& state) {
    std::int64_t sum = 0;
    for (const Bytes one : state.memory) sum += one.value();
    return sum;
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
