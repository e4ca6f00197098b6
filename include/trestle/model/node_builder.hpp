// SPDX-License-Identifier: Apache-2.0
#pragma once

// make_node: a node from a short description.
//
// Layer: model. Main types: NodeDescription, NodeDescription::Devices. Main functions: make_node,
// make_nodes. A description has one number for everything that repeats in a regular machine:
//     const StatusOr<Node> node = make_node({.name = "n0",
//                                            .packages = 2,
//                                            .cores_per_package = 16,
//                                            .threads_per_core = 2,
//                                            .memory = 512_GiB,
//                                            .devices = {{.name = "gpu", .count = 8}}}).
// What differs from device to device (UUID, device files) is set on a copy of the shape afterwards.
// Pitfall: hardware threads are numbered as Linux does on x86: first one thread of each core, then
// the second ones. Core 0 of 8 cores has the threads 0 and 8.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// A node whose packages are alike.
struct NodeDescription {
    /// Equal devices of a node. Their indexes continue those of earlier devices of the same name.
    struct Devices {
        /// Which packages the devices of a description are near. On a node with one package every
        /// device is near all cores.
        enum class Nearness {
            spread,    ///< device i of n is near package i * packages / n
            anywhere,  ///< near all cores
            package,   ///< all near one package
        };

        /// Which devices of a description are linked to each other.
        enum class Linking {
            none,
            all,    ///< each with each
            pairs,  ///< 0-1, 2-3, ...
        };

        std::string name = {};  ///< the GRES name: `gpu`, `nic`
        std::string type = {};  ///< the GRES type: `a100`; empty when untyped
        std::uint32_t count = 1;
        Bytes memory = {};  ///< of each
        Linking linking = Linking::none;
        std::uint32_t link_strength = 1;  ///< of each link
        Nearness nearness = Nearness::spread;
        std::uint32_t package = 0;  ///< for Nearness::package
        std::vector<std::uint32_t> switches =
            {};  ///< PCI switches above all of them, outermost first
        /// Cores of each that only its users get: the lowest near ones that no earlier device
        /// reserves.
        std::uint32_t reserved_cores = 0;
        Count shares{1};  ///< of each
        ShareKind share_kind = ShareKind::part;
        std::string slice_geometry = {};  ///< a name of slice_geometries(); empty: not sliceable
        std::string vendor = {};          ///< lower case: `nvidia`, `amd`
        std::string model = {};           ///< as the vendor writes it
        std::optional<Version> compute_capability = {};
        std::string mig_profile = {};                    ///< as Device::mig_profile
        std::optional<std::uint32_t> neuron_cores = {};  ///< of each, as Device::neuron_cores
        std::vector<Device::Attribute> attributes = {};
        bool is_consumed = true;   ///< as Device::is_consumed
        bool is_explicit = false;  ///< as Device::is_explicit
        Health health = Health::healthy;
        bool is_drained = false;

        static constexpr auto fields(auto list) {
            return list(
                field("name", &Devices::name), field("type", &Devices::type),
                field("count", &Devices::count), field("memory", &Devices::memory),
                field("linking", &Devices::linking),
                field("link_strength", &Devices::link_strength),
                field("nearness", &Devices::nearness), field("package", &Devices::package),
                field("switches", &Devices::switches),
                field("reserved_cores", &Devices::reserved_cores),
                field("shares", &Devices::shares), field("share_kind", &Devices::share_kind),
                field("slice_geometry", &Devices::slice_geometry),
                field("vendor", &Devices::vendor), field("model", &Devices::model),
                field("compute_capability", &Devices::compute_capability),
                field("mig_profile", &Devices::mig_profile),
                field("neuron_cores", &Devices::neuron_cores),
                field("attributes", &Devices::attributes),
                field("is_consumed", &Devices::is_consumed),
                field("is_explicit", &Devices::is_explicit), field("health", &Devices::health),
                field("is_drained", &Devices::is_drained));
        }
        friend bool operator==(const Devices&, const Devices&) = default;
    };

    std::string name = {};
    std::uint32_t packages = 1;
    std::uint32_t cores_per_package = 1;
    std::uint32_t threads_per_core = 1;
    /// Further cores of each package, behind the others, of one thread each. The others are then
    /// its performance cores (Core::kind 1).
    std::uint32_t efficiency_cores_per_package = 0;
    Bytes memory = {};  ///< of the node, in equal parts by domain; the first has the remainder
    std::uint32_t domains_per_package = 1;  ///< NUMA domains with cores, of equally many each
    std::uint32_t l3_per_package = 0;       ///< L3 caches, of equally many cores each; 0: none
    CoreSet system_cores = {};              ///< kept for the system
    Bytes system_memory = {};               ///< part of `memory`, kept for the system
    Bytes high_bandwidth = {};  ///< of the node, as one memory-only domain per package; 0: none
    Bytes persistent = {};      ///< as high_bandwidth
    Bytes disk = {};
    std::vector<Devices> devices = {};
    Architecture architecture = Architecture::x86;
    std::vector<std::string> features = {};
    std::uint32_t weight = 1;
    NodeState state = NodeState::up;
    Health health = Health::healthy;

    /// The most hardware threads of a node.
    static constexpr std::uint32_t threads_max = 65'536;
    /// The most packages, NUMA domains with cores, L3 caches, and devices of a node, each.
    static constexpr std::uint32_t parts_max = 1'024;

    static constexpr auto fields(auto list) {
        return list(
            field("name", &NodeDescription::name), field("packages", &NodeDescription::packages),
            field("cores_per_package", &NodeDescription::cores_per_package),
            field("threads_per_core", &NodeDescription::threads_per_core),
            field("efficiency_cores_per_package", &NodeDescription::efficiency_cores_per_package),
            field("memory", &NodeDescription::memory),
            field("domains_per_package", &NodeDescription::domains_per_package),
            field("l3_per_package", &NodeDescription::l3_per_package),
            field("system_cores", &NodeDescription::system_cores),
            field("system_memory", &NodeDescription::system_memory),
            field("high_bandwidth", &NodeDescription::high_bandwidth),
            field("persistent", &NodeDescription::persistent),
            field("disk", &NodeDescription::disk), field("devices", &NodeDescription::devices),
            field("architecture", &NodeDescription::architecture),
            field("features", &NodeDescription::features),
            field("weight", &NodeDescription::weight), field("state", &NodeDescription::state),
            field("health", &NodeDescription::health));
    }
    friend bool operator==(const NodeDescription&, const NodeDescription&) = default;
};

constexpr auto enum_names(NodeDescription::Devices::Nearness) {
    using enum NodeDescription::Devices::Nearness;
    return std::array{named(spread, "spread"), named(anywhere, "anywhere"),
                      named(package, "package")};
}

constexpr auto enum_names(NodeDescription::Devices::Linking) {
    using enum NodeDescription::Devices::Linking;
    return std::array{named(none, "none"), named(all, "all"), named(pairs, "pairs")};
}

/// The node of a description. Its shape satisfies check().
/// Errors: InvalidArgument that names the node, the field, its value and what was expected. Causes
/// are a count that is 0 or above threads_max or parts_max, parts that do not divide the cores of a
/// package. Also a core or package that does not exist, an unknown slice geometry, more than 2^63
/// bytes or shares.
/// Complexity: linear in cores, quadratic in devices.
[[nodiscard]] StatusOr<Node> make_node(const NodeDescription& description);

/// `count` nodes that share one shape. Each name is the description's followed by a number from 0.
/// Errors: as make_node; InvalidArgument for a count above 2^20.
[[nodiscard]] StatusOr<std::vector<Node>> make_nodes(const NodeDescription& description,
                                                     std::uint32_t count);

}  // namespace trestle
