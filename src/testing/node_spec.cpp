// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/node_spec.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/contract.hpp"
#include "trestle/model/slice_geometry.hpp"

namespace trestle {

namespace testing {

namespace detail {

CoreSet part_of_cores(const NodeSpec& spec, std::uint32_t i, std::uint32_t parts) {
    const std::uint32_t each = spec.sockets * spec.cores / parts;
    return CoreSet::range({i * each, (i + 1) * each});
}

CoreSet cores_near(const NodeSpec& spec, const DeviceSpec& devices, std::uint32_t i) {
    if (devices.nearness == Nearness::anywhere || spec.sockets == 1) return {};
    const std::uint32_t socket =
        devices.nearness == Nearness::socket ? devices.socket : i * spec.sockets / devices.count;
    return part_of_cores(spec, socket, spec.sockets);
}

HardwareTree hardware_of(const NodeSpec& spec) {
    HardwareTree tree;
    const std::uint32_t cores = spec.sockets * spec.cores;
    for (std::uint32_t core = 0; core < cores; ++core) {
        std::vector<OsIndex> threads;
        for (std::uint32_t t = 0; t < spec.threads; ++t) threads.emplace_back(core + t * cores);
        tree.cores.push_back({std::move(threads)});
    }
    const auto add_groups = [&](HardwareLevel level, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            tree.groups.push_back({level, OsIndex(i), part_of_cores(spec, i, count)});
        }
    };
    add_groups(HardwareLevel::package, spec.sockets);
    add_groups(HardwareLevel::l3, spec.sockets * spec.l3);
    return tree;
}

std::vector<MemoryDomain> memory_of(const NodeSpec& spec) {
    std::vector<MemoryDomain> memory;
    const auto add = [&](MemoryKind kind, Bytes total, std::uint32_t count) {
        const Bytes each = div_floor(total, count);
        for (std::uint32_t i = 0; i < count; ++i) {
            const Bytes rest = i == 0 ? total - each * count : Bytes();
            const bool has_cores = kind == MemoryKind::dram;
            memory.push_back({OsIndex(static_cast<std::uint32_t>(memory.size())), kind, each + rest,
                              has_cores ? part_of_cores(spec, i, count) : CoreSet()});
        }
    };
    add(MemoryKind::dram, spec.memory, spec.sockets * spec.numa);
    if (!spec.high_bandwidth.is_zero()) {
        add(MemoryKind::high_bandwidth, spec.high_bandwidth, spec.sockets);
    }
    if (!spec.persistent.is_zero()) add(MemoryKind::persistent, spec.persistent, spec.sockets);
    return memory;
}

CoreSet reserve(const NodeShape& shape, std::size_t i, std::uint32_t count) {
    const CoreSet& near = shape.devices[i].cores;
    CoreSet left = near.is_empty() ? shape.hardware.all_cores() : near;
    for (std::size_t other = 0; other < i; ++other) left -= shape.devices[other].reserved_cores;
    CoreSet reserved;
    for (const CoreId core : left) {
        if (reserved.count() == count) break;
        reserved.insert(core);
    }
    return reserved;
}

std::optional<Slicing> slicing_of(const DeviceSpec& devices) {
    if (devices.slices.empty()) return std::nullopt;
    const SliceGeometry* geometry = find_slice_geometry(devices.slices);
    TRESTLE_EXPECTS(geometry != nullptr, "the slice geometry is known");
    return Slicing{*geometry, {}, false};
}

void add_devices(NodeShape& shape, const NodeSpec& spec, const DeviceSpec& devices) {
    const auto first = static_cast<std::uint32_t>(shape.devices.size());
    std::uint32_t index = 0;
    for (const Device& device : shape.devices) index += device.name == devices.name ? 1u : 0u;
    for (std::uint32_t i = 0; i < devices.count; ++i) {
        Device device;
        device.name = devices.name;
        device.type = devices.type;
        device.index = index + i;
        device.memory = devices.memory;
        device.cores = cores_near(spec, devices, i);
        device.shares = devices.shares;
        device.switches = devices.switches;
        device.slicing = slicing_of(devices);
        device.health = devices.health;
        device.is_drained = devices.is_drained;
        shape.devices.push_back(std::move(device));
        shape.devices.back().reserved_cores = reserve(shape, first + i, devices.reserved);
        for (std::uint32_t j = i + 1; j < devices.count; ++j) {
            if (!are_linked(devices, i, j)) continue;
            shape.links.push_back({DeviceId(first + i), DeviceId(first + j), devices.strength});
        }
    }
}

}  // namespace detail

Node to_node(const NodeSpec& spec) {
    TRESTLE_EXPECTS(spec.sockets > 0 && spec.cores > 0 && spec.threads > 0, "a node has threads");
    TRESTLE_EXPECTS(spec.numa > 0 && spec.cores % spec.numa == 0, "numa divides cores");
    TRESTLE_EXPECTS(spec.l3 == 0 || spec.cores % spec.l3 == 0, "l3 divides cores");
    NodeShape shape;
    shape.architecture = spec.architecture;
    shape.hardware = detail::hardware_of(spec);
    shape.system_cores = spec.system_cores;
    shape.memory = detail::memory_of(spec);
    for (const DeviceSpec& devices : spec.devices) detail::add_devices(shape, spec, devices);
    shape.disk = spec.disk;
    return {spec.name, std::move(shape), spec.features, spec.weight, spec.state, spec.health};
}

}  // namespace testing

}  // namespace trestle
