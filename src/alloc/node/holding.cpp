// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/holding.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "alloc/node/free/holding_edits.hpp"

namespace trestle {

bool Holding::is_empty() const {
    return cores.is_empty() && rows.empty() && milli_cpus.is_zero() && memory.empty() &&
           devices.empty();
}

CoreSet Holding::cores_in(std::optional<std::uint32_t> row) const {
    if (!row) return cores;
    for (const Holding::Row& one : rows) {
        if (one.row == *row) return one.cores;
    }
    return {};
}

CoreSet Holding::all_cores() const {
    CoreSet all = cores;
    for (const Holding::Row& one : rows) all |= one.cores;
    return all;
}

Bytes Holding::bytes_of(DomainId domain) const {
    for (const MemoryShare& share : memory) {
        if (share.domain == domain) return share.bytes;
    }
    return {};
}

Count Holding::shares_of(DeviceId device, const BoxedOptional<Slicing::Instance>& slice) const {
    for (const DeviceShare& share : devices) {
        if (share.device == device && share.slice == slice) return share.shares;
    }
    return {};
}

namespace detail {

CoreSet& cores_at(Holding& holding, std::optional<std::uint32_t> row) {
    if (!row) return holding.cores;
    auto at = std::lower_bound(
        holding.rows.begin(), holding.rows.end(), *row,
        [](const Holding::Row& one, std::uint32_t wanted) { return one.row < wanted; });
    if (at == holding.rows.end() || at->row != *row) {
        at = holding.rows.insert(at, Holding::Row{*row, {}});
    }
    return at->cores;
}

void add(Holding& holding, const NodePlacement& placement) {
    cores_at(holding, placement.row) |= placement.cores;
    std::erase_if(holding.rows, [](const Holding::Row& one) { return one.cores.is_empty(); });
    holding.milli_cpus += placement.milli_cpus;
    for (MemoryShare share : placement.memory) {
        share.bytes += holding.bytes_of(share.domain);
        set_share(holding.memory, share, &MemoryShare::bytes);
    }
    for (DeviceShare share : placement.devices) {
        share.shares += holding.shares_of(share.device, share.slice);
        set_share(holding.devices, share, &DeviceShare::shares);
    }
}

void remove(Holding& holding, const NodePlacement& placement) {
    cores_at(holding, placement.row) -= placement.cores;
    std::erase_if(holding.rows, [](const Holding::Row& one) { return one.cores.is_empty(); });
    holding.milli_cpus -= placement.milli_cpus;
    for (MemoryShare share : placement.memory) {
        share.bytes = holding.bytes_of(share.domain) - share.bytes;
        set_share(holding.memory, share, &MemoryShare::bytes);
    }
    for (DeviceShare share : placement.devices) {
        share.shares = holding.shares_of(share.device, share.slice) - share.shares;
        set_share(holding.devices, share, &DeviceShare::shares);
    }
}

}  // namespace detail

}  // namespace trestle
