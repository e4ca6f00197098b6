// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/detail/node_spec_of.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "trestle/model/slice_geometry.hpp"
#include "trestle/testing/detail/split.hpp"

namespace trestle {

namespace testing {

namespace detail {

bool is_alike(const Device& a, const Device& b) {
    const auto key = [](const Device& device) {
        return std::tie(device.name, device.type, device.memory, device.shares, device.switches,
                        device.slicing, device.health, device.is_drained);
    };
    return key(a) == key(b);
}

LinkTable::LinkTable(const NodeShape& shape)
    : size_(shape.devices.size()), strength_(size_ * size_) {
    for (const DeviceLink& link : shape.links) {
        const std::size_t a = link.a.value();
        const std::size_t b = link.b.value();
        if (a < size_ && b < size_) strength_[a * size_ + b] = link.strength;
    }
}

bool describe_links(const NodeShape& shape, const LinkTable& links, std::size_t first,
                    DeviceSpec& spec) {
    const std::size_t last = first + spec.count;
    const auto strength = spec.count > 1 ? links.between(first, first + 1) : std::nullopt;
    spec.strength = strength.value_or(1);
    if (strength) {
        const bool is_all = spec.count == 2 || links.between(first, first + 2).has_value();
        spec.linking = is_all ? Linking::all : Linking::pairs;
    }
    for (std::size_t a = first; a < last; ++a) {
        for (std::size_t b = a + 1; b < shape.devices.size(); ++b) {
            const bool is_wanted =
                b < last && are_linked(spec, static_cast<std::uint32_t>(a - first),
                                       static_cast<std::uint32_t>(b - first));
            const auto found = links.between(a, b);
            if (found != (is_wanted ? std::optional(spec.strength) : std::nullopt)) return false;
        }
    }
    return true;
}

bool describe_nearness(const NodeShape& shape, const NodeSpec& node, std::size_t first,
                       DeviceSpec& spec) {
    const auto fits = [&] {
        for (std::uint32_t i = 0; i < spec.count; ++i) {
            if (shape.devices[first + i].cores != cores_near(node, spec, i)) return false;
        }
        return true;
    };
    for (const Nearness nearness : {Nearness::spread, Nearness::anywhere, Nearness::socket}) {
        spec.nearness = nearness;
        const auto core = shape.devices[first].cores.first();
        spec.socket = nearness == Nearness::socket && core ? core->value() / node.cores : 0;
        if (spec.socket < node.sockets && fits()) return true;
    }
    return false;
}

bool describe_reserved(const NodeShape& shape, std::size_t first, DeviceSpec& spec) {
    std::uint32_t most = 0;  // the last of them may find fewer cores left
    for (std::size_t i = first; i < first + spec.count; ++i) {
        most = std::max(most, shape.devices[i].reserved_cores.count());
    }
    spec.reserved = most;
    for (std::size_t i = first; i < first + spec.count; ++i) {
        if (shape.devices[i].reserved_cores != reserve(shape, i, most)) return false;
    }
    return true;
}

std::optional<std::vector<DeviceSpec>> describe_devices(const NodeShape& shape,
                                                        const NodeSpec& node) {
    const auto& devices = shape.devices;
    const LinkTable links(shape);
    const auto longest = [&](std::size_t first) {
        std::size_t last = first + 1;
        while (last < devices.size() && is_alike(devices[first], devices[last])) ++last;
        return last;
    };
    const auto describe = [&](std::size_t first, std::size_t last) -> std::optional<DeviceSpec> {
        const Device& device = devices[first];
        DeviceSpec spec;
        spec.name = device.name;
        spec.type = device.type;
        spec.memory = device.memory;
        spec.shares = device.shares;
        spec.switches = device.switches;
        if (device.slicing) {
            spec.slices = device.slicing->geometry.name;
            const bool is_known = find_slice_geometry(spec.slices) != nullptr;
            if (!is_known || slicing_of(spec) != device.slicing) return std::nullopt;
        }
        spec.health = device.health;
        spec.is_drained = device.is_drained;
        spec.count = static_cast<std::uint32_t>(last - first);
        if (!describe_nearness(shape, node, first, spec)) return std::nullopt;
        if (!describe_links(shape, links, first, spec)) return std::nullopt;
        if (!describe_reserved(shape, first, spec)) return std::nullopt;
        return spec;
    };
    const auto pieces = split(devices.size(), longest, describe);
    if (!pieces) return std::nullopt;
    std::vector<DeviceSpec> specs;
    for (const auto& piece : *pieces) specs.push_back(piece.description);
    return specs;
}

Bytes memory_of_kind(const NodeShape& shape, MemoryKind kind) {
    Bytes sum;
    for (const MemoryDomain& domain : shape.memory) {
        if (domain.kind == kind) sum += domain.capacity;
    }
    return sum;
}

}  // namespace detail

std::optional<NodeSpec> spec_of(const Node& node) {
    const NodeShape& shape = *node.shape;
    const auto groups = [&](HardwareLevel level) {
        return static_cast<std::uint32_t>(
            std::count_if(shape.hardware.groups.begin(), shape.hardware.groups.end(),
                          [&](const CoreGroup& group) { return group.level == level; }));
    };
    const auto domains = static_cast<std::uint32_t>(
        std::count_if(shape.memory.begin(), shape.memory.end(),
                      [](const MemoryDomain& d) { return d.kind == MemoryKind::dram; }));
    NodeSpec spec;
    spec.sockets = groups(HardwareLevel::package);
    if (spec.sockets == 0 || shape.hardware.cores.empty()) return std::nullopt;
    spec.cores = shape.hardware.core_count() / spec.sockets;
    spec.threads = static_cast<std::uint32_t>(shape.hardware.cores[0].threads.size());
    spec.numa = domains / spec.sockets;
    spec.l3 = groups(HardwareLevel::l3) / spec.sockets;
    if (spec.cores == 0 || spec.threads == 0 || spec.numa == 0) return std::nullopt;
    if (spec.cores % spec.numa != 0 || (spec.l3 != 0 && spec.cores % spec.l3 != 0)) {
        return std::nullopt;
    }
    spec.system_cores = shape.system_cores;
    spec.memory = detail::memory_of_kind(shape, MemoryKind::dram);
    spec.high_bandwidth = detail::memory_of_kind(shape, MemoryKind::high_bandwidth);
    spec.persistent = detail::memory_of_kind(shape, MemoryKind::persistent);
    spec.disk = shape.disk;
    spec.architecture = shape.architecture;
    auto devices = detail::describe_devices(shape, spec);
    if (!devices) return std::nullopt;
    spec.devices = *std::move(devices);
    spec.name = node.name;
    spec.features = node.features;
    spec.weight = node.weight;
    spec.state = node.state;
    spec.health = node.health;
    if (to_node(spec) != node) return std::nullopt;
    return spec;
}

}  // namespace testing

}  // namespace trestle
