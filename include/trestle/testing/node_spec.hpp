// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeSpec: the few numbers from which a regular node is made, and which are read off one.
//
// Layer: testing. Main types: NodeSpec, DeviceSpec; to_node(spec), spec_of(node). The text form is
// in node_text.hpp.
// A reader would get wrong: threads are numbered as Linux does on x86: first one thread of each
// core, then the second ones, so core 0 of 8 has the threads 0 and 8.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/contract.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/slice_geometry.hpp"

namespace trestle::testing {

/// Which sockets the devices of a spec are near to.
enum class Nearness {
    spread,    ///< device i of n is near to socket i * sockets / n
    anywhere,  ///< near to all alike
    socket,    ///< all near to one socket
};

constexpr auto enum_names(Nearness) {
    using enum Nearness;
    return std::array{named(spread, "spread"), named(anywhere, "anywhere"),
                      named(socket, "socket")};
}

/// Which devices of a spec are linked.
enum class Linking {
    none,
    all,    ///< each with each
    pairs,  ///< 0-1, 2-3, ...
};

constexpr auto enum_names(Linking) {
    using enum Linking;
    return std::array{named(none, "none"), named(all, "all"), named(pairs, "pairs")};
}

/// Some equal devices. Their indexes continue those of earlier ones with the same name.
struct DeviceSpec {
    std::string name;
    std::string type;
    Bytes memory;
    std::uint32_t count = 1;  ///< 1 or more
    Count shares{1};          ///< of each
    Nearness nearness = Nearness::spread;
    std::uint32_t socket = 0;  ///< for Nearness::socket
    Linking linking = Linking::none;
    std::uint32_t strength = 1;           ///< of each link
    std::vector<std::uint32_t> switches;  ///< above all of them, outermost first
    std::uint32_t reserved = 0;  ///< cores of each: its lowest near ones that no other reserves yet
    std::string slices;          ///< name of a slice geometry; empty: none
    Health health = Health::healthy;
    bool is_drained = false;

    static constexpr auto fields(auto list) {
        return list(
            field("name", &DeviceSpec::name), field("type", &DeviceSpec::type),
            field("memory", &DeviceSpec::memory), field("count", &DeviceSpec::count),
            field("shares", &DeviceSpec::shares), field("nearness", &DeviceSpec::nearness),
            field("socket", &DeviceSpec::socket), field("linking", &DeviceSpec::linking),
            field("strength", &DeviceSpec::strength), field("switches", &DeviceSpec::switches),
            field("reserved", &DeviceSpec::reserved), field("slices", &DeviceSpec::slices),
            field("health", &DeviceSpec::health), field("is_drained", &DeviceSpec::is_drained));
    }
    friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;
};

/// A node whose sockets are alike.
struct NodeSpec {
    std::uint32_t sockets = 1;
    std::uint32_t cores = 1;    ///< of each socket
    std::uint32_t threads = 1;  ///< of each core
    std::uint32_t numa = 1;     ///< memory domains of each socket; divides cores
    std::uint32_t l3 = 0;       ///< L3 groups of each socket; 0, or divides cores
    CoreSet system_cores;       ///< kept for the system
    Bytes memory;               ///< split over the domains, an indivisible rest to the first
    Bytes high_bandwidth;       ///< as one memory-only domain for each socket; 0: none
    Bytes persistent;           ///< likewise
    Bytes disk;
    Architecture architecture = Architecture::x86;
    std::vector<DeviceSpec> devices;
    std::string name;
    std::vector<std::string> features;
    std::uint32_t weight = 1;
    NodeState state = NodeState::up;
    Health health = Health::healthy;

    static constexpr auto fields(auto list) {
        return list(field("sockets", &NodeSpec::sockets), field("cores", &NodeSpec::cores),
                    field("threads", &NodeSpec::threads), field("numa", &NodeSpec::numa),
                    field("l3", &NodeSpec::l3), field("system_cores", &NodeSpec::system_cores),
                    field("memory", &NodeSpec::memory),
                    field("high_bandwidth", &NodeSpec::high_bandwidth),
                    field("persistent", &NodeSpec::persistent), field("disk", &NodeSpec::disk),
                    field("architecture", &NodeSpec::architecture),
                    field("devices", &NodeSpec::devices), field("name", &NodeSpec::name),
                    field("features", &NodeSpec::features), field("weight", &NodeSpec::weight),
                    field("state", &NodeSpec::state), field("health", &NodeSpec::health));
    }
    friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

namespace detail {

/// The cores of part `i` of `parts` equal parts of the node.
[[nodiscard]] inline CoreSet part_of_cores(const NodeSpec& spec, std::uint32_t i,
                                           std::uint32_t parts) {
    const std::uint32_t each = spec.sockets * spec.cores / parts;
    return CoreSet::range({i * each, (i + 1) * each});
}

/// Near to the only socket is near to all alike.
[[nodiscard]] inline CoreSet cores_near(const NodeSpec& spec, const DeviceSpec& devices,
                                        std::uint32_t i) {
    if (devices.nearness == Nearness::anywhere || spec.sockets == 1) return {};
    const std::uint32_t socket =
        devices.nearness == Nearness::socket ? devices.socket : i * spec.sockets / devices.count;
    return part_of_cores(spec, socket, spec.sockets);
}

[[nodiscard]] inline bool are_linked(const DeviceSpec& devices, std::uint32_t i, std::uint32_t j) {
    return devices.linking == Linking::all || (devices.linking == Linking::pairs && i / 2 == j / 2);
}

[[nodiscard]] inline HardwareTree hardware_of(const NodeSpec& spec) {
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

[[nodiscard]] inline std::vector<MemoryDomain> memory_of(const NodeSpec& spec) {
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

/// The `count` lowest cores near device `i` that no device before it reserves; all that are left
/// when these are fewer.
[[nodiscard]] inline CoreSet reserve(const NodeShape& shape, std::size_t i, std::uint32_t count) {
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

/// How these devices may be cut. Requires: the geometry is known.
[[nodiscard]] inline std::optional<Slicing> slicing_of(const DeviceSpec& devices) {
    if (devices.slices.empty()) return std::nullopt;
    const SliceGeometry* geometry = find_slice_geometry(devices.slices);
    TRESTLE_EXPECTS(geometry != nullptr, "the slice geometry is known");
    return Slicing{*geometry, {}, false};
}

inline void add_devices(NodeShape& shape, const NodeSpec& spec, const DeviceSpec& devices) {
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

/// The node that a spec describes. Requires: counts are 1 or more, numa and l3 divide cores, and
/// slice geometries are known.
[[nodiscard]] inline Node to_node(const NodeSpec& spec) {
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

}  // namespace trestle::testing
