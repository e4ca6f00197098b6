// SPDX-License-Identifier: Apache-2.0
#pragma once

// A device of a node: GPU, NIC, FPGA, or anything else that is counted and handed out.
//
// Layer: model. Main types: Device, Device::File, DeviceLink, Health. A device says what it is,
// where it lies, how it may be shared, and which files give access to it.
// Pitfall: `index` counts within the name (`gpu` 0..3, Slurm's IDX), a DeviceId counts all devices
// of the node.

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/slices.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// How well a node or device is.
enum class Health { healthy, warning, failure, unknown };

constexpr auto enum_names(Health) {
    using enum Health;
    return std::array{named(healthy, "healthy"), named(warning, "warning"),
                      named(failure, "failure"), named(unknown, "unknown")};
}

/// Two numbers that order as a version does: 8.0 < 8.6 < 8.10 < 9.0. CUDA's compute capability.
struct Version {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;

    static constexpr auto fields(auto list) {
        return list(field("major", &Version::major), field("minor", &Version::minor));
    }
    friend constexpr bool operator==(const Version&, const Version&) = default;
    friend constexpr auto operator<=>(const Version&, const Version&) = default;
};

/// What one share of a device is.
enum class ShareKind {
    part,   ///< a plain part, such as a thousandth
    shard,  ///< a shard of a GPU (Slurm's gres/shard)
    mps,    ///< a share of a GPU under CUDA's Multi-Process Service (Slurm's gres/mps)
    unit,   ///< one thing of the device's name: the device stands for that many of them
};

constexpr auto enum_names(ShareKind) {
    using enum ShareKind;
    return std::array{named(part, "part"), named(shard, "shard"), named(mps, "mps"),
                      named(unit, "unit")};
}

/// A device of a node: what it is, where it lies, how it is shared, its files.
struct Device {
    /// A device node below /dev. Several files may belong to one device.
    struct File {
        /// Character or block device.
        enum class Kind { character, block };

        std::string path;
        Kind kind = Kind::character;
        std::optional<std::uint32_t> major;  ///< absent until the file has been looked at
        std::optional<std::uint32_t> minor;

        static constexpr auto fields(auto list) {
            return list(field("path", &File::path), field("kind", &File::kind),
                        field("major", &File::major), field("minor", &File::minor));
        }
        friend bool operator==(const File&, const File&) = default;
    };

    /// Something named that a request may test, such as `driver_version = 550.54`, or ask devices
    /// to have in common (Request::CommonAttribute). What else the library acts on is a field of
    /// Device.
    struct Attribute {
        std::string name;
        std::string value;

        static constexpr auto fields(auto list) {
            return list(field("name", &Attribute::name), field("value", &Attribute::value));
        }
        friend bool operator==(const Attribute&, const Attribute&) = default;
    };

    std::string name;         ///< the GRES name: `gpu`, `nic`
    std::string type;         ///< the GRES type: `a100`; empty when untyped
    std::uint32_t index = 0;  ///< position among the node's devices of this name
    std::string vendor;       ///< lower case: `nvidia`, `amd`
    std::string model;        ///< as the vendor writes it
    std::string uuid;
    Bytes memory;
    std::optional<Version> compute_capability;
    std::string pci_bus_id;   ///< `0000:34:00.0`; empty: not on a PCI bus, or unknown
    std::string mig_profile;  ///< `3g.40gb` of an existing MIG instance; empty: it is none
    /// The NeuronCores inside, which AWS's runtime numbers instead of devices. Absent: unknown.
    std::optional<std::uint32_t> neuron_cores;
    std::vector<Attribute> attributes;  ///< the caller's own, and what discovery finds beside
    std::vector<File> files;
    CoreSet cores;  ///< the cores near it; empty: near to all alike
    /// Cores reserved for owners of this device or of a part of it (RestrictedCoresPerGPU).
    CoreSet reserved_cores;
    /// The PCI switches above it, outermost first, by numbers of the node's own.
    std::vector<std::uint32_t> switches;
    /// How many shares it can be cut into (shards, thousandths). 1: it is given whole only.
    Count shares{1};
    ShareKind share_kind = ShareKind::part;
    std::optional<Slicing> slicing;  ///< absent: it cannot be cut into instances
    /// False: it must be there and is given to any number of owners (Slurm's no_consume).
    bool is_consumed = true;
    /// True: a job on a whole node has it only if it requests it (Slurm's Flags=explicit).
    bool is_explicit = false;
    Health health = Health::healthy;
    bool is_drained = false;  ///< takes no new work

    static constexpr auto fields(auto list) {
        return list(
            field("name", &Device::name), field("type", &Device::type),
            field("index", &Device::index), field("vendor", &Device::vendor),
            field("model", &Device::model), field("uuid", &Device::uuid),
            field("memory", &Device::memory),
            field("compute_capability", &Device::compute_capability),
            field("pci_bus_id", &Device::pci_bus_id), field("mig_profile", &Device::mig_profile),
            field("neuron_cores", &Device::neuron_cores), field("attributes", &Device::attributes),
            field("files", &Device::files), field("cores", &Device::cores),
            field("reserved_cores", &Device::reserved_cores), field("switches", &Device::switches),
            field("shares", &Device::shares), field("share_kind", &Device::share_kind),
            field("slicing", &Device::slicing), field("is_consumed", &Device::is_consumed),
            field("is_explicit", &Device::is_explicit), field("health", &Device::health),
            field("is_drained", &Device::is_drained));
    }
    friend bool operator==(const Device&, const Device&) = default;
};

constexpr auto enum_names(Device::File::Kind) {
    return std::array{named(Device::File::Kind::character, "character"),
                      named(Device::File::Kind::block, "block")};
}

/// How strongly two devices of a node are connected; more is better (NVLink count, bandwidth).
struct DeviceLink {
    DeviceId a;
    DeviceId b;
    std::uint32_t strength = 0;

    static constexpr auto fields(auto list) {
        return list(field("a", &DeviceLink::a), field("b", &DeviceLink::b),
                    field("strength", &DeviceLink::strength));
    }
    friend bool operator==(const DeviceLink&, const DeviceLink&) = default;
};

/// True when new work may get the device.
[[nodiscard]] inline bool is_usable(const Device& device) {
    return device.health != Health::failure && !device.is_drained;
}

[[nodiscard]] inline std::string to_text(const Version& version) {
    return std::to_string(version.major) + "." + std::to_string(version.minor);
}

}  // namespace trestle
