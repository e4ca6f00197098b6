// SPDX-License-Identifier: Apache-2.0
#pragma once

// A node: an immutable shape that thousands share, and what is particular to the one.
//
// Layer: model. Main types: NodeShape, Node. check(shape) says whether a description is consistent;
// everything behind it (allocator, planner) may rely on that.
// A reader would get wrong: a node knows nothing of its use; that is NodeUsage in alloc.

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/hardware.hpp"

namespace trestle {

/// The processor family of a node.
enum class Architecture { x86, arm, power, riscv };

constexpr auto enum_names(Architecture) {
    using enum Architecture;
    return std::array{named(x86, "x86"), named(arm, "arm"), named(power, "power"),
                      named(riscv, "riscv")};
}

/// Everything about a machine that does not change while it runs.
struct NodeShape {
    Architecture architecture = Architecture::x86;
    HardwareTree hardware;
    CoreSet system_cores;                  ///< kept for the system (core specialisation)
    std::vector<MemoryDomain> memory;      ///< by DomainId
    std::vector<std::uint32_t> distances;  ///< row by row between domains; empty when unknown
    std::vector<Device> devices;           ///< by DeviceId
    std::vector<DeviceLink> links;         ///< a < b, sorted, each pair at most once
    Bytes disk;

    [[nodiscard]] Bytes total_memory() const {
        return std::accumulate(memory.begin(), memory.end(), Bytes(),
                               [](Bytes sum, const MemoryDomain& d) { return sum + d.capacity; });
    }
    /// Cores that are given to work: all but the system's.
    [[nodiscard]] CoreSet allocatable_cores() const { return hardware.all_cores() - system_cores; }
    /// What is given of the domains that requests for memory are met from: see is_ordinary.
    [[nodiscard]] Bytes ordinary_memory() const {
        return std::accumulate(memory.begin(), memory.end(), Bytes(),
                               [](Bytes sum, const MemoryDomain& d) {
                                   return is_ordinary(d) ? sum + allocatable(d) : sum;
                               });
    }
    /// Hardware threads, what Slurm and dstack call CPUs.
    [[nodiscard]] Count cpu_count() const {
        std::int64_t threads = 0;
        for (const Core& core : hardware.cores) {
            threads += static_cast<std::int64_t>(core.threads.size());
        }
        return Count(threads);
    }
    /// The device called `name` with this index within the name, or nothing.
    [[nodiscard]] std::optional<DeviceId> find_device(std::string_view name,
                                                      std::uint32_t index) const {
        for (std::uint32_t i = 0; i < devices.size(); ++i) {
            if (devices[i].name == name && devices[i].index == index) return DeviceId(i);
        }
        return std::nullopt;
    }
    /// How far `to` is from `from` as the firmware tells (10 is local); 10 or 20 when unknown.
    [[nodiscard]] std::uint32_t distance(DomainId from, DomainId to) const {
        if (distances.empty()) return from == to ? 10 : 20;
        return distances[from.value() * memory.size() + to.value()];
    }

    static constexpr auto fields(auto list) {
        return list(field("architecture", &NodeShape::architecture),
                    field("hardware", &NodeShape::hardware),
                    field("system_cores", &NodeShape::system_cores),
                    field("memory", &NodeShape::memory), field("distances", &NodeShape::distances),
                    field("devices", &NodeShape::devices), field("links", &NodeShape::links),
                    field("disk", &NodeShape::disk));
    }
    friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

/// Whether a node takes work. removed: it is no longer there, and what is left is its number.
enum class NodeState { up, drained, down, removed };

constexpr auto enum_names(NodeState) {
    using enum NodeState;
    return std::array{named(up, "up"), named(drained, "drained"), named(down, "down"),
                      named(removed, "removed")};
}

/// A machine: a shared shape and what is particular to the one.
struct Node {
    std::string name;
    Shared<NodeShape> shape;
    std::vector<std::string> features;
    std::uint32_t weight = 1;  ///< Slurm's Weight, carried: no policy here looks at it yet
    NodeState state = NodeState::up;
    Health health = Health::healthy;

    static constexpr auto fields(auto list) {
        return list(field("name", &Node::name), field("shape", &Node::shape),
                    field("features", &Node::features), field("weight", &Node::weight),
                    field("state", &Node::state), field("health", &Node::health));
    }
    friend bool operator==(const Node&, const Node&) = default;
};

/// True when new work may go to the node.
[[nodiscard]] inline bool is_usable(const Node& node) {
    return node.state == NodeState::up && node.health != Health::failure;
}

namespace detail {

/// Numbers that become members of a SmallSet are below this.
inline constexpr std::uint32_t number_limit = PuSet::index_limit;

[[nodiscard]] inline Status check_amounts(const NodeShape& shape) {
    if (shape.hardware.cores.size() > number_limit || shape.devices.size() > number_limit ||
        shape.memory.size() > number_limit) {
        return invalid_argument("the node has more than {} cores, devices or memory domains",
                                number_limit);
    }
    std::optional<Bytes> sum = Bytes();
    for (const MemoryDomain& domain : shape.memory) {
        if (sum) sum = checked_add(*sum, domain.capacity);
        if (domain.os_index.value() >= number_limit) {
            return invalid_argument("memory domain {}: expected a number below {}",
                                    domain.os_index.value(), number_limit);
        }
    }
    if (!sum) return invalid_argument("memory: the domains hold more than 2^63 bytes");
    for (const Device& device : shape.devices) {
        if (sum) sum = checked_add(*sum, device.memory);
    }
    if (!sum) return invalid_argument("devices: with the node's they hold more than 2^63 bytes");
    std::optional<Count> shares = Count();
    for (const Device& device : shape.devices) {
        if (shares) shares = checked_add(*shares, device.shares);
    }
    if (!shares) return invalid_argument("devices: they have more than 2^63 shares");
    return {};
}

[[nodiscard]] inline Status check_devices(const NodeShape& shape) {
    for (std::size_t i = 0; i < shape.devices.size(); ++i) {
        const Device& device = shape.devices[i];
        if (device.name.empty()) return invalid_argument("device {}: it has no name", i);
        const auto last = device.cores.last();
        if (last && last->value() >= shape.hardware.core_count()) {
            return invalid_argument("device {} ({}): core {} does not exist, the node has {} cores",
                                    i, device.name, last->value(), shape.hardware.core_count());
        }
        if (device.index >= number_limit) {
            return invalid_argument("device {} ({}): index {}, expected below {}", i, device.name,
                                    device.index, number_limit);
        }
        if (!shape.hardware.all_cores().contains_all(device.reserved_cores)) {
            return invalid_argument("device {} ({}): reserved core {} does not exist", i,
                                    device.name, device.reserved_cores.last()->value());
        }
        if (device.slicing) {
            TRESTLE_TRY_STATUS(check(*device.slicing));
            if (!device.is_consumed) {
                return invalid_argument("device {} ({}): it is cut into slices and not consumed", i,
                                        device.name);
            }
        }
        if (device.shares.is_zero()) {
            return invalid_argument("device {} ({}): shares=0, expected 1 or more", i, device.name);
        }
        if (shape.find_device(device.name, device.index)->value() != i) {
            return invalid_argument("device {}: {} index {} exists twice", i, device.name,
                                    device.index);
        }
    }
    for (const DeviceLink& link : shape.links) {
        if (!(link.a < link.b) || link.b.value() >= shape.devices.size()) {
            return invalid_argument("link {}-{}: expected two devices below {}, lower one first",
                                    link.a.value(), link.b.value(), shape.devices.size());
        }
    }
    return {};
}

[[nodiscard]] inline Status check_hardware(const NodeShape& shape) {
    PuSet seen;
    for (std::size_t i = 0; i < shape.hardware.cores.size(); ++i) {
        const Core& core = shape.hardware.cores[i];
        if (core.threads.empty()) return invalid_argument("core {}: it has no hardware thread", i);
        for (const OsIndex thread : core.threads) {
            if (thread.value() >= number_limit) {
                return invalid_argument("core {}: hardware thread {}, expected below {}", i,
                                        thread.value(), number_limit);
            }
            if (seen.contains(thread)) {
                return invalid_argument("core {}: hardware thread {} belongs to two cores", i,
                                        thread.value());
            }
            seen.insert(thread);
        }
    }
    const CoreSet all = shape.hardware.all_cores();
    if (!all.contains_all(shape.system_cores)) {
        return invalid_argument("system_cores: core {} does not exist",
                                shape.system_cores.last()->value());
    }
    for (const CoreGroup& group : shape.hardware.groups) {
        if (!all.contains_all(group.cores)) {
            return invalid_argument("{} {}: core {} does not exist", to_text(group.level),
                                    group.os_index.value(), group.cores.last()->value());
        }
    }
    for (const MemoryDomain& domain : shape.memory) {
        if (!all.contains_all(domain.cores)) {
            return invalid_argument("memory domain {}: core {} does not exist",
                                    domain.os_index.value(), domain.cores.last()->value());
        }
        if (domain.capacity < domain.reserved) {
            return invalid_argument("memory domain {}: {} bytes reserved of {}",
                                    domain.os_index.value(), domain.reserved.value(),
                                    domain.capacity.value());
        }
    }
    if (!shape.distances.empty() &&
        shape.distances.size() != shape.memory.size() * shape.memory.size()) {
        return invalid_argument("distances: {} values, expected {} for {} memory domains",
                                shape.distances.size(), shape.memory.size() * shape.memory.size(),
                                shape.memory.size());
    }
    return {};
}

}  // namespace detail

/// Ok when the description is consistent: every core has threads of its own, every set of cores
/// exists, device indexes are unique within a name, links are ordered and in range, numbers are
/// below 2^20, all memory together and all shares together below 2^63.
/// Errors: InvalidArgument that names the first breach. Complexity: linear in the description.
[[nodiscard]] inline Status check(const NodeShape& shape) {
    TRESTLE_TRY_STATUS(detail::check_amounts(shape));
    TRESTLE_TRY_STATUS(detail::check_hardware(shape));
    TRESTLE_TRY_STATUS(detail::check_devices(shape));
    const auto out_of_order = std::adjacent_find(
        shape.links.begin(), shape.links.end(), [](const DeviceLink& x, const DeviceLink& y) {
            return std::pair(x.a, x.b) >= std::pair(y.a, y.b);
        });
    if (out_of_order != shape.links.end()) {
        return invalid_argument("links: expected them sorted and each pair once");
    }
    return {};
}

}  // namespace trestle
