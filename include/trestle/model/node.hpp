// SPDX-License-Identifier: Apache-2.0
#pragma once

// A node: an immutable shape that thousands of nodes share, and what is particular to one of them.
//
// Layer: model. Main types: NodeShape, Node. check(shape) says whether a description is consistent;
// all other code (allocator, planner) relies on that.
// Pitfall: a node has no record of its use; that is NodeLedger in alloc.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/shared.hpp"
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
    /// Packages of the node, at least 1.
    [[nodiscard]] std::uint32_t socket_count() const;

    [[nodiscard]] Bytes total_memory() const;
    /// Cores that are given to work: all but the system's.
    [[nodiscard]] CoreSet allocatable_cores() const { return hardware.all_cores() - system_cores; }
    /// What is given of the domains that requests for memory are met from: see is_ordinary.
    [[nodiscard]] Bytes ordinary_memory() const;
    /// Hardware threads, what Slurm and dstack call CPUs.
    [[nodiscard]] Count cpu_count() const;
    /// The device called `name` with this index within the name, or nothing.
    [[nodiscard]] std::optional<DeviceId> find_device(std::string_view name,
                                                      std::uint32_t index) const;
    /// How far `to` is from `from` as the firmware tells (10 is local); 10 or 20 when unknown.
    [[nodiscard]] std::uint32_t distance(DomainId from, DomainId to) const;

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

/// Ok when the description is consistent. Every core has threads of its own, every set of cores
/// exists, device indexes are unique within a name, links are ordered and in range. Numbers are
/// below 2^20, all memory together and all shares together below 2^63.
/// Errors: InvalidArgument that names the first breach. Complexity: linear in the description.
[[nodiscard]] Status check(const NodeShape& shape);

}  // namespace trestle
