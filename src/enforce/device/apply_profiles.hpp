// SPDX-License-Identifier: Apache-2.0
#pragma once

// What vendor profiles make of a placement: files, folders, variables and devices of its plan.
//
// Layer: enforce (private). Main functions: allowed_files, host_folders, visibility,
// planned_devices, profile_of. Bodies: vendor_profile.cpp.

#include <string>
#include <vector>

#include "trestle/enforce/device/vendor_profile.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// The profile for a device: the first that fits, or none.
[[nodiscard]] const VendorProfile* profile_of(const std::vector<VendorProfile>& profiles,
                                              const Device& device);

/// The files of the placement's devices, then the companions that their profiles name, each path
/// once. Requires: the devices exist.
[[nodiscard]] std::vector<DeviceAllowList::File> allowed_files(
    const NodeShape& shape, const NodePlacement& placement,
    const std::vector<VendorProfile>& profiles);

/// The folders that the profiles of the placement's devices name, each once. Requires: the devices
/// exist.
[[nodiscard]] std::vector<std::string> host_folders(const NodeShape& shape,
                                                    const NodePlacement& placement,
                                                    const std::vector<VendorProfile>& profiles);

/// The visibility variables of all profiles of which the placement has a device, in the order of
/// the profiles. Requires: the devices exist.
[[nodiscard]] std::vector<EnvironmentVariable> visibility(
    const NodeShape& shape, const NodePlacement& placement,
    const std::vector<VendorProfile>& profiles, VendorProfile::Numbering numbering);

/// The devices of the placement, in its order. Requires: the devices exist.
[[nodiscard]] std::vector<PlannedDevice> planned_devices(
    const NodeShape& shape, const NodePlacement& placement,
    const std::vector<VendorProfile>& profiles);

}  // namespace trestle
