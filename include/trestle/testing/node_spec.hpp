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

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"

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
[[nodiscard]] CoreSet part_of_cores(const NodeSpec& spec, std::uint32_t i, std::uint32_t parts);

/// Near to the only socket is near to all alike.
[[nodiscard]] CoreSet cores_near(const NodeSpec& spec, const DeviceSpec& devices, std::uint32_t i);

[[nodiscard]] inline bool are_linked(const DeviceSpec& devices, std::uint32_t i, std::uint32_t j) {
    return devices.linking == Linking::all || (devices.linking == Linking::pairs && i / 2 == j / 2);
}

[[nodiscard]] HardwareTree hardware_of(const NodeSpec& spec);

[[nodiscard]] std::vector<MemoryDomain> memory_of(const NodeSpec& spec);

/// The `count` lowest cores near device `i` that no device before it reserves; all that are left
/// when these are fewer.
[[nodiscard]] CoreSet reserve(const NodeShape& shape, std::size_t i, std::uint32_t count);

/// How these devices may be cut. Requires: the geometry is known.
[[nodiscard]] std::optional<Slicing> slicing_of(const DeviceSpec& devices);

void add_devices(NodeShape& shape, const NodeSpec& spec, const DeviceSpec& devices);

}  // namespace detail

/// The node that a spec describes. Requires: counts are 1 or more, numa and l3 divide cores, and
/// slice geometries are known.
[[nodiscard]] Node to_node(const NodeSpec& spec);

}  // namespace trestle::testing
