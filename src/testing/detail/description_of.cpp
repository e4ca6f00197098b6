// SPDX-License-Identifier: Apache-2.0
#include "description_of.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "../../model/node_parts.hpp"
#include "testing/detail/split.hpp"
#include "trestle/model/slice_geometry.hpp"

namespace trestle {

namespace testing {

namespace detail {

namespace {

using trestle::detail::are_linked;
using trestle::detail::cores_near;
using trestle::detail::cores_to_reserve;
using trestle::detail::slicing_of;

bool is_alike(const Device& a, const Device& b) {
    const auto key = [](const Device& device) {
        return std::tie(device.name, device.type, device.memory, device.shares, device.switches,
                        device.slicing, device.health, device.is_drained);
    };
    return key(a) == key(b);
}

/// The strength of each link of a shape.
class LinkTable {
  public:
    explicit LinkTable(const NodeShape& shape)
        : size_(shape.devices.size()), strength_(size_ * size_) {
        for (const DeviceLink& link : shape.links) {
            const std::size_t a = link.a.value();
            const std::size_t b = link.b.value();
            if (a < size_ && b < size_) strength_[a * size_ + b] = link.strength;
        }
    }
    /// Between devices a < b; nullopt if they are not linked.
    [[nodiscard]] std::optional<std::uint32_t> between(std::size_t a, std::size_t b) const {
        return strength_[a * size_ + b];
    }

  private:
    std::size_t size_;
    std::vector<std::optional<std::uint32_t>> strength_;
};

/// Sets the linking of the devices from `first` on. False if a later device is linked to them.
bool describe_links(const NodeShape& shape, const LinkTable& links, std::size_t first,
                    NodeDescription::Devices& group) {
    const std::size_t last = first + group.count;
    const auto strength = group.count > 1 ? links.between(first, first + 1) : std::nullopt;
    group.link_strength = strength.value_or(1);
    if (strength) {
        const bool is_all = group.count == 2 || links.between(first, first + 2).has_value();
        group.linking = is_all ? NodeDescription::Devices::Linking::all
                               : NodeDescription::Devices::Linking::pairs;
    }
    for (std::size_t a = first; a < last; ++a) {
        for (std::size_t b = a + 1; b < shape.devices.size(); ++b) {
            const bool is_wanted =
                b < last && are_linked(group, static_cast<std::uint32_t>(a - first),
                                       static_cast<std::uint32_t>(b - first));
            const auto found = links.between(a, b);
            if (found != (is_wanted ? std::optional(group.link_strength) : std::nullopt))
                return false;
        }
    }
    return true;
}

bool describe_nearness(const NodeShape& shape, const NodeDescription& node, std::size_t first,
                       NodeDescription::Devices& group) {
    const auto fits = [&] {
        for (std::uint32_t i = 0; i < group.count; ++i) {
            if (shape.devices[first + i].cores != cores_near(node, group, i)) return false;
        }
        return true;
    };
    for (const NodeDescription::Devices::Nearness nearness :
         {NodeDescription::Devices::Nearness::spread, NodeDescription::Devices::Nearness::anywhere,
          NodeDescription::Devices::Nearness::package}) {
        group.nearness = nearness;
        const auto core = shape.devices[first].cores.first();
        group.package = nearness == NodeDescription::Devices::Nearness::package && core
                            ? core->value() / static_cast<std::uint32_t>(
                                                  trestle::detail::cores_of_package(node))
                            : 0;
        if (group.package < node.packages && fits()) return true;
    }
    return false;
}

bool describe_reserved(const NodeShape& shape, std::size_t first, NodeDescription::Devices& group) {
    std::uint32_t most = 0;  // the last of them may find fewer cores left
    for (std::size_t i = first; i < first + group.count; ++i) {
        most = std::max(most, shape.devices[i].reserved_cores.count());
    }
    group.reserved_cores = most;
    for (std::size_t i = first; i < first + group.count; ++i) {
        if (shape.devices[i].reserved_cores != cores_to_reserve(shape, i, most)) return false;
    }
    return true;
}

std::optional<std::vector<NodeDescription::Devices>> describe_devices(const NodeShape& shape,
                                                                      const NodeDescription& node) {
    const auto& devices = shape.devices;
    if (devices.size() > NodeDescription::parts_max) return std::nullopt;
    const LinkTable links(shape);
    const auto longest = [&](std::size_t first) {
        std::size_t last = first + 1;
        while (last < devices.size() && is_alike(devices[first], devices[last])) ++last;
        return last;
    };
    const auto describe = [&](std::size_t first,
                              std::size_t last) -> std::optional<NodeDescription::Devices> {
        const Device& device = devices[first];
        NodeDescription::Devices group;
        group.name = device.name;
        group.type = device.type;
        group.memory = device.memory;
        group.shares = device.shares;
        group.switches = device.switches;
        if (device.slicing) {
            group.slice_geometry = device.slicing->geometry.name;
            const bool is_known = find_slice_geometry(group.slice_geometry) != nullptr;
            if (!is_known || slicing_of(group) != device.slicing) return std::nullopt;
        }
        group.health = device.health;
        group.is_drained = device.is_drained;
        group.count = static_cast<std::uint32_t>(last - first);
        if (!describe_nearness(shape, node, first, group)) return std::nullopt;
        if (!describe_links(shape, links, first, group)) return std::nullopt;
        if (!describe_reserved(shape, first, group)) return std::nullopt;
        return group;
    };
    const auto pieces = split(devices.size(), longest, describe);
    if (!pieces) return std::nullopt;
    std::vector<NodeDescription::Devices> groups;
    for (const auto& piece : *pieces) groups.push_back(piece.description);
    return groups;
}

Bytes memory_of_kind(const NodeShape& shape, MemoryDomain::Kind kind) {
    Bytes sum;
    for (const MemoryDomain& domain : shape.memory) {
        if (domain.kind == kind) sum += domain.capacity;
    }
    return sum;
}

}  // namespace

std::optional<NodeDescription> description_of(const Node& node) {
    const NodeShape& shape = *node.shape;
    if (!check(shape).ok() || shape.hardware.cores.empty()) return std::nullopt;
    const auto groups = [&](HardwareLevel level) {
        return static_cast<std::uint32_t>(
            std::count_if(shape.hardware.groups.begin(), shape.hardware.groups.end(),
                          [&](const CoreGroup& group) { return group.level == level; }));
    };
    const auto domains = static_cast<std::uint32_t>(
        std::count_if(shape.memory.begin(), shape.memory.end(),
                      [](const MemoryDomain& d) { return d.kind == MemoryDomain::Kind::dram; }));
    NodeDescription description;
    description.packages = groups(HardwareLevel::package);
    if (description.packages == 0) return std::nullopt;
    description.cores_per_package = shape.hardware.core_count() / description.packages;
    if (description.cores_per_package == 0) return std::nullopt;
    const CoreSet slow = shape.hardware.cores_of_kind(Core::Kind::efficiency);
    description.efficiency_cores_per_package = slow.count() / description.packages;
    description.cores_per_package -= description.efficiency_cores_per_package;
    if (description.cores_per_package == 0) return std::nullopt;
    description.threads_per_core =
        static_cast<std::uint32_t>(shape.hardware.cores[0].threads.size());
    description.domains_per_package = domains / description.packages;
    description.l3_per_package = groups(HardwareLevel::l3) / description.packages;
    description.system_cores = shape.system_cores;
    description.memory = memory_of_kind(shape, MemoryDomain::Kind::dram);
    description.high_bandwidth = memory_of_kind(shape, MemoryDomain::Kind::high_bandwidth);
    description.persistent = memory_of_kind(shape, MemoryDomain::Kind::persistent);
    description.disk = shape.disk;
    description.architecture = shape.architecture;
    auto devices = describe_devices(shape, description);
    if (!devices) return std::nullopt;
    description.devices = *std::move(devices);
    description.name = node.name;
    description.features = node.features;
    description.weight = node.weight;
    description.state = node.state;
    description.health = node.health;
    const auto again = make_node(description);
    if (!again.ok() || *again != node) return std::nullopt;
    return description;
}

}  // namespace detail

}  // namespace testing

}  // namespace trestle
