// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/node_builder.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node_parts.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/slice_geometry.hpp"

namespace trestle {

namespace detail {

CoreSet part_of_cores(const NodeDescription& node, std::uint32_t i, std::uint32_t parts) {
    const auto cores = static_cast<std::uint32_t>(node.packages * cores_of_package(node));
    const std::uint32_t each = cores / parts;
    return CoreSet::range({i * each, (i + 1) * each});
}

CoreSet cores_near(const NodeDescription& node, const NodeDescription::Devices& devices,
                   std::uint32_t i) {
    if (devices.nearness == NodeDescription::Devices::Nearness::anywhere || node.packages == 1)
        return {};
    const std::uint32_t package = devices.nearness == NodeDescription::Devices::Nearness::package
                                      ? devices.package
                                      : i * node.packages / devices.count;
    return part_of_cores(node, package, node.packages);
}

bool are_linked(const NodeDescription::Devices& devices, std::uint32_t i, std::uint32_t j) {
    return devices.linking == NodeDescription::Devices::Linking::all ||
           (devices.linking == NodeDescription::Devices::Linking::pairs && i / 2 == j / 2);
}

CoreSet cores_to_reserve(const NodeShape& shape, std::size_t i, std::uint32_t count) {
    if (count == 0) return {};
    const CoreSet& near = shape.devices[i].cores;
    CoreSet left = near.is_empty() ? shape.hardware.all_cores() : near;
    for (std::size_t other = 0; other < i; ++other) left -= shape.devices[other].reserved_cores;
    return left.first_k(count);
}

std::optional<Slicing> slicing_of(const NodeDescription::Devices& devices) {
    const SliceGeometry* geometry = find_slice_geometry(devices.slice_geometry);
    if (geometry == nullptr) return std::nullopt;
    return Slicing{*geometry, {}, false};
}

namespace {

Status check_count(std::string_view field, std::uint32_t count, std::uint32_t max) {
    if (count >= 1 && count <= max) return {};
    return invalid_argument("{}={}, expected 1 to {}", field, count, max);
}

/// Ok when the cores of each package fall into this many equal parts.
Status check_parts(const NodeDescription& node, std::string_view field, std::uint32_t per_package) {
    if (per_package == 0 || cores_of_package(node) % per_package != 0) {
        const std::string kinds = node.efficiency_cores_per_package == 0
                                      ? ""
                                      : fmt::format(" + efficiency_cores_per_package={}",
                                                    node.efficiency_cores_per_package);
        return invalid_argument("{}={}, expected a divisor of cores_per_package={}{}", field,
                                per_package, node.cores_per_package, kinds);
    }
    const std::uint64_t parts = std::uint64_t{node.packages} * per_package;
    if (parts <= NodeDescription::parts_max) return {};
    return invalid_argument("{}={}: {} on {} packages, expected at most {}", field, per_package,
                            parts, node.packages, NodeDescription::parts_max);
}

Status check_hardware_counts(const NodeDescription& node) {
    constexpr std::uint32_t threads_max = NodeDescription::threads_max;
    TRESTLE_TRY_STATUS(check_count("packages", node.packages, NodeDescription::parts_max));
    TRESTLE_TRY_STATUS(check_count("cores_per_package", node.cores_per_package, threads_max));
    TRESTLE_TRY_STATUS(check_count("threads_per_core", node.threads_per_core, threads_max));
    const std::uint64_t threads =
        node.packages * (std::uint64_t{node.cores_per_package} * node.threads_per_core +
                         node.efficiency_cores_per_package);
    if (threads > threads_max) {
        const std::string kinds = node.efficiency_cores_per_package == 0
                                      ? ""
                                      : fmt::format(", efficiency_cores_per_package={}",
                                                    node.efficiency_cores_per_package);
        return invalid_argument(
            "packages={}, cores_per_package={}, threads_per_core={}{}: {} hardware threads, "
            "expected at most {}",
            node.packages, node.cores_per_package, node.threads_per_core, kinds, threads,
            threads_max);
    }
    TRESTLE_TRY_STATUS(check_parts(node, "domains_per_package", node.domains_per_package));
    if (node.l3_per_package != 0) {
        TRESTLE_TRY_STATUS(check_parts(node, "l3_per_package", node.l3_per_package));
    }
    if (node.system_memory > node.memory) {
        return invalid_argument("system_memory={}, expected at most memory={}", node.system_memory,
                                node.memory);
    }
    return {};
}

Status check_group(const NodeDescription& node, const NodeDescription::Devices& devices) {
    if (devices.name.empty()) return invalid_argument("name is empty, expected one such as gpu");
    TRESTLE_TRY_STATUS(check_count("count", devices.count, NodeDescription::parts_max));
    if (devices.linking != NodeDescription::Devices::Linking::none && devices.link_strength == 0) {
        return invalid_argument("link_strength=0, expected 1 or more");
    }
    if (devices.nearness == NodeDescription::Devices::Nearness::package &&
        devices.package >= node.packages) {
        return invalid_argument("package={}, expected a number below packages={}", devices.package,
                                node.packages);
    }
    if (devices.shares.is_zero()) return invalid_argument("shares=0, expected 1 or more");
    if (devices.slice_geometry.empty() || slicing_of(devices)) return {};
    std::string names;
    for (const SliceGeometry& geometry : slice_geometries()) {
        names += (names.empty() ? "" : ", ") + geometry.name;
    }
    return invalid_argument("slice_geometry={}, expected one of {}", devices.slice_geometry, names);
}

Status check_device_counts(const NodeDescription& node) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < node.devices.size(); ++i) {
        const std::string& name = node.devices[i].name;
        TRESTLE_TRY_STATUS(
            with_context(fmt::format("devices[{}]{}", i, name.empty() ? "" : " (" + name + ")"),
                         check_group(node, node.devices[i])));
        count += node.devices[i].count;
        if (count > NodeDescription::parts_max) {
            return invalid_argument("devices[{}] ({}): {} devices up to here, expected at most {}",
                                    i, name, count, NodeDescription::parts_max);
        }
    }
    return {};
}

HardwareTree make_hardware(const NodeDescription& node) {
    HardwareTree tree;
    const auto each = static_cast<std::uint32_t>(cores_of_package(node));
    const std::uint32_t cores = node.packages * each;
    const std::uint32_t fast = node.packages * node.cores_per_package;
    tree.cores.reserve(cores);
    for (std::uint32_t core = 0; core < cores; ++core) {
        const bool is_fast = core % each < node.cores_per_package;
        const std::uint32_t fast_before = core / each * node.cores_per_package + core % each;
        std::vector<OsIndex> threads{OsIndex(core)};
        for (std::uint32_t t = 1; is_fast && t < node.threads_per_core; ++t) {
            threads.emplace_back(cores + fast_before + (t - 1) * fast);
        }
        tree.cores.push_back({std::move(threads), is_fast && fast < cores ? 1U : 0U});
    }
    const auto add_groups = [&](HardwareLevel level, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            tree.groups.push_back({level, OsIndex(i), part_of_cores(node, i, count)});
        }
    };
    add_groups(HardwareLevel::package, node.packages);
    add_groups(HardwareLevel::l3, node.packages * node.l3_per_package);
    return tree;
}

/// `total` in equal parts; the first has the remainder.
std::vector<Bytes> equal_parts(Bytes total, std::uint32_t parts) {
    std::vector<Bytes> split(parts, div_floor(total, parts));
    split.front() += total - split.front() * parts;
    return split;
}

std::vector<MemoryDomain> make_memory(const NodeDescription& node) {
    std::vector<MemoryDomain> memory;
    const auto add = [&](MemoryDomain::Kind kind, Bytes capacity, CoreSet cores) {
        const OsIndex number(static_cast<std::uint32_t>(memory.size()));
        memory.push_back({number, kind, capacity, std::move(cores)});
    };
    const std::uint32_t domains = node.packages * node.domains_per_package;
    for (const Bytes part : equal_parts(node.memory, domains)) {
        const auto i = static_cast<std::uint32_t>(memory.size());
        add(MemoryDomain::Kind::dram, part, part_of_cores(node, i, domains));
    }
    // In equal parts too; the remainder goes to the first domains that hold it.
    const Bytes each = div_floor(node.system_memory, domains);
    Bytes rest = node.system_memory - each * domains;
    for (MemoryDomain& domain : memory) {
        const Bytes more = std::min(rest, domain.capacity - each);
        domain.reserved = each + more;
        rest -= more;
    }
    const auto add_memory_only = [&](MemoryDomain::Kind kind, Bytes total) {
        if (total.is_zero()) return;
        for (const Bytes part : equal_parts(total, node.packages)) add(kind, part, {});
    };
    add_memory_only(MemoryDomain::Kind::high_bandwidth, node.high_bandwidth);
    add_memory_only(MemoryDomain::Kind::persistent, node.persistent);
    return memory;
}

Device make_device(const NodeDescription::Devices& devices) {
    Device device;
    device.name = devices.name;
    device.type = devices.type;
    device.vendor = devices.vendor;
    device.model = devices.model;
    device.memory = devices.memory;
    device.compute_capability = devices.compute_capability;
    device.mig_profile = devices.mig_profile;
    device.neuron_cores = devices.neuron_cores;
    device.attributes = devices.attributes;
    device.switches = devices.switches;
    device.shares = devices.shares;
    device.share_kind = devices.share_kind;
    device.slicing = slicing_of(devices);
    device.is_consumed = devices.is_consumed;
    device.is_explicit = devices.is_explicit;
    device.health = devices.health;
    device.is_drained = devices.is_drained;
    return device;
}

void add_devices(const NodeDescription& node, const NodeDescription::Devices& devices,
                 NodeShape& shape) {
    const auto first = static_cast<std::uint32_t>(shape.devices.size());
    std::uint32_t index = 0;
    for (const Device& device : shape.devices) index += device.name == devices.name ? 1u : 0u;
    Device device = make_device(devices);
    for (std::uint32_t i = 0; i < devices.count; ++i) {
        device.index = index + i;
        device.cores = cores_near(node, devices, i);
        shape.devices.push_back(device);
        shape.devices.back().reserved_cores =
            cores_to_reserve(shape, first + i, devices.reserved_cores);
        for (std::uint32_t j = i + 1; j < devices.count; ++j) {
            if (!are_linked(devices, i, j)) continue;
            shape.links.push_back(
                {DeviceId(first + i), DeviceId(first + j), devices.link_strength});
        }
    }
}

StatusOr<NodeShape> make_shape(const NodeDescription& node) {
    TRESTLE_TRY_STATUS(check_hardware_counts(node));
    TRESTLE_TRY_STATUS(check_device_counts(node));
    NodeShape shape;
    shape.architecture = node.architecture;
    shape.hardware = make_hardware(node);
    shape.system_cores = node.system_cores;
    shape.memory = make_memory(node);
    for (const NodeDescription::Devices& devices : node.devices) add_devices(node, devices, shape);
    shape.disk = node.disk;
    TRESTLE_TRY_STATUS(check(shape));
    return shape;
}

}  // namespace

}  // namespace detail

StatusOr<Node> make_node(const NodeDescription& description) {
    auto shape = detail::make_shape(description);
    if (!shape.ok()) {
        const std::string& name = description.name;
        return with_context(name.empty() ? "node" : "node " + name, shape.status());
    }
    return Node{description.name,   *std::move(shape), description.features,
                description.weight, description.state, description.health};
}

StatusOr<std::vector<Node>> make_nodes(const NodeDescription& description, std::uint32_t count) {
    constexpr std::uint32_t count_max = 1u << 20;
    if (count > count_max) {
        return invalid_argument("{} nodes {}, expected at most {}", count, description.name,
                                count_max);
    }
    TRESTLE_TRY(const Node node, make_node(description));
    std::vector<Node> nodes(count, node);
    for (std::uint32_t i = 0; i < count; ++i) nodes[i].name += std::to_string(i);
    return nodes;
}

}  // namespace trestle
