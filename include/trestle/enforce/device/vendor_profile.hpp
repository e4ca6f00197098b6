// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vendor profiles: what must be open beside a vendor's device, and which variable shows it, as
// data.
//
// Layer: enforce. Main types: VendorProfile, VendorProfile::Variable, VendorProfile::Numbering,
// PlannedDevice; standard_vendor_profiles lists those that are known, and plan() applies them to a
// placement. A device without a profile works from its own files alone; a caller's own profile is
// one more in the list.
// Pitfall: access (the filter) and visibility (the variable) are separate; a
// variable alone denies no access.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trestle/base/boxed_optional.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/slices.hpp"

namespace trestle {

/// What one vendor's devices need.
struct VendorProfile {
    /// How a visibility variable counts devices.
    enum class Numbering {
        local,   ///< from 0 among those granted: what a program sees when the filter hides the
                 ///< others
        global,  ///< among all of the node: for programs that can open every device
        uuid,    ///< by UUID; local unless every granted device has one
        /// Right whether a filter hides the others or not, by UUID, where every granted device has
        /// one and the variable knows them; else global. Global indexes may show no device where
        /// the others are hidden; they never show a device of another owner.
        uuid_or_global,
    };

    /// A variable that lists the visible devices, separated by commas.
    struct Variable {
        /// What a visibility variable counts.
        enum class CountedPart {
            device,
            neuron_core,  ///< Device::neuron_cores numbers in a row for each device
        };

        std::string name;
        /// What its reader understands. The plan's numbering if that is among them, else the first.
        /// A variable that knows local alone counts what another variable leaves
        /// (GPU_DEVICE_ORDINAL), so that it is right without a filter too.
        std::vector<Numbering> numberings = {Numbering::local, Numbering::global, Numbering::uuid};
        /// Where a device of the profile does not say how many of these parts it has, nothing is
        /// set.
        CountedPart counted = CountedPart::device;
        /// Set before it where it lists numbers: what makes its reader count as the node does.
        std::vector<EnvironmentVariable> beside_numbers = {};
        /// Its numbers follow the PCI addresses, where each device of the profile has one. Else,
        /// and where one has none, they follow the order of the node's devices.
        bool counts_by_bus = false;

        static constexpr auto fields(auto list) {
            return list(field("name", &Variable::name), field("numberings", &Variable::numberings),
                        field("counted", &Variable::counted),
                        field("beside_numbers", &Variable::beside_numbers),
                        field("counts_by_bus", &Variable::counts_by_bus));
        }
        friend bool operator==(const Variable&, const Variable&) = default;
    };

    std::string vendor;       ///< Device::vendor; empty: any, the files decide
    std::string name;         ///< Device::name
    std::string file_prefix;  ///< recognises a device whose vendor is unknown; empty: never
    /// Open beside the device. A `*` in a path stands for the number at the end of the device's
    /// first file, so that each device has its own. One without a number has none.
    std::vector<DeviceAllowList::File> companions;
    std::vector<Variable> variables;
    std::vector<std::string> folders = {};  ///< of the host, that its programs use where they exist

    static constexpr auto fields(auto list) {
        return list(field("vendor", &VendorProfile::vendor), field("name", &VendorProfile::name),
                    field("file_prefix", &VendorProfile::file_prefix),
                    field("companions", &VendorProfile::companions),
                    field("variables", &VendorProfile::variables),
                    field("folders", &VendorProfile::folders));
    }
    friend bool operator==(const VendorProfile&, const VendorProfile&) = default;

    /// True when the profile is for `device`, by its vendor. When profile or device names none (a
    /// gres.conf line has none), the first file decides.
    [[nodiscard]] bool is_for(const Device& device) const;
};

constexpr auto enum_names(VendorProfile::Numbering) {
    return std::array{named(VendorProfile::Numbering::local, "local"),
                      named(VendorProfile::Numbering::global, "global"),
                      named(VendorProfile::Numbering::uuid, "uuid"),
                      named(VendorProfile::Numbering::uuid_or_global, "uuid_or_global")};
}

constexpr auto enum_names(VendorProfile::Variable::CountedPart) {
    return std::array{named(VendorProfile::Variable::CountedPart::device, "device"),
                      named(VendorProfile::Variable::CountedPart::neuron_core, "neuron_core")};
}

/// NVIDIA, AMD, Intel, Intel Gaudi, AWS Neuron, VFIO (TPUs), Tenstorrent and RDMA adapters.
[[nodiscard]] std::vector<VendorProfile> standard_vendor_profiles();

/// A device that a plan hands out: what a container runtime has to know of it.
struct PlannedDevice {
    std::string name;         ///< `gpu`
    std::string type;         ///< `a100`
    std::uint32_t index = 0;  ///< among the node's devices of this name
    std::string vendor;
    std::string model;
    std::string uuid;
    Count shares{1};                         ///< taken of shares_max
    Count shares_max{1};                     ///< what the device can be cut into
    BoxedOptional<Slicing::Instance> slice;  ///< absent: shares of the uncut device
    std::string profile;  ///< of the slice, or of the instance that the device is; empty: whole
    std::vector<std::string> paths;  ///< its own files, then those of its profile
    /// Names of the variables that list it for its programs, and of those set beside them.
    std::vector<std::string> variables = {};

    static constexpr auto fields(auto list) {
        return list(
            field("name", &PlannedDevice::name), field("type", &PlannedDevice::type),
            field("index", &PlannedDevice::index), field("vendor", &PlannedDevice::vendor),
            field("model", &PlannedDevice::model), field("uuid", &PlannedDevice::uuid),
            field("shares", &PlannedDevice::shares),
            field("shares_max", &PlannedDevice::shares_max), field("slice", &PlannedDevice::slice),
            field("profile", &PlannedDevice::profile), field("paths", &PlannedDevice::paths),
            field("variables", &PlannedDevice::variables));
    }
    friend bool operator==(const PlannedDevice&, const PlannedDevice&) = default;
};

}  // namespace trestle
